/** What turns samples of one rate into the bytes of one format. It is fed slices of some tenths of a second, in order. */
export interface Codec {
  /** The rate in Hz that it wants. */
  rate: number
  write(samples: Float32Array): Uint8Array | Promise<Uint8Array>
  /** The last bytes. Called once. */
  end(): Uint8Array | Promise<Uint8Array>
  /** Gives back what it holds outside of the heap; called once, also after a failure. */
  close(): void
}

export interface CodecOptions {
  /** Of the samples, in Hz. */
  rate: number
  /** Written into the file where its format has a place for it. */
  note: string | undefined
  /** How many samples there will be, where that is known; else the header leaves the length open. */
  samples: number | undefined
}

export const noBytes = new Uint8Array(0)

/** The rate of a list that loses nothing of a sound and is nearest; the greatest if all are lower. */
export const rateFor = (rate: number, rates: readonly number[]): number =>
  rates.find((candidate) => candidate >= rate) ?? rates.at(-1)!
