/**
 * Writes an mp4 (ISO 14496-12) whose index stands before its media, so that it plays while it comes. `mediabunny` can do this too, but writes the
 * current time into the file: here the same video is always the same bytes.
 */
import type { PixelSize } from '#core/turn'
import { fps } from './layout.ts'

/** Frames of AAC-LC of one channel, without their ADTS heads. */
export interface EncodedSound {
  frames: Uint8Array[]
  rate: number
  /** Samples before the sound begins, as every encoder of AAC puts there. */
  delay: number
  /** Samples of the sound itself. */
  samples: number
}

/** Samples of a frame. */
export const frameSamples = 1024

/** What a file says of the program that made it. */
export interface Origin {
  /** The note for people. */
  note: string
  /** The document for programs. */
  xmp: string
}

export interface Mp4Content {
  origin: Origin
  size: PixelSize
  /** Units of H.264: the parameters of the stream, and those of its pictures. */
  sequence: Uint8Array
  parameters: Uint8Array
  /** The units of each picture, second by second; the first of each second needs no other. */
  seconds: (readonly Uint8Array[])[][]
  sound: EncodedSound | undefined
}

/** The ticks of a second, in the movie and in its pictures. */
const movieScale = 1_000
const pictureScale = fps * 512
const pictureTicks = 512

export function mp4Of(film: Mp4Content): Buffer {
  const { seconds, sound } = film
  const pictures = seconds.map((units) => units.map(sampleOf))
  const sounds = sound ? soundBySecond(sound, seconds.length) : []
  const chunks = seconds.flatMap((_, second) => [
    { track: 1, samples: pictures[second]! },
    ...(sounds[second]?.length ? [{ track: 2, samples: sounds[second] }] : []),
  ])
  const type = box('ftyp', 'isom', u32(512), 'isomiso2avc1mp41')
  // The length of the index does not depend on what is in it.
  const before = type.length + movieOf(film, chunks, 0).length + xmpOf(film).length + 8
  const media = chunks.flatMap(({ samples }) => samples)
  return Buffer.concat([type, movieOf(film, chunks, before), xmpOf(film), box('mdat', ...media)])
}

interface Chunk {
  track: number
  samples: Uint8Array[]
}

/** A sample: each unit with its length before it. */
const sampleOf = (units: readonly Uint8Array[]): Buffer =>
  Buffer.concat(units.flatMap((unit) => [u32(unit.length), unit]))

/** The frames of sound of each second, which stand behind its pictures. */
function soundBySecond({ frames, rate }: EncodedSound, seconds: number): Uint8Array[][] {
  const last = (second: number) =>
    second === seconds ? frames.length : Math.ceil((second * rate) / frameSamples)
  return Array.from({ length: seconds }, (_, second) => frames.slice(last(second), last(second + 1)))
}

type BoxPart = string | Uint8Array

function box(name: string, ...parts: readonly BoxPart[]): Buffer {
  const content = parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))
  const length = content.reduce((sum, part) => sum + part.length, 8)
  return Buffer.concat([u32(length), Buffer.from(name, 'latin1'), ...content])
}

const full = (name: string, flags: number, ...parts: readonly BoxPart[]): Buffer =>
  box(name, u32(flags), ...parts)

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index)
  return bytes
}

const u8 = (...values: number[]): Buffer => Buffer.from(values)
const zeros = (length: number): Buffer => Buffer.alloc(length)
/** The matrix of a picture that is neither turned nor stretched. */
const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

/** @param mediaAt where the media of the first chunk begin */
function movieOf(film: Mp4Content, chunks: readonly Chunk[], mediaAt: number): Buffer {
  const { seconds, sound } = film
  const ticks = seconds.length * movieScale
  const placed = placesOf(chunks, mediaAt)
  const head = full(
    'mvhd',
    0,
    u32(0, 0, movieScale, ticks, 0x10000),
    u16(0x100),
    zeros(10),
    matrix,
    zeros(24),
    u32(3),
  )
  return box(
    'moov',
    head,
    pictureTrack(film, placed, ticks),
    ...(sound ? [soundTrack(sound, placed, ticks)] : []),
    box('udta', tags(film.origin)),
  )
}

interface PlacedChunk extends Chunk {
  at: number
}

function placesOf(chunks: readonly Chunk[], mediaAt: number): PlacedChunk[] {
  let at = mediaAt
  return chunks.map((chunk) => {
    const placed = { ...chunk, at }
    at += chunk.samples.reduce((sum, { length }) => sum + length, 0)
    return placed
  })
}

interface TrackParts {
  id: number
  /** The length of the track, in ticks of the movie. */
  ticks: number
  size?: PixelSize
  /** The tick of the media from which on they are shown. */
  start: number
  media: { scale: number; ticks: number; handler: string; head: Buffer }
  tables: Buffer[]
}

function trackOf({ id, ticks, size, start, media, tables }: TrackParts): Buffer {
  const { width, height } = size ?? { width: 0, height: 0 }
  const isSound = size === undefined
  const head = full(
    'tkhd',
    3,
    u32(0, 0, id, 0, ticks, 0, 0),
    u16(0, isSound ? 1 : 0, isSound ? 0x100 : 0, 0),
    matrix,
    u32(width * 65_536, height * 65_536),
  )
  const data = box('dinf', full('dref', 0, u32(1), full('url ', 1)))
  return box(
    'trak',
    head,
    box('edts', full('elst', 0, u32(1, ticks, start, 0x10000))),
    box(
      'mdia',
      full('mdhd', 0, u32(0, 0, media.scale, media.ticks), u16(0x55c4, 0)),
      full('hdlr', 0, u32(0), media.handler, zeros(12), 'Kherad sandbox\0'),
      box('minf', media.head, data, box('stbl', ...tables)),
    ),
  )
}

function pictureTrack(
  { size, sequence, parameters, seconds }: Mp4Content,
  chunks: readonly PlacedChunk[],
  ticks: number,
): Buffer {
  const own = chunks.filter(({ track }) => track === 1)
  const count = seconds.length * fps
  const entry = box(
    'avc1',
    zeros(6),
    u16(1),
    zeros(16),
    u16(size.width, size.height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    zeros(32),
    u16(24, 0xffff),
    box(
      'avcC',
      u8(1, ...sequence.subarray(1, 4), 0xff, 0xe1),
      u16(sequence.length),
      sequence,
      u8(1),
      u16(parameters.length),
      parameters,
    ),
    box('colr', 'nclx', u16(1, 1, 1), u8(0)),
  )
  return trackOf({
    id: 1,
    ticks,
    size,
    start: 0,
    media: {
      scale: pictureScale,
      ticks: count * pictureTicks,
      handler: 'vide',
      head: full('vmhd', 1, zeros(8)),
    },
    tables: [
      full('stsd', 0, u32(1), entry),
      full('stts', 0, u32(1, count, pictureTicks)),
      full('stss', 0, u32(seconds.length, ...seconds.map((_, second) => second * fps + 1))),
      ...placesIn(own),
    ],
  })
}

function soundTrack(
  { frames, rate, delay, samples }: EncodedSound,
  chunks: readonly PlacedChunk[],
  ticks: number,
): Buffer {
  const own = chunks.filter(({ track }) => track === 2)
  const all = delay + samples
  const last = all - (frames.length - 1) * frameSamples
  return trackOf({
    id: 2,
    ticks,
    start: delay,
    media: { scale: rate, ticks: all, handler: 'soun', head: full('smhd', 0, zeros(4)) },
    tables: [
      full(
        'stsd',
        0,
        u32(1),
        box('mp4a', zeros(6), u16(1), zeros(8), u16(1, 16, 0, 0), u32(rate * 65_536), esds(rate)),
      ),
      full('stts', 0, u32(2, frames.length - 1, frameSamples, 1, last)),
      ...placesIn(own),
      // The frame before the beginning of the sound has to be decoded too.
      full('sgpd', 0x1000000, 'roll', u32(2, 1), u16(0xffff)),
      full('sbgp', 0, 'roll', u32(1, frames.length, 1)),
    ],
  })
}

/** The tables of how many samples each chunk has, how long each is, and where the chunks begin. */
function placesIn(chunks: readonly PlacedChunk[]): Buffer[] {
  const runs = chunks.map(({ samples }) => samples.length)
  const firsts = runs.flatMap((count, index) => (count === runs[index - 1] ? [] : [index]))
  const sizes = chunks.flatMap(({ samples }) => samples.map(({ length }) => length))
  return [
    full('stsc', 0, u32(firsts.length, ...firsts.flatMap((index) => [index + 1, runs[index]!, 1]))),
    full('stsz', 0, u32(0, sizes.length, ...sizes)),
    full('stco', 0, u32(chunks.length, ...chunks.map(({ at }) => at))),
  ]
}

const adtsRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000]

/** The description of AAC-LC of one channel, by ISO 14496-1. */
function esds(rate: number): Buffer {
  const descriptor = (tag: number, ...parts: Buffer[]): Buffer => {
    const content = Buffer.concat(parts)
    return Buffer.concat([u8(tag, content.length), content])
  }
  const specific = u16((2 << 11) | (adtsRates.indexOf(rate) << 7) | (1 << 3))
  const decoder = descriptor(4, u8(0x40, 0x15, 0, 0, 0), u32(64_000, 64_000), descriptor(5, specific))
  return full('esds', 0, descriptor(3, u16(2), u8(0), decoder, descriptor(6, u8(2))))
}

/** The note as names for people, as players show them. */
function tags({ note }: Origin): Buffer {
  const tag = (name: string, value: string): Buffer => box(name, box('data', u32(1, 0), Buffer.from(value)))
  const handler = full('hdlr', 0, u32(0), 'mdirappl', zeros(9))
  return full('meta', 0, handler, box('ilst', tag('\xa9too', 'Kherad sandbox'), tag('\xa9cmt', note)))
}

/** The document for programs, at the place of XMP in an mp4. */
const xmpOf = ({ origin }: Mp4Content): Buffer =>
  box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), Buffer.from(origin.xmp))
