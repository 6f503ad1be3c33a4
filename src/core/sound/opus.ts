import { type Codec, type CodecOptions, rateFor } from './codec.ts'
import { OggWriter } from './ogg.ts'
import { concatSamples } from './pcm.ts'
import { vorbisComment } from './vorbis-comment.ts'

const rates = [8_000, 12_000, 16_000, 24_000, 48_000] as const
/** Positions of an Opus stream are samples at this rate, whatever the rate of the input. */
const clock = 48_000
const packetMs = 20
/** A page each fifth of a second: small enough to be heard at once, and 28 bytes of header for about 1,000. */
const packetsPerPage = 10
const bitrate = 32_000

/** Opus in Ogg (RFC 7845), by libopus. */
export async function openOpus(rate: number, { note }: CodecOptions): Promise<Codec> {
  const { Application, createEncoder, Signal } = await import('libopus-wasm')
  const own = rateFor(rate, rates)
  const frameSize = (own * packetMs) / 1_000
  const encoder = await createEncoder({
    channels: 1,
    sampleRate: own,
    frameSize,
    application: Application.Audio,
    signal: Signal.Voice,
    bitrate,
    complexity: 5,
  })
  // How many samples of the decoded sound precede the first sample of the input.
  const lookahead = encoder.getLookahead()
  const stream = new OggWriter(1, packetsPerPage)
  const scale = clock / own
  let waiting = new Float32Array(0)
  let taken = 0
  let packets = 0
  const pages: Uint8Array[] = [
    stream.header(opusHead({ channels: 1, preSkip: lookahead * scale, rate })),
    stream.header(Buffer.concat([Buffer.from('OpusTags'), vorbisComment('kherad', note)])),
  ]
  const encode = (samples: Float32Array): void => {
    waiting = concatSamples([waiting, samples]) as Float32Array<ArrayBuffer>
    let at = 0
    for (; at + frameSize <= waiting.length; at += frameSize) {
      packets += 1
      const packet = encoder.encodeFloat(waiting.subarray(at, at + frameSize))
      pages.push(stream.packet(packet, BigInt(packets * frameSize * scale)))
    }
    waiting = waiting.slice(at)
  }
  return {
    rate: own,
    write: (samples) => {
      taken += samples.length
      encode(samples)
      return Buffer.concat(pages.splice(0))
    },
    end: () => {
      const missing = taken + lookahead - packets * frameSize
      encode(new Float32Array(Math.ceil(missing / frameSize) * frameSize - waiting.length))
      pages.push(stream.end(BigInt((taken + lookahead) * scale)))
      return Buffer.concat(pages.splice(0))
    },
    close: () => encoder.free(),
  }
}

/** @param preSkip samples at 48 kHz that precede the first one @param rate the rate of the input, for people */
export function opusHead({
  channels,
  preSkip,
  rate,
}: {
  channels: number
  preSkip: number
  rate: number
}): Uint8Array {
  const head = Buffer.alloc(19)
  head.write('OpusHead')
  head[8] = 1 // version
  head[9] = channels
  head.writeUInt16LE(preSkip, 10)
  head.writeUInt32LE(rate, 12)
  return head
}
