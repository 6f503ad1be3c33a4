import { Slice } from '#platform/slices'

/** Samples that are worked on between two looks at the clock: some milliseconds of the dearest work here. */
const step = 4_096

/** Calls `work` for one part after another of [0, length), and yields to the event loop as often as it has to. */
export async function inSlices(
  length: number,
  work: (from: number, to: number) => unknown,
  size = step,
): Promise<void> {
  const slice = new Slice()
  for (let from = 0; from < length; from += size) {
    if (slice.isOver()) await slice.next()
    await work(from, Math.min(length, from + size))
  }
}
