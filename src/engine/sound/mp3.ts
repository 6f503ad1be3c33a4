import { type Codec, type CodecOptions, noBytes, rateFor } from './codec.ts'
import { commentTag } from './id3.ts'

const rates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]

/** MPEG layer III at a constant bit rate, by LAME. */
export async function openMp3({ rate, note }: CodecOptions): Promise<Codec> {
  const { createMp3Encoder } = await import('wasm-media-encoders')
  const encoder = await createMp3Encoder()
  const own = rateFor(rate, rates)
  encoder.configure({
    channels: 1,
    sampleRate: own,
    outputSampleRate: own as 24_000,
    bitrate: bitrateOf(own),
  })
  let tag = note ? commentTag(note) : noBytes
  // What the encoder answers lies in its own memory, and is overwritten by the next call.
  const copied = (bytes: Uint8Array): Uint8Array => {
    const copy = Buffer.concat([tag, bytes])
    tag = noBytes
    return copy
  }
  return {
    rate: own,
    write: (samples) => copied(encoder.encode([samples])),
    end: () => copied(encoder.finalize()),
    close: () => {},
  }
}

/** In kbit/s, for one channel. MPEG 2.5, below 16 kHz, has 64 at most. */
const bitrateOf = (rate: number): 32 | 64 | 96 => (rate < 16_000 ? 32 : rate < 32_000 ? 64 : 96)
