/** Long computations as generators that yield whenever the clock may be checked: they run at once, or in slices. */
import { Slice } from './slice.ts'

export type Steps<Result> = Generator<undefined, Result>

/** The items between two steps, which take some tenths of a millisecond. */
export const itemsPerStep = 100

/** Runs a computation at once, if it is known to be short. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  const slice = new Slice()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (slice.isOver()) await slice.next()
  }
}

/** Maps the items; results that are undefined are left out. */
export function* mapInSteps<From, To>(
  items: readonly From[],
  convert: (item: From) => To | undefined,
): Steps<To[]> {
  const all: To[] = []
  for (const [index, item] of items.entries()) {
    if (index % itemsPerStep === itemsPerStep - 1) yield
    const one = convert(item)
    if (one !== undefined) all.push(one)
  }
  return all
}

/** Sorts the items by a number, keeping the order of items with equal numbers: a merge sort, since one call of `sort` would be one step. */
export function* sortInSteps<Item>(items: readonly Item[], numberOf: (item: Item) => number): Steps<Item[]> {
  let from: Item[] = []
  for (let at = 0; at < items.length; at += itemsPerStep) {
    yield
    from.push(...items.slice(at, at + itemsPerStep).sort((one, other) => numberOf(one) - numberOf(other)))
  }
  // Items that were already in order are complete now.
  for (let width = itemsPerStep; !areStretchesOrdered(from, width, numberOf); width *= 2) {
    const to: Item[] = []
    for (let at = 0; at < from.length; at += 2 * width)
      yield* merge(from, [at, at + width], width, numberOf, to)
    from = to
  }
  return from
}

/** Whether ordered stretches of this width are in order together, each ending before the next begins. */
function areStretchesOrdered<Item>(
  items: readonly Item[],
  width: number,
  numberOf: (item: Item) => number,
): boolean {
  for (let at = width; at < items.length; at += width)
    if (numberOf(items[at - 1]!) > numberOf(items[at]!)) return false
  return true
}

/** Merges two ordered stretches of `from`, which begin at `starts` and have at most this width, and appends them to `to`. */
function* merge<Item>(
  from: readonly Item[],
  starts: readonly [number, number],
  width: number,
  numberOf: (item: Item) => number,
  to: Item[],
): Steps<void> {
  let [left, right] = starts
  const [leftEnd, rightEnd] = starts.map((start) => Math.min(start + width, from.length)) as [number, number]
  while (left < leftEnd || right < rightEnd) {
    const isLeft = right >= rightEnd || (left < leftEnd && numberOf(from[left]!) <= numberOf(from[right]!))
    to.push(from[isLeft ? left++ : right++]!)
    if (to.length % itemsPerStep === 0) yield
  }
}
