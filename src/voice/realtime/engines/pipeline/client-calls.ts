/** Sends the client the calls of its own tools, as the model of an answer writes them. */
import type { AnswerPart } from '#core/turn'
import { newId } from '../../events/server-events.ts'
import type { ConversationItem } from '../../parts.ts'
import type { AnswerOutput } from './output.ts'

export class ClientCalls {
  readonly #output: AnswerOutput
  /** The calls, by their index in the answer. */
  readonly #calls = new Map<number, ConversationItem>()

  constructor(output: AnswerOutput) {
    this.#output = output
  }

  began({ index, id, name }: Extract<AnswerPart, { type: 'tool-call' }>): void {
    const call: ConversationItem = {
      id: newId('item'),
      type: 'function_call',
      status: 'in_progress',
      content: [],
      call_id: id,
      name,
      arguments: '',
    }
    this.#calls.set(index, call)
    this.#output.add(call)
  }

  addArguments({ index, delta }: Extract<AnswerPart, { type: 'tool-arguments' }>): void {
    const call = this.#calls.get(index)
    if (!call) return
    call.arguments += delta
    this.#emit('response.function_call_arguments.delta', call, { delta })
  }

  /** Completes the calls; call once, when the whole answer is written. */
  complete(): void {
    for (const call of this.#calls.values()) {
      this.#emit('response.function_call_arguments.done', call, {
        name: call.name,
        arguments: call.arguments,
      })
      this.#output.done(call, 'completed')
    }
  }

  /** Call when the answer is over: calls that are not complete stay so. */
  stop(): void {
    for (const call of this.#calls.values())
      if (call.status === 'in_progress') this.#output.done(call, 'incomplete')
  }

  #emit(type: string, call: ConversationItem, fields: Record<string, unknown>): void {
    this.#output.emit(type, call, { call_id: call.call_id, ...fields })
  }
}
