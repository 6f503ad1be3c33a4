/** Long computations as generators that yield as often as somebody may look at the clock: run at once, or in slices. */
import { Slice } from '#platform/slices'

export type Steps<Result> = Generator<undefined, Result>

/** Items between two steps: some tenths of a millisecond. */
export const itemsPerStep = 100

/** For what is known to be short. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  const slice = new Slice()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (slice.isOver()) await slice.next()
  }
}

/** What each of the items becomes, left out where that is undefined. */
export function* mapped<From, To>(
  items: readonly From[],
  become: (item: From) => To | undefined,
): Steps<To[]> {
  const all: To[] = []
  for (const [index, item] of items.entries()) {
    if (index % itemsPerStep === itemsPerStep - 1) yield
    const one = become(item)
    if (one !== undefined) all.push(one)
  }
  return all
}
