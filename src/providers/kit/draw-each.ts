/** Pictures that come one by one: by requests of their own, or behind links. */
import { type Drawn, UpstreamError } from '#providers/spec'

export interface DrawnOne {
  image: Uint8Array
  usage?: NonNullable<Drawn['usage']>
}

/**
 * Takes each picture once, all at the same time. Those that came are the answer; where none did, throws the fault that may have cost
 * something, else any.
 */
export async function drawEach(count: number, drawOne: (index: number) => Promise<DrawnOne>): Promise<Drawn> {
  const asked = await Promise.allSettled(Array.from({ length: count }, (_, index) => drawOne(index)))
  const drawn = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  const faults: unknown[] = asked.flatMap((one) => (one.status === 'rejected' ? one.reason : []))
  if (drawn.length === 0) throw faults.find((fault) => !didNothing(fault)) ?? faults[0]
  const usages = drawn.flatMap(({ usage }) => usage ?? [])
  return {
    images: drawn.map(({ image }) => image),
    ...(usages.length > 0 && { usage: usages.reduce(together) }),
  }
}

type Usage = NonNullable<Drawn['usage']>

const together = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  ...(a.mediaInput !== undefined &&
    b.mediaInput !== undefined && { mediaInput: a.mediaInput + b.mediaInput }),
  output: a.output + b.output,
})

const didNothing = (error: unknown): boolean => error instanceof UpstreamError && !error.executed
