/** The tracks of an mp4 without their samples: what they are, how long, and how they are coded. */
import { contentAt, contentOf, FieldReader, innerBoxes } from './boxes.ts'
import { VideoError } from './fault.ts'

export interface Track {
  id: number
  kind: 'video' | 'audio'
  codec: string
  /** Whether the codec is one that is known here. */
  isKnown: boolean
  /** Ticks a second. */
  timescale: number
  /** The length in ticks, as the head of the track declares it; 0 if it declares none. */
  declaredTicks: number
  /** The seconds of the track that an edit list shows; undefined where all are shown. */
  shownSeconds: number | undefined
  picture: { width: number; height: number } | undefined
  /** For codecs in NAL units, the bytes of the length before each unit. */
  nalLengthBytes: number | undefined
  /** `stbl`: the tables of the track's samples, empty where the samples stand in fragments. */
  tables: Buffer
}

/** Larger sides than any screen has; no codec's level goes beyond. */
const maxSide = 16_384
const maxPixels = 8_192 * 8_192
/** No vendor's film has more tracks. Each track is read whole. */
const maxTracks = 32

/** The tracks of picture and sound, in their order. Throws `VideoError`. */
export function tracksOf(movie: Buffer): Track[] {
  const movieTimescale = headerOf(contentOf(movie, 'mvhd'))?.timescale ?? 0
  const boxes = innerBoxes(movie).filter(({ type }) => type === 'trak')
  if (boxes.length > maxTracks) throw new VideoError('malformed')
  return boxes.flatMap(({ from, to }) => trackOf(movie.subarray(from, to), movieTimescale) ?? [])
}

function trackOf(track: Buffer, movieTimescale: number): Track | undefined {
  const handler = contentAt(track, 'mdia', 'hdlr')
  const kind = handler && kinds[new FieldReader(handler, 8).text(4)]
  if (!kind) return undefined
  const head = contentOf(track, 'tkhd')
  const media = headerOf(contentAt(track, 'mdia', 'mdhd'))
  const tables = contentAt(track, 'mdia', 'minf', 'stbl')
  const descriptions = tables && contentOf(tables, 'stsd')
  if (!head || !media || media.timescale === 0 || !descriptions) throw new VideoError('malformed')
  const [entry] = innerBoxes(descriptions, 8)
  if (!entry) throw new VideoError('malformed')
  const content = descriptions.subarray(entry.from, entry.to)
  const { id, isTurned } = headOfTrack(head)
  return {
    id,
    kind,
    ...codecOf(kind, entry.type, content),
    timescale: media.timescale,
    declaredTicks: media.ticks,
    shownSeconds: shownOf(contentAt(track, 'edts', 'elst'), movieTimescale),
    picture: kind === 'video' ? pictureOf(content, isTurned) : undefined,
    tables,
  }
}

const kinds: Record<string, Track['kind']> = { vide: 'video', soun: 'audio' }

/** `mvhd` and `mdhd` begin alike: version, times, ticks of a second, duration (all ones: unknown). */
function headerOf(content: Buffer | undefined): { timescale: number; ticks: number } | undefined {
  if (!content) return undefined
  const fields = new FieldReader(content)
  const isLong = fields.u8() === 1
  const timescale = fields.skip(isLong ? 19 : 11).u32()
  const ticks = isLong ? fields.u64() : fields.u32()
  const isUnknown = ticks >= (isLong ? 2 ** 63 : 0xffff_ffff)
  return { timescale, ticks: isUnknown ? 0 : ticks }
}

/** The id of a track, and whether the track is shown on its side, as phones record. */
function headOfTrack(content: Buffer): { id: number; isTurned: boolean } {
  const fields = new FieldReader(content)
  const isLong = fields.u8() === 1
  const id = fields.skip(isLong ? 19 : 11).u32()
  const [a, b] = [fields.skip(isLong ? 28 : 24).i32(), fields.i32()]
  return { id, isTurned: a === 0 && b !== 0 }
}

function pictureOf(entry: Buffer, isTurned: boolean): { width: number; height: number } {
  const fields = new FieldReader(entry, 24)
  const [width, height] = [fields.u16(), fields.u16()]
  if (width === 0 || height === 0 || Math.max(width, height) > maxSide || width * height > maxPixels)
    throw new VideoError('malformed')
  return isTurned ? { width: height, height: width } : { width, height }
}

/** The names that ffprobe has for codecs, by the name of their sample entry. */
const videoCodecs: Record<string, string> = {
  avc1: 'h264',
  avc3: 'h264',
  hvc1: 'hevc',
  hev1: 'hevc',
  av01: 'av1',
  vp08: 'vp8',
  vp09: 'vp9',
  mp4v: 'mpeg4',
}
const audioCodecs: Record<string, string> = {
  mp4a: 'aac',
  '.mp3': 'mp3',
  Opus: 'opus',
  fLaC: 'flac',
  alac: 'alac',
  'ac-3': 'ac3',
  'ec-3': 'eac3',
}
/** The bytes of a picture's sample entry before its own boxes. */
const pictureEntryBytes = 78

function codecOf(
  kind: Track['kind'],
  name: string,
  entry: Buffer,
): Pick<Track, 'codec' | 'isKnown' | 'nalLengthBytes'> {
  const codec = (kind === 'video' ? videoCodecs : audioCodecs)[name]
  const nalLengthBytes = codec === 'h264' || codec === 'hevc' ? nalLengthOf(codec, entry) : undefined
  return { codec: codec ?? name.replace(/[^ -~]/g, '?').trim(), isKnown: codec !== undefined, nalLengthBytes }
}

function nalLengthOf(codec: 'h264' | 'hevc', entry: Buffer): number {
  const boxes = innerBoxes(entry, Math.min(pictureEntryBytes, entry.length))
  const box = boxes.find(({ type }) => type === (codec === 'h264' ? 'avcC' : 'hvcC'))
  if (!box) throw new VideoError('malformed')
  const fields = new FieldReader(entry.subarray(box.from, box.to))
  return (fields.skip(codec === 'h264' ? 4 : 21).u8() & 3) + 1
}

/** The seconds of a track that its edit list shows. The list also names the pauses before them, which do not count. */
function shownOf(list: Buffer | undefined, movieTimescale: number): number | undefined {
  if (!list || movieTimescale === 0) return undefined
  const fields = new FieldReader(list)
  const isLong = fields.u8() === 1
  const rows = fields.skip(3).count(isLong ? 20 : 12)
  let ticks = 0
  for (let row = 0; row < rows; row++) {
    const length = isLong ? fields.u64() : fields.u32()
    const start = isLong ? fields.i64() : fields.i32()
    fields.skip(4)
    if (start >= 0) ticks += length
  }
  // In files of fragments the length is not known when the list is written.
  return ticks === 0 ? undefined : ticks / movieTimescale
}
