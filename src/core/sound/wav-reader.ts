import { SoundError } from './fault.ts'
import { silence } from './pcm.ts'

/**
 * Reads RIFF WAVE, and RF64 and BW64, that come in chunks of any length: PCM of 8, 16, 24 and 32 bits, float of 32 and 64, A-law and µ-law, plain
 * or extensible; several channels become one. Nothing is allocated by what a header claims.
 */
export class WavReader {
  readonly mediaType = 'audio/wav'
  readonly codec = 'pcm'
  readonly #isCounting: boolean
  #layout: Layout | undefined
  #state: 'riff' | 'chunk' | 'sizes' | 'format' | 'skip' | 'data' = 'riff'
  /** The bytes of all samples where the head of their chunk has no room for so many (RF64). */
  #dataBytes = 0
  /** Whether all samples of the file were read. Mostly, texts follow them. */
  #isHeard = false
  /** Bytes that are not a whole header, or a whole frame, yet. Less than a hundred. */
  #held: Uint8Array = new Uint8Array(0)
  /** Bytes of this chunk that are still to come, with the byte that makes it even. */
  #left = 0
  /** The byte that makes the chunk of the samples even. */
  #padding = 0

  /** @param isCounting whether samples are only counted, and yielded as silence */
  constructor(isCounting = false) {
    this.#isCounting = isCounting
  }

  get rate(): number {
    return this.#layout!.rate
  }

  get channels(): number {
    return this.#layout!.channels
  }

  *write(chunk: Uint8Array): Iterable<Float32Array> {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    let at = 0
    for (;;) {
      if (this.#state === 'data') {
        const { samples, end } = this.#frames(bytes, at)
        yield samples
        at = end
        if (this.#isIn('data')) break
      }
      const next = this.#header(bytes, at)
      if (next === undefined) break
      at = next
    }
    this.#held = new Uint8Array(bytes.subarray(at))
  }

  end(): Float32Array[] {
    const isOpen = this.#left === Number.POSITIVE_INFINITY
    if (this.#isHeard || (this.#isIn('data') && isOpen && this.#held.length === 0)) return []
    this.#fail('truncated')
  }

  close(): void {}

  /** Reads one header or skips a chunk. Returns where it ends, or `undefined` when more bytes are needed or none are read any more. */
  #header(bytes: Uint8Array, at: number): number | undefined {
    const left = bytes.length - at
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    switch (this.#state) {
      case 'riff':
        if (left < 12) return undefined
        if (!riffNames.has(textAt(bytes, at)) || textAt(bytes, at + 8) !== 'WAVE') this.#fail('malformed')
        this.#state = 'chunk'
        return at + 12
      case 'chunk':
        if (left < 8) return undefined
        this.#chunk(textAt(bytes, at), view.getUint32(at + 4, true))
        return at + 8
      case 'sizes':
        if (left < sizesBytes) return undefined
        this.#dataBytes = Number(view.getBigUint64(at + 8, true))
        this.#left -= sizesBytes
        this.#state = 'skip'
        return at + sizesBytes
      case 'format': {
        const size = Math.min(this.#left, 40)
        if (left < size) return undefined
        const layout = layoutOf(view, at, size)
        if (!layout) this.#fail('unsupported')
        this.#layout = layout
        this.#left -= size
        this.#state = 'skip'
        return at + size
      }
      case 'skip': {
        const step = Math.min(left, this.#left)
        this.#left -= step
        if (this.#left > 0) return step > 0 ? at + step : undefined
        this.#state = 'chunk'
        return at + step
      }
      default:
        return undefined
    }
  }

  #chunk(name: string, claimed: number): void {
    this.#left = claimed + (claimed % 2)
    // Some players play the samples of a second chunk too: the sound would be longer than what was measured.
    if (this.#isHeard && name === 'data') this.#fail('malformed')
    if (this.#isHeard) {
      this.#state = 'skip'
      return
    }
    if (name === 'fmt ' && claimed < 16) this.#fail('malformed')
    if (name === 'data') {
      if (!this.#layout) this.#fail('malformed')
      const isOpen = claimed === 0 || claimed >= openLength
      this.#left = isOpen ? this.#dataBytes || Number.POSITIVE_INFINITY : claimed
      this.#padding = isOpen ? 0 : claimed % 2
    }
    const hasSizes = name === 'ds64' && claimed >= sizesBytes
    this.#state = name === 'fmt ' ? 'format' : name === 'data' ? 'data' : hasSizes ? 'sizes' : 'skip'
  }

  #frames(bytes: Uint8Array, at: number): { samples: Float32Array; end: number } {
    const { frameBytes, channels, sampleAt, sampleBytes } = this.#layout!
    const count = Math.floor(Math.min(bytes.length - at, this.#left) / frameBytes)
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at)
    const samples = this.#isCounting ? silence(count) : new Float32Array(count)
    for (let index = 0; index < (this.#isCounting ? 0 : count); index++) {
      let sum = 0
      for (let channel = 0; channel < channels; channel++)
        sum += sampleAt(view, index * frameBytes + channel * sampleBytes)
      samples[index] = sum / channels
    }
    this.#left -= count * frameBytes
    if (this.#left < frameBytes) {
      this.#left += this.#padding
      this.#isHeard = true
      this.#state = 'skip'
    }
    return { samples, end: at + count * frameBytes }
  }

  #isIn(state: 'data'): boolean {
    return this.#state === state
  }

  #fail(fault: 'unsupported' | 'malformed' | 'truncated'): never {
    throw new SoundError(fault, this.mediaType)
  }
}

const riffNames: ReadonlySet<string> = new Set(['RIFF', 'RF64', 'BW64'])
/** The bytes of the chunk `ds64` that are read: the length of the file, and that of its samples. */
const sizesBytes = 16

/** Writers to a pipe leave the size at 0, or at the greatest of their integers: sound of 2 GB is not sent here. */
const openLength = 0x7fff_0000

const textAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))

interface Layout {
  rate: number
  channels: number
  sampleBytes: number
  frameBytes: number
  sampleAt: (view: DataView, at: number) => number
}

const extensible = 0xfffe

function layoutOf(view: DataView, at: number, size: number): Layout | undefined {
  const tag = view.getUint16(at, true)
  const format = tag === extensible && size >= 26 ? view.getUint16(at + 24, true) : tag
  const channels = view.getUint16(at + 2, true)
  const rate = view.getUint32(at + 4, true)
  const bits = view.getUint16(at + 14, true)
  const sampleAt = readers[`${format}:${bits}`]
  if (!sampleAt || channels < 1 || channels > 8 || rate < 4_000 || rate > 192_000) return undefined
  const sampleBytes = bits / 8
  return { rate, channels, sampleBytes, frameBytes: sampleBytes * channels, sampleAt }
}

/** Replaces what is not a number by silence, and cuts floats that are far too loud, so that no later sum overflows. */
const finite = (value: number): number => Math.max(-8, Math.min(8, value)) || 0

/** The readers of a sample, by format tag and bits. */
const readers: Record<string, Layout['sampleAt'] | undefined> = {
  '1:8': (view, at) => (view.getUint8(at) - 128) / 128,
  '1:16': (view, at) => view.getInt16(at, true) / 32_768,
  '1:24': (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608,
  '1:32': (view, at) => view.getInt32(at, true) / 2_147_483_648,
  '3:32': (view, at) => finite(view.getFloat32(at, true)),
  '3:64': (view, at) => finite(view.getFloat64(at, true)),
  '6:8': (view, at) => fromALaw(view.getUint8(at)),
  '7:8': (view, at) => fromMuLaw(view.getUint8(at)),
}

/** Decodes µ-law (ITU-T G.711). */
function fromMuLaw(byte: number): number {
  const code = ~byte & 0xff
  const magnitude = (((code & 0x0f) << 3) + 132) << ((code & 0x70) >> 4)
  return (code & 0x80 ? 132 - magnitude : magnitude - 132) / 32_768
}

function fromALaw(byte: number): number {
  const code = byte ^ 0x55
  const exponent = (code & 0x70) >> 4
  const mantissa = (code & 0x0f) << 4
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1)
  return (code & 0x80 ? magnitude : -magnitude) / 32_768
}
