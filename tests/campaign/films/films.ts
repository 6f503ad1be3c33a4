/** Small films whose samples are nothing but bytes in their place, written by another writer than those of the product, and boxes for hostile ones. */
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'

export interface FilmOptions {
  width?: number
  height?: number
  pictures?: number
  fps?: number
  hasSound?: boolean
  /** `fragmented`: each second for itself. */
  index?: 'first' | 'last' | 'fragmented'
}

/** `avcC` with parameters that say nothing: no decoder sees them. */
const avcConfig = Buffer.from('0142c01effe100046742c01e010002 68ce'.replaceAll(' ', ''), 'hex')
const aacConfig = Buffer.from('1308', 'hex')

/** A unit of H.264 of so many bytes, with its length before it. */
const unit = (bytes: number): Buffer => {
  const sample = Buffer.alloc(4 + bytes, 0xab)
  sample.writeUInt32BE(bytes)
  return sample
}

export async function film(options: FilmOptions = {}): Promise<Buffer> {
  const { width = 640, height = 360, pictures = 20, fps = 10, hasSound = true, index = 'last' } = options
  const target = new BufferTarget()
  const fastStart = ({ first: 'in-memory', last: false, fragmented: 'fragmented' } as const)[index]
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart, minimumFragmentDuration: 1 }),
    target,
  })
  const video = new EncodedVideoPacketSource('avc')
  const audio = new EncodedAudioPacketSource('aac')
  output.addVideoTrack(video)
  if (hasSound) output.addAudioTrack(audio)
  await output.start()
  const videoConfig = { codec: 'avc1.42c01e', codedWidth: width, codedHeight: height, description: avcConfig }
  const audioConfig = { codec: 'mp4a.40.2', sampleRate: 24_000, numberOfChannels: 1, description: aacConfig }
  for (let at = 0; at < pictures; at++) {
    const type = at % fps === 0 ? 'key' : 'delta'
    const packet = new EncodedPacket(unit(10 + (at % 7)), type, at / fps, 1 / fps)
    await video.add(packet, { decoderConfig: videoConfig })
    if (hasSound)
      await audio.add(new EncodedPacket(Buffer.alloc(5 + (at % 3), 0xcd), 'key', at / fps, 1 / fps), {
        decoderConfig: audioConfig,
      })
  }
  await output.finalize()
  return Buffer.from(target.buffer!)
}

export function box(name: string, ...content: Uint8Array[]): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(8), ...content])
  bytes.writeUInt32BE(bytes.length)
  bytes.write(name, 4, 'latin1')
  return bytes
}

export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

const halves = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index)
  return bytes
}

export interface Index {
  samples: number
  /** Of each sample. */
  size: number
  /** Of each chunk. */
  offsets: number[]
  /** Samples of a chunk. */
  each?: number
  width?: number
  height?: number
  /** Ticks of a sample, of which a second has 1,000. */
  ticks?: number
  handler?: string
  entry?: string
}

export const fileType = box('ftyp', Buffer.from('isom'), words(512), Buffer.from('isommp42'))
const matrix = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

/** An index with one track, as it is asked for: of a codec without units, unless the name of its entry says otherwise. */
// biome-ignore format: a tree
export function indexOf({ samples, size, offsets, each = samples, width = 64, height = 64, ticks = 100, handler = 'vide', entry = 'vp09' }: Index): Buffer {
  const description = box(entry, Buffer.alloc(6), halves(1), Buffer.alloc(16), halves(width, height), Buffer.alloc(50))
  return box('moov',
    box('mvhd', words(0, 0, 0, 1_000, 0, 0x10000, 0x1000000, 0, 0), matrix, Buffer.alloc(24), words(2)),
    box('trak',
      box('tkhd', words(7, 0, 0, 1, 0, 0, 0, 0, 0, 0), matrix, words(width * 65_536, height * 65_536)),
      box('mdia',
        box('mdhd', words(0, 0, 0, 1_000, 0, 0x55c40000)),
        box('hdlr', words(0, 0), Buffer.from(handler), words(0, 0, 0), Buffer.from([0])),
        box('minf', box('stbl',
          box('stsd', words(0, 1), description),
          box('stts', words(0, 1, samples, ticks)),
          box('stsc', words(0, 1, 1, each, 1)),
          box('stsz', words(0, size, samples)),
          box('stco', words(0, offsets.length), words(...offsets)))))))
}
