/** Writes the next chunk; resolves once it was used. */
export type Write = (chunk: Uint8Array) => Promise<void>

/**
 * Iterates over what `run` writes. `run` cannot write a chunk until the one before was used: a slow reader holds the writer up. Ending the iteration
 * aborts the signal that `run` is given; what `run` throws is thrown where the iteration stands.
 */
export async function* pullChunks(
  run: (write: Write, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const ending = new AbortController()
  const handover = new ChunkHandover()
  const writing = run(handover.give, AbortSignal.any([signal, ending.signal])).then(
    () => handover.end(),
    (error: unknown) => handover.end({ error }),
  )
  try {
    for (let chunk = await handover.next(); chunk; chunk = await handover.next()) yield chunk
  } finally {
    ending.abort()
    handover.release()
    await writing
  }
}

/** Hands one chunk at a time from a writer to a reader. */
class ChunkHandover {
  #chunk: Uint8Array | undefined
  /** Lets the writer go on. */
  #used: (() => void) | undefined
  #wake = Promise.withResolvers<void>()
  #end: { error?: unknown } | undefined
  #isReleased = false

  readonly give: Write = (chunk) => {
    if (this.#isReleased) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#chunk = chunk
    this.#used = resolve
    this.#wake.resolve()
    return promise
  }

  /** The next chunk; undefined at the end. Throws what the writer failed with. */
  async next(): Promise<Uint8Array | undefined> {
    this.#used?.()
    this.#used = undefined
    await this.#wake.promise
    const chunk = this.#chunk
    if (chunk) {
      this.#chunk = undefined
      if (!this.#end) this.#wake = Promise.withResolvers<void>()
      return chunk
    }
    if (this.#end && 'error' in this.#end) throw this.#end.error
    return undefined
  }

  end(end: { error?: unknown } = {}): void {
    this.#end = end
    this.#wake.resolve()
  }

  /** Called when nobody reads any more: what is still written is dropped. */
  release(): void {
    this.#isReleased = true
    this.#used?.()
  }
}
