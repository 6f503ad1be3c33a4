import { type Box, outerBoxes } from './boxes.ts'
import { VideoError } from './fault.ts'
import { type FragmentedTrack, samplesInFragments } from './fragments.ts'
import { type Sample, samplesIn } from './samples.ts'
import type { VideoSource } from './source.ts'
import { type Track, tracksOf } from './track.ts'

/** The measures of a video, as its bytes state them. */
export interface ProbedVideo {
  mediaType: 'video/mp4'
  /** The codec as ffprobe names it, such as `h264`. */
  codec: string
  /** The size in pixels as the video is shown, turned where the file says so. */
  width: number
  height: number
  /** The length of the picture track. */
  seconds: number
  hasAudio: boolean
  audioCodec?: string
  /** Pictures a second, on average. */
  fps: number
}

/** The tables of a film of half a minute have some kilobytes, those of an hour one megabyte. */
const maxMovieBytes = 32 * 1024 * 1024
/** Longer than any video that is ordered; a file that declares more is an attack on whoever charges by its length. */
const maxSeconds = 12 * 60 * 60
/** The most seconds by which a table may end before the length that the track declares: last samples are often rounded. */
const maxMissingSeconds = 0.5

/**
 * Reads the outline of an mp4, with its index at the beginning or the end or in fragments: nothing is decoded, and no more is read than tables and
 * the lengths before the NAL units. Every sample has to lie in the file, within its boxes of media, and all samples together may not have more bytes
 * than those boxes. Throws `VideoError`.
 */
export function probeVideo(source: VideoSource): ProbedVideo {
  if (source.bytes === 0) throw new VideoError('empty')
  refuseOthers(source)
  const boxes = outerBoxes(source)
  const box = boxes.find(({ type }) => type === 'moov')
  // The `moov` box often stands at the end of the file.
  if (!box) throw new VideoError('truncated')
  if (box.to - box.from > maxMovieBytes) throw new VideoError('malformed')
  const movie = source.read(box.from, box.to - box.from)
  const media = new MediaBytes(source, boxes)
  const fragments = samplesInFragments(source, boxes, movie)
  const tracks = tracksOf(movie).map((track) => ({
    ...track,
    ...measureTrack(track, fragments.get(track.id), media),
  }))
  const pictures = tracks.filter(({ kind, count }) => kind === 'video' && count > 0)
  if (pictures.length === 0) throw new VideoError('no_track')
  const film = pictures.find(({ isKnown }) => isKnown)
  if (!film) throw new VideoError('unsupported', pictures[0]!.codec)
  const sound = tracks.find(({ kind, count }) => kind === 'audio' && count > 0)
  return {
    mediaType: 'video/mp4',
    codec: film.codec,
    ...film.picture!,
    seconds: film.seconds,
    hasAudio: sound !== undefined,
    ...(sound && { audioCodec: sound.codec }),
    fps: film.fps,
  }
}

/** Brands of ISO 14496-12 files that are pictures or sound, not films. */
const foreignBrands = ['avif', 'avis', 'heic', 'heix', 'hevc', 'mif1', 'msf1', 'crx ', 'M4A ', 'M4B ']

/** Refuses a file whose first bytes show that it is something else. */
function refuseOthers(source: VideoSource): void {
  const head = source.read(0, Math.min(64, source.bytes))
  if (head.toString('latin1', 0, 4) === '\x1a\x45\xdf\xa3')
    throw new VideoError('unsupported', head.includes('webm') ? 'video/webm' : 'video/x-matroska')
  if (head.toString('latin1', 4, 8) !== 'ftyp') return
  const brand = head.toString('latin1', 8, 12)
  if (brand === 'qt  ') throw new VideoError('unsupported', 'video/quicktime')
  if (foreignBrands.includes(brand)) throw new VideoError('not_video')
}

/** The boxes in which samples may lie, and how many of their bytes are left for further samples. */
class MediaBytes {
  readonly source: VideoSource
  readonly #boxes: Box[]
  #left: number

  constructor(source: VideoSource, boxes: readonly Box[]) {
    this.source = source
    this.#boxes = boxes.filter(({ type }) => type === 'mdat')
    this.#left = this.#boxes.reduce((sum, { from, to }) => sum + to - from, 0)
  }

  /** Throws `VideoError` where the sample does not lie within a box of media. */
  checkSample({ at, bytes }: Sample): void {
    if (at + bytes > this.source.bytes) throw new VideoError('truncated')
    let [low, high] = [0, this.#boxes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#boxes[middle]!.to < at + bytes) low = middle + 1
      else high = middle
    }
    const box = this.#boxes[low]
    if (!box || at < box.from) throw new VideoError('malformed')
    this.#left -= bytes
    if (this.#left < 0) throw new VideoError('malformed')
  }
}

interface TrackMeasures {
  count: number
  seconds: number
  fps: number
}

function measureTrack(
  track: Track,
  fragmented: FragmentedTrack | undefined,
  media: MediaBytes,
): TrackMeasures {
  const own = samplesIn(track)
  const count = own.count + (fragmented?.samples.length ?? 0)
  const ticks = own.ticks + (fragmented?.ticks ?? 0)
  if (count === 0) return { count, seconds: 0, fps: 0 }
  const whole = ticks / track.timescale
  if (whole === 0 || whole > maxSeconds) throw new VideoError('malformed')
  if (!fragmented && track.declaredTicks / track.timescale - whole > maxMissingSeconds)
    throw new VideoError('truncated')
  const units =
    track.nalLengthBytes === undefined ? undefined : new NalUnits(media.source, track.nalLengthBytes)
  for (const samples of [own.each(), fragmented?.samples ?? []])
    for (const sample of samples) {
      media.checkSample(sample)
      units?.checkSample(sample)
    }
  return { count, seconds: Math.min(whole, track.shownSeconds ?? whole), fps: count / whole }
}

/** The most units of all pictures together; a picture of 4K has some tens at most. */
const maxUnits = 500_000

/** A picture of H.264 or HEVC consists of units, each with its length before it; bytes that are no picture, such as zeros, do not. */
class NalUnits {
  readonly #source: VideoSource
  readonly #lengthBytes: number
  #left = maxUnits

  constructor(source: VideoSource, lengthBytes: number) {
    this.#source = source
    this.#lengthBytes = lengthBytes
  }

  /** Throws `malformed` where the units do not fill the sample exactly. */
  checkSample(sample: Sample): void {
    const end = sample.at + sample.bytes
    let at = sample.at
    while (at + this.#lengthBytes < end) {
      const length = this.#source.read(at, this.#lengthBytes).readUIntBE(0, this.#lengthBytes)
      this.#left -= 1
      if (length === 0 || this.#left < 0) throw new VideoError('malformed')
      at += this.#lengthBytes + length
    }
    if (at !== end || sample.bytes === 0) throw new VideoError('malformed')
  }
}
