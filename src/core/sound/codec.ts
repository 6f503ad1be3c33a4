/** Encodes samples of one rate as bytes of one format. It gets slices of some tenths of a second, in order. */
export interface Codec {
  /** The rate in Hz of the samples that the codec takes. */
  rate: number
  write(samples: Float32Array): Uint8Array | Promise<Uint8Array>
  /** Returns the last bytes. Call once. */
  end(): Uint8Array | Promise<Uint8Array>
  /** Returns, after the end, the first bytes with the length that is known by then; their number stays the same. */
  wholeHead?(): Uint8Array
  /** Frees what it holds outside of the heap; call once, also after a failure. */
  close(): void
}

/** The options of a codec beside its rate. */
export interface CodecOptions {
  /** The bit rate of an mp3, in kbit/s; absent: the usual one at its rate. */
  kilobits?: number | undefined
  /** The note about its origin in the file, where its format has a place for that. */
  note?: string | undefined
}

export const noBytes: Uint8Array = new Uint8Array(0)

/** The lowest rate of an ascending list that loses nothing of a sound; the highest if all are too low. */
export const rateFor = <Rate extends number>(rate: number, rates: readonly Rate[]): Rate =>
  rates.find((candidate) => candidate >= rate) ?? rates.at(-1)!
