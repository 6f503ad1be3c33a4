import { readSync } from 'node:fs'

const windowBytes = 1 << 16

/** Bytes of a file, wherever they stand. */
export interface Window {
  readonly length: number
  /** The bytes at a place, up to some hundreds; fewer where the file ends. Valid until the next call. */
  at(place: number, length: number): Buffer
}

/** Of a file that is in memory. */
export const windowOn = (bytes: Buffer): Window => ({
  length: bytes.length,
  at: (place, length) => bytes.subarray(place, place + length),
})

/** The bytes of an open file, of which some are in memory: what goes over them in order reads each once. Waits for the disk: for confined processes. */
export class FileWindow implements Window {
  readonly length: number
  readonly #file: number
  readonly #window = Buffer.alloc(windowBytes)
  #from = 0
  #held = 0

  /** @param file its descriptor, which stays the caller's */
  constructor(file: number, length: number) {
    this.#file = file
    this.length = length
  }

  at(place: number, length: number): Buffer {
    const wanted = Math.max(0, Math.min(length, this.length - place))
    if (place < this.#from || place + wanted > this.#from + this.#held) this.#read(place)
    const from = place - this.#from
    return this.#window.subarray(from, Math.min(from + wanted, this.#held))
  }

  #read(place: number): void {
    this.#from = place
    this.#held = 0
    while (this.#held < windowBytes) {
      const read = readSync(
        this.#file,
        this.#window,
        this.#held,
        windowBytes - this.#held,
        place + this.#held,
      )
      if (read === 0) return
      this.#held += read
    }
  }
}
