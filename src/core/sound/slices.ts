import type { Slice } from '#platform/slices'

/** How many samples are worked on between two looks at the clock: some milliseconds of the most expensive work here. */
const step = 4_096

/**
 * The samples in parts, between which the event loop gets its turn.
 * @param slice the slice of all work of the caller: many short pieces hold the loop as a long one does
 */
export async function* slicesOf(samples: Float32Array, slice: Slice): AsyncGenerator<Float32Array> {
  for (let from = 0; from < samples.length; from += step) {
    if (slice.isOver()) await slice.next()
    yield samples.subarray(from, from + step)
  }
}
