import type { MPEGDecoder } from 'mpg123-decoder'
import { nextTurn } from '#platform/slices'
import { MemorySnapshot } from './pristine.ts'

/** The inner parts of the package's decoder. The package is pinned exactly; a test of every kind of MP3 fails where they change. */
interface DecoderInternals {
  _common: {
    wasm: {
      HEAP: ArrayBuffer
      mpeg_decoder_feed(decoder: number, input: number, bytes: number): number
      mpeg_decoder_read(
        decoder: number,
        output: number,
        room: number,
        samples: number,
        rate: number,
        error: number,
      ): number
    }
  }
  _decoder: number
  _input: WasmView<Uint8Array>
  _output: WasmView<Float32Array>
  _samplesDecodedPtr: WasmView<Uint32Array>
  _sampleRatePtr: WasmView<Uint32Array>
  _errorStringPtr: WasmView<Uint32Array>
}

interface WasmView<View> {
  ptr: number
  len: number
  buf: View
}

/** The result of `mpeg_decoder_read` when everything that was fed is decoded. */
const needsMore = -10
/** The most reads of one frame: its format, its sound, and its end. A broken frame may need another read, and never ends by itself. */
const maxReads = 8

/**
 * mpg123, called by the functions that its package's `decodeFrame` calls. `decodeFrame` itself makes nine arrays and copies the sound four times for
 * every 24 ms of it, which takes as long as decoding, and writes every broken frame to the console.
 */
export class Mpg123 {
  readonly #inner: DecoderInternals
  readonly #pristine: MemorySnapshot
  /** True within a call; where a call ends by throwing, it stays true, and the decoder is not used again. */
  #isCalled = false

  private constructor(decoder: MPEGDecoder) {
    this.#inner = decoder as unknown as DecoderInternals
    this.#pristine = new MemorySnapshot(this.#inner._common.wasm.HEAP)
  }

  static async open(): Promise<Mpg123> {
    const own = idle
    idle = undefined
    if (own) return own
    const { MPEGDecoder } = await import('mpg123-decoder')
    const decoder = new MPEGDecoder({ enableGapless: false })
    await decoder.ready
    return new Mpg123(decoder)
  }

  /**
   * Decodes one frame to the mean of its channels. What cannot be decoded becomes silence, so that its time still passes.
   * @param to has the length of the frame's sound
   */
  decode(frame: Uint8Array, to: Float32Array, isMono: boolean): void {
    const { _common, _decoder, _input, _output, _samplesDecodedPtr, _sampleRatePtr, _errorStringPtr } =
      this.#inner
    const { wasm } = _common
    _input.buf.set(frame)
    this.#isCalled = true
    let at = 0
    let end = wasm.mpeg_decoder_feed(_decoder, _input.ptr, frame.length)
    for (let read = 0; read < maxReads && end !== needsMore; read++) {
      _samplesDecodedPtr.buf[0] = 0
      const { ptr, len } = _output
      const places = [_samplesDecodedPtr.ptr, _sampleRatePtr.ptr, _errorStringPtr.ptr] as const
      end = wasm.mpeg_decoder_read(_decoder, ptr, len, ...places)
      // The second channel follows the first.
      const samples = _samplesDecodedPtr.buf[0]!
      const count = Math.min(samples, to.length - at)
      const sound = _output.buf
      if (isMono) to.set(sound.subarray(0, count), at)
      else
        for (let index = 0; index < count; index++)
          to[at + index] = (sound[index]! + sound[samples + index]!) / 2
      at += count
    }
    to.fill(0, at)
    this.#isCalled = false
  }

  /**
   * Call once, in place of the package's `free`: a decoder that is not kept is garbage-collected with its memory. No decoded sound is left to the
   * next user.
   */
  async free(): Promise<void> {
    await nextTurn()
    if (!idle && !this.#isCalled && (await this.#pristine.restore())) idle = this
  }
}

/**
 * One decoder is kept: each has 17 MB of memory, which the garbage collector counts although hardly any of it is written, so that every other
 * recording of a minute made it collect everything.
 */
let idle: Mpg123 | undefined
