import type { AudioCodec, EncodedPacket } from 'mediabunny'
import { SoundError } from '../fault.ts'
import { OggWriter } from '../ogg.ts'
import { vorbisComment } from '../vorbis-comment.ts'

export interface Elementary {
  bytes: Uint8Array
  /** What the codec's own head says is no sound at the beginning. */
  skipSeconds: number
}

/** The packets of a track as a file of their codec. Throws `SoundError`. */
export function elementaryOf(
  codec: AudioCodec,
  config: AudioDecoderConfig,
  packets: readonly EncodedPacket[],
): Elementary {
  const head = config.description && bytesOf(config.description)
  const sound = packets.map(({ data }) => data)
  if (codec === 'opus') return oggOf(head, config.numberOfChannels, sound)
  if (codec === 'mp3') return { bytes: Buffer.concat(sound), skipSeconds: 0 }
  if (codec === 'flac' && head?.toString('latin1', 0, 4) === 'fLaC')
    return { bytes: Buffer.concat([head, ...sound]), skipSeconds: 0 }
  const pcm = pcmCodecs[codec]
  if (pcm) return { bytes: wavOf(pcm, config, Buffer.concat(sound)), skipSeconds: 0 }
  throw new SoundError('unsupported', undefined, codec)
}

const bytesOf = (source: NonNullable<AudioDecoderConfig['description']>): Buffer =>
  ArrayBuffer.isView(source)
    ? Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    : Buffer.from(source)

/** Positions at which nothing is cut: the container says where the sound ends. */
const never = 1n << 50n
/** RFC 7845; also the most that one page has room for. */
const maxPacketBytes = 61_440

/** @param head as in Ogg, where both containers have it from (RFC 7845 section 5.1) */
function oggOf(head: Buffer | undefined, channels: number, packets: readonly Uint8Array[]): Elementary {
  const own =
    head && head.length >= 19 && head.toString('latin1', 0, 8) === 'OpusHead' ? head : headOf(channels)
  const skipSeconds = own.readUInt16LE(10) / 48_000
  const uncut = Buffer.from(own)
  uncut.writeUInt16LE(0, 10)
  const writer = new OggWriter(1, 1)
  const pages = [
    writer.header(uncut),
    writer.header(Buffer.concat([Buffer.from('OpusTags'), vorbisComment('kherad')])),
  ]
  for (const packet of packets) {
    if (packet.length > maxPacketBytes) throw new SoundError('malformed')
    pages.push(writer.packet(packet, never))
  }
  pages.push(writer.end(never))
  return { bytes: Buffer.concat(pages), skipSeconds }
}

/** Of files that leave it out: one stream, of one channel or two. */
function headOf(channels: number): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead')
  head.writeUInt8(1, 8)
  head.writeUInt8(channels === 1 ? 1 : 2, 9)
  return head
}

interface PcmCodec {
  /** Of RIFF WAVE. */
  tag: 1 | 3 | 6 | 7
  bits: number
  isBigEndian?: true
}

const pcmCodecs: Partial<Record<AudioCodec, PcmCodec>> = {
  'pcm-u8': { tag: 1, bits: 8 },
  'pcm-s16': { tag: 1, bits: 16 },
  'pcm-s16be': { tag: 1, bits: 16, isBigEndian: true },
  'pcm-s24': { tag: 1, bits: 24 },
  'pcm-s24be': { tag: 1, bits: 24, isBigEndian: true },
  'pcm-s32': { tag: 1, bits: 32 },
  'pcm-s32be': { tag: 1, bits: 32, isBigEndian: true },
  'pcm-f32': { tag: 3, bits: 32 },
  'pcm-f32be': { tag: 3, bits: 32, isBigEndian: true },
  'pcm-f64': { tag: 3, bits: 64 },
  'pcm-f64be': { tag: 3, bits: 64, isBigEndian: true },
  alaw: { tag: 6, bits: 8 },
  ulaw: { tag: 7, bits: 8 },
}

function wavOf(
  { tag, bits, isBigEndian }: PcmCodec,
  { sampleRate, numberOfChannels }: AudioDecoderConfig,
  samples: Buffer,
): Buffer {
  const frameBytes = (bits / 8) * numberOfChannels
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(tag, 20)
  head.writeUInt16LE(numberOfChannels, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate * frameBytes, 28)
  head.writeUInt16LE(frameBytes, 32)
  head.writeUInt16LE(bits, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, isBigEndian ? turned(samples, bits / 8) : samples])
}

function turned(samples: Buffer, sampleBytes: number): Buffer {
  const bytes = Buffer.alloc(samples.length)
  for (let at = 0; at + sampleBytes <= samples.length; at += sampleBytes)
    for (let index = 0; index < sampleBytes; index++)
      bytes[at + index] = samples[at + sampleBytes - 1 - index]!
  return bytes
}
