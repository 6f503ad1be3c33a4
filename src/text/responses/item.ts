/** One item of an answer while it is written: its object grows, and each step is emitted as an event. */

export type ResponseJson = Record<string, unknown>

/** The objects of a list. Upstreams are not trusted to send a list, or only objects in it. */
export const recordsIn = (list: unknown): ResponseJson[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []

/** Emits one event of the stream; its fields are serialized before they change again. `text`: the JSON as the upstream sent it. */
export type Emit = (type: string, fields: ResponseJson, text?: string) => void

/** The id of an item, made of the answer's 32 hexadecimal digits and the item's place. It is stable, and never the id of a call. */
export const idOf = (prefix: 'msg' | 'rs' | 'fc' | 'ws' | 'it', hex: string, place: number): string =>
  `${prefix}_${hex}${place.toString(16).padStart(4, '0')}`

export const isOurId = (id: unknown): boolean => typeof id === 'string' && /^[a-z]+_[0-9a-f]{36}$/.test(id)

export type ItemStatus = 'completed' | 'incomplete'

export abstract class ResponseItem {
  readonly json: ResponseJson
  readonly #index: number
  readonly #emit: Emit

  constructor(json: ResponseJson, index: number, emit: Emit) {
    this.json = json
    this.#index = index
    this.#emit = emit
    emit('response.output_item.added', { output_index: index, item: json })
  }

  abstract close(status: ItemStatus, seal?: string): void

  protected emitEvent(type: string, fields: ResponseJson): void {
    this.#emit(type, { item_id: this.json['id'], output_index: this.#index, ...fields })
  }

  protected done(): void {
    this.#emit('response.output_item.done', { output_index: this.#index, item: this.json })
  }
}
