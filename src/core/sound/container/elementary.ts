import type { AudioCodec } from 'mediabunny'
import { adtsHeadOf, maxAdtsBytes } from '../adts.ts'
import { SoundError } from '../fault.ts'
import { OggWriter } from '../ogg.ts'
import { vorbisComment } from '../vorbis-comment.ts'

/** Writes the packets of a track as a file of their codec, each as it comes. */
export interface ElementaryWriter {
  packet(data: Uint8Array): Uint8Array
  end(): Uint8Array
  /** The seconds at the beginning that are no sound, as the codec's own head states. */
  skipSeconds: number
}

/** The writer for a codec. Throws `SoundError` for a codec that is not read here. */
export function openElementaryWriter(codec: AudioCodec, config: AudioDecoderConfig): ElementaryWriter {
  const head = config.description && bytesOf(config.description)
  if (codec === 'opus') return opusWriter(head, config.numberOfChannels)
  if (codec === 'vorbis' && head) return vorbisWriter(head)
  if (codec === 'aac' && head) return aacWriter(head)
  if (codec === 'mp3') return writeAfterHead(new Uint8Array(0))
  if (codec === 'flac' && head?.toString('latin1', 0, 4) === 'fLaC') return writeAfterHead(head)
  const pcm = pcmCodecs[codec]
  if (!pcm) throw new SoundError('unsupported', undefined, codec)
  return writeAfterHead(wavHeadOf(pcm, config), pcm.isBigEndian ? pcm.bits / 8 : 1)
}

/** Writes packets one after another, after a head. */
function writeAfterHead(head: Uint8Array, swappedBytes = 1): ElementaryWriter {
  let first: Uint8Array = head
  return {
    packet: (data) => {
      const bytes = Buffer.concat([first, swappedBytes > 1 ? swapBytes(data, swappedBytes) : data])
      first = new Uint8Array(0)
      return bytes
    },
    end: () => first,
    skipSeconds: 0,
  }
}

const bytesOf = (source: NonNullable<AudioDecoderConfig['description']>): Buffer =>
  ArrayBuffer.isView(source)
    ? Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    : Buffer.from(source)

/** A position that is never reached, so that nothing is cut: the container states where the sound ends. */
const unreachablePosition = 1n << 50n
/** The most bytes of a packet (RFC 7845), and the most that one page has room for. */
const maxPacketBytes = 61_440
/** The packets of a page: a second of most sounds. */
const packetsPerPage = 50

function oggWriter(heads: readonly Uint8Array[], skipSeconds: number): ElementaryWriter {
  const writer = new OggWriter(1, packetsPerPage)
  let first = Buffer.concat(heads.map((head) => writer.header(head)))
  const after = (bytes: Uint8Array): Uint8Array => {
    const whole = first.length > 0 ? Buffer.concat([first, bytes]) : bytes
    first = Buffer.alloc(0)
    return whole
  }
  return {
    packet: (data) => {
      if (data.length > maxPacketBytes) throw new SoundError('malformed')
      return after(writer.packet(data, unreachablePosition))
    },
    end: () => after(writer.end(unreachablePosition)),
    skipSeconds,
  }
}

/** @param head the head as Ogg has it, which both containers use (RFC 7845 section 5.1) */
function opusWriter(head: Buffer | undefined, channels: number): ElementaryWriter {
  const isHead = head && head.length >= 19 && head.toString('latin1', 0, 8) === 'OpusHead'
  const own = isHead ? head : defaultOpusHead(channels)
  const uncut = Buffer.from(own)
  uncut.writeUInt16LE(0, 10)
  const comments = Buffer.concat([Buffer.from('OpusTags'), vorbisComment('kherad')])
  return oggWriter([uncut, comments], own.readUInt16LE(10) / 48_000)
}

/** @param description the three heads, after the lengths of the first two in Xiph's lacing */
function vorbisWriter(description: Buffer): ElementaryWriter {
  const lengths: number[] = []
  let at = 1
  while (description[0] === 2 && lengths.length < 2 && at < description.length) {
    let length = 0
    while (description[at] === 255) {
      length += 255
      at += 1
    }
    lengths.push(length + (description[at++] ?? 0))
  }
  const [head = 0, comments = 0] = lengths
  const setup = at + head + comments
  if (lengths.length < 2 || setup >= description.length || description.length > maxPacketBytes)
    throw new SoundError('malformed')
  const heads = [
    description.subarray(at, at + head),
    Buffer.concat([Buffer.from('\x03vorbis'), vorbisComment('kherad'), Buffer.of(1)]),
  ]
  return oggWriter([...heads, description.subarray(setup)], 0)
}

function aacWriter(config: Buffer): ElementaryWriter {
  const headFor = adtsHeadOf(config)
  if (!headFor) throw new SoundError('unsupported', undefined, 'xhe-aac')
  return {
    packet: (data) => {
      if (data.length === 0 || data.length > maxAdtsBytes) throw new SoundError('malformed')
      return Buffer.concat([headFor(data.length), data])
    },
    end: () => new Uint8Array(0),
    skipSeconds: 0,
  }
}

/** The head for files that leave it out: one stream, of one channel or two. */
function defaultOpusHead(channels: number): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead')
  head.writeUInt8(1, 8)
  head.writeUInt8(channels === 1 ? 1 : 2, 9)
  return head
}

/** The bytes of one sample of all channels of PCM; undefined for other codecs. */
export function pcmSampleBytes(codec: AudioCodec, channels: number): number | undefined {
  const pcm = pcmCodecs[codec]
  return pcm && (pcm.bits / 8) * channels
}

interface PcmCodec {
  /** The format tag of RIFF WAVE. */
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

/** A WAV head of open length, since the packets are still to come. */
function wavHeadOf(
  { tag, bits }: PcmCodec,
  { sampleRate, numberOfChannels }: AudioDecoderConfig,
): Uint8Array {
  const frameBytes = (bits / 8) * numberOfChannels
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(0xffff_ffff, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(tag, 20)
  head.writeUInt16LE(numberOfChannels, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate * frameBytes, 28)
  head.writeUInt16LE(frameBytes, 32)
  head.writeUInt16LE(bits, 34)
  head.write('data', 36)
  head.writeUInt32LE(0xffff_ffff, 40)
  return head
}

function swapBytes(samples: Uint8Array, sampleBytes: number): Buffer {
  const bytes = Buffer.alloc(samples.length)
  for (let at = 0; at + sampleBytes <= samples.length; at += sampleBytes)
    for (let index = 0; index < sampleBytes; index++)
      bytes[at + index] = samples[at + sampleBytes - 1 - index]!
  return bytes
}
