import type { OpusDecoderHandle, OpusEncoderHandle } from 'libopus-wasm'

/** Opus for the two directions of one call, until they are given back. */
export interface CallCodecs extends Disposable {
  /** At 16 kHz, mono. */
  readonly decoder: OpusDecoderHandle
  /** At 24 kHz, mono, 20 ms, for a voice. */
  readonly encoder: OpusEncoderHandle
}

/**
 * All codecs of a process stand in one WebAssembly memory, which grows and never shrinks: so there is a limit. Those given back are freed, not kept:
 * a decoder cannot be reset, and would begin the next call with what it heard in the last.
 */
export class Codecs {
  readonly #capacity: number
  #open = 0

  /** @param capacity calls at a time */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get open(): number {
    return this.#open
  }

  /** Loads what the first call would wait for. */
  async warm(): Promise<void> {
    const codecs = await this.take()
    codecs?.[Symbol.dispose]()
  }

  /** Undefined where as many calls have theirs as may. */
  async take(): Promise<CallCodecs | undefined> {
    if (this.#open >= this.#capacity) return undefined
    this.#open += 1
    try {
      return await this.#opened()
    } catch (error) {
      this.#open -= 1
      throw error
    }
  }

  async #opened(): Promise<CallCodecs> {
    const { Application, createDecoder, createEncoder, Signal } = await import('libopus-wasm')
    const decoder = await createDecoder({ sampleRate: 16_000, channels: 1 })
    const encoder = await createEncoder({
      sampleRate: 24_000,
      channels: 1,
      application: Application.Voip,
      signal: Signal.Voice,
      bitrate: 28_000,
      // 0.2 ms a frame; from 8 on it is 0.33 ms, and nobody hears it.
      complexity: 5,
      fec: true,
      packetLossPercent: 10,
      dtx: true,
    }).catch((error) => {
      decoder.free()
      throw error
    })
    let isOpen = true
    return {
      decoder,
      encoder,
      [Symbol.dispose]: () => {
        if (!isOpen) return
        isOpen = false
        decoder.free()
        encoder.free()
        this.#open -= 1
      },
    }
  }
}
