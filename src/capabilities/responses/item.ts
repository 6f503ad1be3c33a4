/** One item of an answer while it is written: its object grows, and every step of it is told. */

export type Json = Record<string, unknown>

/** The objects of a list, whatever else an upstream put into it or in its place. */
export const recordsIn = (list: unknown): Json[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []

/** Tells one event of the stream; its fields are written out before anything of them changes. `text`: they came as this JSON. */
export type Emit = (type: string, fields: Json, text?: string) => void

/** Stable, and never the id of a call: of the answer's own 32 hexadecimal digits and the item's place. */
export const idOf = (prefix: 'msg' | 'rs' | 'fc' | 'ws', hex: string, place: number): string =>
  `${prefix}_${hex}${place.toString(16).padStart(4, '0')}`

export const isOurId = (id: unknown): boolean => typeof id === 'string' && /^[a-z]+_[0-9a-f]{36}$/.test(id)

export type ItemStatus = 'completed' | 'incomplete'

export abstract class Item {
  readonly json: Json
  readonly #index: number
  readonly #emit: Emit

  constructor(json: Json, index: number, emit: Emit) {
    this.json = json
    this.#index = index
    this.#emit = emit
    emit('response.output_item.added', { output_index: index, item: json })
  }

  abstract close(status: ItemStatus, seal?: string): void

  protected tell(type: string, fields: Json): void {
    this.#emit(type, { item_id: this.json['id'], output_index: this.#index, ...fields })
  }

  protected done(): void {
    this.#emit('response.output_item.done', { output_index: this.#index, item: this.json })
  }
}
