import { Slice } from '#platform/slices'

const blockBytes = 1 << 16

/**
 * A copy of the memory of a new WebAssembly instance, from which it can be restored: its functions then do what those of a new instance do, whatever
 * was done before. Its stack has to be empty at both times.
 */
export class MemorySnapshot {
  readonly #memory: ArrayBuffer
  /** The blocks that have anything but zeros, by their offset. */
  readonly #written = new Map<number, Buffer>()

  constructor(memory: ArrayBuffer) {
    this.#memory = memory
    for (let at = 0; at < memory.byteLength; at += blockBytes) {
      const block = this.#block(at)
      if (!block.equals(zeros)) this.#written.set(at, Buffer.from(block))
    }
  }

  /** Restores the memory. Returns false if it cannot be restored because it has grown. */
  async restore(): Promise<boolean> {
    const slice = new Slice()
    for (let at = 0; at < this.#memory.byteLength; at += blockBytes) {
      const block = this.#block(at)
      const first = this.#written.get(at) ?? zeros
      // Reading memory that was never written does not take it from the system.
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
