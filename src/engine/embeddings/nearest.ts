/** The nearest to one vector of many, seen one after the other: exact, and no more is kept than is wanted. */
export class Nearest<Place> {
  readonly #query: Float32Array
  readonly #most: number
  /** The best first. */
  readonly #best: { place: Place; nearness: number }[] = []

  /** All vectors have length 1, so that a product is the cosine. */
  constructor(query: Float32Array, most: number) {
    this.#query = query
    this.#most = most
  }

  get best(): readonly { place: Place; nearness: number }[] {
    return this.#best
  }

  /** `floats` holds vectors one behind the other; `placeOf` names the one at an index. Opposites are near nothing. */
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
    return this.#best.length < this.#most ? 0 : this.#best.at(-1)!.nearness
  }

  #insert(place: Place, nearness: number): void {
    const behind = this.#best.findIndex((other) => other.nearness < nearness)
    this.#best.splice(behind === -1 ? this.#best.length : behind, 0, { place, nearness })
    if (this.#best.length > this.#most) this.#best.pop()
  }
}
