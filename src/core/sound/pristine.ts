import { Slice } from '#platform/slices'

const blockBytes = 1 << 16

/**
 * What the memory of a WebAssembly instance is when it is made, and can be made again: its functions then do what those of a new one do, whatever was done to
 * it. Its stack has to be empty at both times.
 */
export class Pristine {
  readonly #memory: ArrayBuffer
  /** Where anything but zeros stands. */
  readonly #written = new Map<number, Buffer>()

  constructor(memory: ArrayBuffer) {
    this.#memory = memory
    for (let at = 0; at < memory.byteLength; at += blockBytes) {
      const block = this.#block(at)
      if (!block.equals(zeros)) this.#written.set(at, Buffer.from(block))
    }
  }

  /** False if it cannot be: the memory has grown. */
  async restore(): Promise<boolean> {
    const slice = new Slice()
    for (let at = 0; at < this.#memory.byteLength; at += blockBytes) {
      const block = this.#block(at)
      const first = this.#written.get(at) ?? zeros
      // Memory that was never written is not taken from the system by being read.
      if (!block.equals(first)) block.set(first)
      if (slice.isOver()) await slice.next()
    }
    return this.#memory.byteLength > 0
  }

  #block(at: number): Buffer {
    return Buffer.from(this.#memory, at, blockBytes)
  }
}

const zeros = Buffer.alloc(blockBytes)
