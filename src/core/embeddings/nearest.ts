/**
 * Finds the vectors nearest to a query among many that are added one after the other. The result is exact, and no more items are stored than are
 * wanted.
 */
export class NearestVectors<Item> {
  readonly #query: Float32Array
  readonly #limit: number
  /** The nearest items so far, the best first. */
  readonly #found: { item: Item; similarity: number }[] = []

  /** All vectors have length 1, so that the product of two is their cosine. */
  constructor(query: Float32Array, limit: number) {
    this.#query = query
    this.#limit = limit
  }

  get found(): readonly { item: Item; similarity: number }[] {
    return this.#found
  }

  /** `floats` holds vectors one after another; `itemOf` returns the item at an index. Vectors with a negative cosine are skipped. */
  add(floats: Float32Array, itemOf: (index: number) => Item): void {
    const query = this.#query
    const dimensions = query.length
    for (let index = 0, at = 0; at + dimensions <= floats.length; index++, at += dimensions) {
      let similarity = 0
      for (let axis = 0; axis < dimensions; axis++) similarity += query[axis]! * floats[at + axis]!
      if (similarity > this.#threshold) this.#insert(itemOf(index), similarity)
    }
  }

  get #threshold(): number {
    return this.#found.length < this.#limit ? 0 : this.#found.at(-1)!.similarity
  }

  #insert(item: Item, similarity: number): void {
    const behind = this.#found.findIndex((other) => other.similarity < similarity)
    this.#found.splice(behind === -1 ? this.#found.length : behind, 0, { item, similarity })
    if (this.#found.length > this.#limit) this.#found.pop()
  }
}
