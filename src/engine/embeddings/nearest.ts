/** The nearest to one vector of many, seen one after the other: exact, and no more is kept than is wanted. */
export class Nearest<Place> {
  readonly #query: Float32Array
  readonly #limit: number
  /** The best first. */
  readonly #best: { place: Place; nearness: number }[] = []

  /** All vectors have length 1, so that a product is the cosine. */
  constructor(query: Float32Array, limit: number) {
    this.#query = query
    this.#limit = limit
  }

  get best(): readonly { place: Place; nearness: number }[] {
    return this.#best
  }

  /** `floats` holds vectors one behind the other; `placeOf` names the one at an index. Vectors with a negative cosine are skipped. */
  add(floats: Float32Array, placeOf: (index: number) => Place): void {
    const query = this.#query
    const dimensions = query.length
    for (let index = 0, at = 0; at + dimensions <= floats.length; index++, at += dimensions) {
      let nearness = 0
      for (let axis = 0; axis < dimensions; axis++) nearness += query[axis]! * floats[at + axis]!
      if (nearness > this.#threshold) this.#insert(placeOf(index), nearness)
    }
  }

  get #threshold(): number {
    return this.#best.length < this.#limit ? 0 : this.#best.at(-1)!.nearness
  }

  #insert(place: Place, nearness: number): void {
    const behind = this.#best.findIndex((other) => other.nearness < nearness)
    this.#best.splice(behind === -1 ? this.#best.length : behind, 0, { place, nearness })
    if (this.#best.length > this.#limit) this.#best.pop()
  }
}
