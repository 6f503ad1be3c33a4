import { Slice } from '#platform/slices'
import { AdtsReader } from './adts-reader.ts'
import { SoundError } from './fault.ts'

/** The byte and the sample at which each frame of an ADTS file begins: some 5 MB for four hours. */
export class AdtsIndex {
  #places = new Uint32Array(1 << 10)
  #samples = new Uint32Array(1 << 10)
  #count = 0

  /** The byte and the sample of its channels at which frame `index` begins; the index after the last frame gives the end. */
  place(index: number): { byte: number; sample: number } {
    return { byte: this.#places[index]!, sample: this.#samples[index]! }
  }

  get frames(): number {
    return this.#count - 1
  }

  add(byte: number, sample: number): void {
    if (this.#count === this.#places.length) {
      this.#places = grown(this.#places)
      this.#samples = grown(this.#samples)
    }
    this.#places[this.#count] = byte
    this.#samples[this.#count++] = sample
  }

  /** The last frame that begins at this sample or before; the first frame for a sample before all of them. */
  frameAt(sample: number): number {
    let low = 0
    let high = Math.max(0, this.frames - 1)
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.#samples[middle]! <= sample) low = middle
      else high = middle - 1
    }
    return low
  }
}

function grown(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(2 * values.length)
  more.set(values)
  return more
}

/** Indexes the frames of a file. Throws `SoundError` if it is not ADTS to its end. */
export async function indexAdts(bytes: AsyncIterable<Uint8Array>): Promise<AdtsIndex> {
  const slice = new Slice()
  const index = new AdtsIndex()
  let samples = 0
  let end = 0
  const reader = new AdtsReader((place, frame) => {
    index.add(place, samples)
    samples += frame.samples
    end = place + frame.bytes
  })
  for await (const chunk of bytes) {
    for (const _ of reader.write(chunk));
    if (slice.isOver()) await slice.next()
  }
  for (const _ of reader.end());
  index.add(end, samples)
  return index
}

/** Where the last whole frame ends in a file that breaks off. */
export async function endOfAdts(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const slice = new Slice()
  let end = 0
  const reader = new AdtsReader((place, frame) => {
    end = place + frame.bytes
  })
  try {
    for await (const chunk of bytes) {
      for (const _ of reader.write(chunk));
      if (slice.isOver()) await slice.next()
    }
  } catch (error) {
    if (!(error instanceof SoundError)) throw error
  }
  return end
}
