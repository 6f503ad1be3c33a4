import { type Emit, type ItemStatus, ResponseItem } from './item.ts'

/** A call of one of the caller's functions. */
export class CallItem extends ResponseItem {
  #arguments = ''

  constructor(
    id: string,
    index: number,
    emit: Emit,
    call: { call_id: string; name: string; namespace?: string },
  ) {
    super({ type: 'function_call', id, ...call, arguments: '', status: 'in_progress' }, index, emit)
  }

  write(delta: string): void {
    this.#arguments += delta
    this.emitEvent('response.function_call_arguments.delta', { delta })
  }

  /** True if the arguments are complete JSON, so that no more can follow. */
  get isComplete(): boolean {
    try {
      JSON.parse(this.#arguments)
      return true
    } catch {
      return false
    }
  }

  close(status: ItemStatus): void {
    // A function without parameters is often called with empty arguments, which are not valid JSON.
    if (this.#arguments === '' && status === 'completed') this.write('{}')
    Object.assign(this.json, { arguments: this.#arguments, status })
    this.emitEvent('response.function_call_arguments.done', {
      name: this.json['name'],
      arguments: this.#arguments,
    })
    this.done()
  }
}
