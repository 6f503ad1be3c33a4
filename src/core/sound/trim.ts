import type { Sound, SoundStream } from './pcm.ts'

/** Positions in seconds from the first sample. */
export interface SoundPart {
  skipSeconds: number
  untilSeconds?: number
  discardSeconds: number
}

/** What `trimSound` leaves of this number of samples: how many are skipped, and how many are heard. */
export function partInSamples(
  { skipSeconds, untilSeconds = Number.POSITIVE_INFINITY, discardSeconds }: SoundPart,
  rate: number,
  samples: number,
): { skip: number; length: number } {
  const skip = Math.round(skipSeconds * rate)
  const until = Math.min(samples, Math.round(untilSeconds * rate))
  return { skip, length: Math.max(0, until - skip - Math.round(discardSeconds * rate)) }
}

/** A part of a sound; as many samples as are left out at its end are held back until the sound ends. */
export async function* trimSound(
  stream: SoundStream,
  { skipSeconds, untilSeconds = Number.POSITIVE_INFINITY, discardSeconds }: SoundPart,
): AsyncGenerator<Sound> {
  let at = 0
  const held: Float32Array[] = []
  let heldSamples = 0
  for await (const { rate, samples } of stream) {
    const from = Math.round(skipSeconds * rate) - at
    const until = Math.round(untilSeconds * rate) - at
    at += samples.length
    if (until <= 0) return
    const part = samples.subarray(Math.max(0, from), Math.min(samples.length, until))
    const discarded = Math.round(discardSeconds * rate)
    if (discarded === 0) {
      if (part.length > 0) yield { rate, samples: part }
      continue
    }
    // A file may say that hours are to be left out: no sample is copied more than once.
    held.push(part.slice())
    heldSamples += part.length
    while (heldSamples > discarded) {
      const first = held[0]!
      const ready = Math.min(first.length, heldSamples - discarded)
      if (ready === first.length) held.shift()
      else held[0] = first.subarray(ready)
      heldSamples -= ready
      if (ready > 0) yield { rate, samples: first.subarray(0, ready) }
    }
  }
}
