/** What turns samples of one rate into the bytes of one format. It is fed slices of some tenths of a second, in order. */
export interface Codec {
  /** The rate in Hz that it wants. */
  rate: number
  write(samples: Float32Array): Uint8Array | Promise<Uint8Array>
  /** The last bytes. Called once. */
  end(): Uint8Array | Promise<Uint8Array>
  /** After the end: the first bytes as they would have been, had the length been known; as many as there were. */
  wholeHead?(): Uint8Array
  /** Gives back what it holds outside of the heap; called once, also after a failure. */
  close(): void
}

/** What a codec is opened with beside its rate. */
export interface CodecOptions {
  /** Of an mp3, in kbit/s; absent, what is usual at its rate. */
  kilobits?: number | undefined
  /** What the file says of its origin, where its format has a place for that. */
  note?: string | undefined
}

export const noBytes: Uint8Array = new Uint8Array(0)

/** Rate of a list that loses nothing of a sound and is nearest; the greatest if all are lower. */
export const rateFor = <Rate extends number>(rate: number, rates: readonly Rate[]): Rate =>
  rates.find((candidate) => candidate >= rate) ?? rates.at(-1)!
