import { hasText, sniff, viewOf } from '#core/magic'

/** Size in pixels, and length in seconds. */
export interface VideoMeasures {
  width: number
  height: number
  durationSeconds: number
}

/** The most boxes that are read; real films have some dozens on these levels. */
const maxBoxes = 10_000

/** Boxes whose children are read (ISO 14496-12), and nothing nests deeper than moov/trak/mdia. */
const containers = ['moov', 'trak', 'mdia', 'mvex']

/**
 * Size and length of an mp4. The length is the longest that movie, fragments or a track claim, so that a small number
 * in one place cannot make a long film cheap. `undefined` without a picture track or a length.
 */
export function measureVideo(bytes: Uint8Array): VideoMeasures | undefined {
  if (sniff(bytes) !== 'video/mp4') return undefined
  const found = { width: 0, height: 0, seconds: 0, movieTimescale: 0, fragmentTicks: 0, boxes: 0 }
  walk(bytes, 0, bytes.length, 0, found)
  if (found.movieTimescale > 0)
    found.seconds = Math.max(found.seconds, found.fragmentTicks / found.movieTimescale)
  if (found.width === 0 || found.height === 0 || found.seconds === 0) return undefined
  return { width: found.width, height: found.height, durationSeconds: found.seconds }
}

interface VideoHeaderData {
  width: number
  height: number
  seconds: number
  movieTimescale: number
  fragmentTicks: number
  boxes: number
}

function walk(bytes: Uint8Array, from: number, to: number, depth: number, found: VideoHeaderData): void {
  const view = viewOf(bytes)
  let at = from
  while (at + 8 <= to && found.boxes < maxBoxes) {
    found.boxes += 1
    const box = readBox(view, at, to)
    if (!box) return
    const payload = bytes.subarray(box.payload, box.end)
    if (depth < 4 && containers.some((name) => hasText(bytes, at + 4, name)))
      walk(bytes, box.payload, box.end, depth + 1, found)
    else if (hasText(bytes, at + 4, 'mvhd')) readMovieHeader(payload, found)
    else if (hasText(bytes, at + 4, 'mdhd')) readMediaHeader(payload, found)
    else if (hasText(bytes, at + 4, 'tkhd')) readTrackHeader(payload, found)
    else if (hasText(bytes, at + 4, 'mehd')) readFragmentsHeader(payload, found)
    at = box.end
  }
}

/** Returns undefined for a size below that of the header, so that a walk always moves on; a box that claims too much ends with its parent. */
function readBox(view: DataView, at: number, to: number): { payload: number; end: number } | undefined {
  const size = view.getUint32(at)
  if (size === 0) return { payload: at + 8, end: to }
  if (size === 1) {
    if (at + 16 > to) return undefined
    const large = Number(view.getBigUint64(at + 8))
    return large < 16 ? undefined : { payload: at + 16, end: Math.min(to, at + large) }
  }
  return size < 8 ? undefined : { payload: at + 8, end: Math.min(to, at + size) }
}

function readMovieHeader(payload: Uint8Array, found: VideoHeaderData): void {
  const time = readTime(payload)
  if (!time) return
  found.movieTimescale = time.timescale
  found.seconds = Math.max(found.seconds, time.ticks / time.timescale)
}

function readMediaHeader(payload: Uint8Array, found: VideoHeaderData): void {
  const time = readTime(payload)
  if (time) found.seconds = Math.max(found.seconds, time.ticks / time.timescale)
}

/** `mvhd` and `mdhd` begin alike: version, times, timescale, duration (all ones: unknown). */
function readTime(payload: Uint8Array): { timescale: number; ticks: number } | undefined {
  const view = viewOf(payload)
  const long = payload[0] === 1
  if (payload.length < (long ? 32 : 20)) return undefined
  const timescale = view.getUint32(long ? 20 : 12)
  const ticks = readTicks(view, long ? 24 : 16, long)
  return timescale === 0 ? undefined : { timescale, ticks }
}

function readFragmentsHeader(payload: Uint8Array, found: VideoHeaderData): void {
  const long = payload[0] === 1
  if (payload.length >= (long ? 12 : 8)) found.fragmentTicks = readTicks(viewOf(payload), 4, long)
}

function readTicks(view: DataView, at: number, long: boolean): number {
  if (!long) return view.getUint32(at) === 0xffff_ffff ? 0 : view.getUint32(at)
  const ticks = view.getBigUint64(at)
  return ticks === 0xffff_ffff_ffff_ffffn ? 0 : Number(ticks)
}

/** Width and height stand as 16.16 fixed-point numbers at the end; sound tracks have zeros. The largest track counts. */
function readTrackHeader(payload: Uint8Array, found: VideoHeaderData): void {
  const at = payload[0] === 1 ? 88 : 76
  if (payload.length < at + 8) return
  const view = viewOf(payload)
  const [width, height] = [view.getUint16(at), view.getUint16(at + 4)]
  if (width * height <= found.width * found.height) return
  found.width = width
  found.height = height
}
