/** Samples of files in fragments, each of which has tables of its own. */
import { type Box, contentOf, FieldReader, innerBoxes } from './boxes.ts'
import { VideoError } from './fault.ts'
import type { Sample } from './samples.ts'
import type { VideoSource } from './source.ts'

/** The most bytes of one fragment's tables; a second of film takes some kilobytes. */
const maxFragmentBytes = 8 * 1024 * 1024
const maxSamples = 1_000_000

export interface FragmentedTrack {
  ticks: number
  bytes: number
  samples: Sample[]
}

interface Defaults {
  duration: number
  size: number
}

/** The samples in fragments, by the id of their track. */
export function samplesInFragments(
  source: VideoSource,
  boxes: readonly Box[],
  movie: Buffer,
): Map<number, FragmentedTrack> {
  const defaults = defaultsOf(movie)
  const found = new Map<number, FragmentedTrack>()
  let left = maxSamples
  for (const box of boxes) {
    if (box.type !== 'moof') continue
    if (box.to - box.from > maxFragmentBytes) throw new VideoError('malformed')
    left -= readFragment(source.read(box.from, box.to - box.from), box.at, defaults, found, left)
  }
  return found
}

function defaultsOf(movie: Buffer): Map<number, Defaults> {
  const extends_ = contentOf(movie, 'mvex')
  if (!extends_) return new Map()
  const rows = innerBoxes(extends_).filter(({ type }) => type === 'trex')
  return new Map(
    rows.map(({ from, to }) => {
      const fields = new FieldReader(extends_.subarray(from, to), 4)
      const id = fields.u32()
      return [id, { duration: fields.skip(4).u32(), size: fields.u32() }]
    }),
  )
}

/** Reads one fragment and returns how many samples it has. */
function readFragment(
  fragment: Buffer,
  at: number,
  defaults: Map<number, Defaults>,
  found: Map<number, FragmentedTrack>,
  maxCount: number,
): number {
  let count = 0
  // Unless a track states where its bytes begin, they follow those of the track before.
  let next = at
  for (const { type, from, to } of innerBoxes(fragment)) {
    if (type !== 'traf') continue
    const traf = fragment.subarray(from, to)
    const head = contentOf(traf, 'tfhd')
    if (!head) throw new VideoError('malformed')
    const { id, base, ...own } = headOf(head, at)
    const usual = { ...(defaults.get(id) ?? { duration: 0, size: 0 }), ...own }
    const track = found.get(id) ?? { ticks: 0, bytes: 0, samples: [] }
    found.set(id, track)
    const start = base ?? next
    next = start
    for (const run of innerBoxes(traf)) {
      if (run.type !== 'trun') continue
      const before = track.samples.length
      next = readRun(new FieldReader(traf.subarray(run.from, run.to)), {
        start,
        next,
        usual,
        track,
        maxCount: maxCount - count,
      })
      count += track.samples.length - before
    }
  }
  return count
}

function headOf(content: Buffer, at: number): { id: number; base: number | undefined } & Partial<Defaults> {
  const fields = new FieldReader(content, 1)
  const flags = fields.u24()
  const id = fields.u32()
  const own = flags & 0x1 ? fields.u64() : undefined
  if (flags & 0x2) fields.skip(4)
  const duration = flags & 0x8 ? { duration: fields.u32() } : {}
  const size = flags & 0x10 ? { size: fields.u32() } : {}
  return { id, base: own ?? (flags & 0x20000 ? at : undefined), ...duration, ...size }
}

interface TrackRun {
  /** The position to which the run's own offset is added. */
  start: number
  /** Where a run without an offset begins. */
  next: number
  usual: Defaults
  track: FragmentedTrack
  maxCount: number
}

/** Adds a run to its track. Returns where the bytes after the run begin. */
function readRun(fields: FieldReader, { start, next, usual, track, maxCount }: TrackRun): number {
  const flags = fields.skip(1).u24()
  const [hasDuration, hasSize] = [(flags & 0x100) !== 0, (flags & 0x200) !== 0]
  const more = (flags & 0x400 ? 4 : 0) + (flags & 0x800 ? 4 : 0)
  const count = fields.u32()
  if (count > maxCount) throw new VideoError('malformed')
  let at = flags & 0x1 ? start + fields.i32() : next
  if (flags & 0x4) fields.skip(4)
  for (let index = 0; index < count; index++) {
    track.ticks += hasDuration ? fields.u32() : usual.duration
    const bytes = hasSize ? fields.u32() : usual.size
    fields.skip(more)
    track.samples.push({ at, bytes })
    track.bytes += bytes
    at += bytes
  }
  return at
}
