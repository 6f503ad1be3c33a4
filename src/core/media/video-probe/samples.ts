/** Where the samples of a track lie in the file, as its tables say; each place is proven to be there. */
import { contentOf, FieldReader } from './boxes.ts'
import { VideoError } from './fault.ts'
import type { Track } from './track.ts'

export interface Sample {
  at: number
  bytes: number
}

export interface Samples {
  count: number
  ticks: number
  bytes: number
  /** The samples in the order in which they are decoded. */
  each(): Iterable<Sample>
}

/** The most samples of a track of pictures or sound: eight hours of the finest AAC. PCM has a sample for each point of its curve. */
const maxSamples = 4_000_000

export function samplesIn({ tables }: Pick<Track, 'tables'>): Samples {
  const sizes = sizesOf(tables)
  if (sizes.count > maxSamples) throw new VideoError('malformed')
  if (sizes.count === 0) return { count: 0, ticks: 0, bytes: 0, each: () => [] }
  const runs = runsOf(tables, sizes.count)
  const offsets = offsetsOf(tables)
  let bytes = 0
  for (let index = 0; index < sizes.count; index++) bytes += sizes.of(index)
  return {
    count: sizes.count,
    ticks: ticksOf(tables, sizes.count),
    bytes,
    each: () => locateSamples(sizes, runs, offsets),
  }
}

interface Sizes {
  count: number
  of(index: number): number
}

function sizesOf(tables: Buffer): Sizes {
  const plain = contentOf(tables, 'stsz')
  if (plain) {
    const same = new FieldReader(plain, 4).u32()
    if (same !== 0) return { count: new FieldReader(plain, 8).u32(), of: () => same }
    const count = new FieldReader(plain, 8).count(4)
    return { count, of: (index) => plain.readUInt32BE(12 + 4 * index) }
  }
  const compact = contentOf(tables, 'stz2')
  if (!compact) throw new VideoError('malformed')
  const bits = new FieldReader(compact, 7).u8()
  if (bits !== 8 && bits !== 16) throw new VideoError('malformed')
  const count = new FieldReader(compact, 8).count(bits / 8)
  return { count, of: (index) => compact.readUIntBE(12 + (bits / 8) * index, bits / 8) }
}

/** The durations of the first `count` samples together, in ticks. */
function ticksOf(tables: Buffer, count: number): number {
  const table = contentOf(tables, 'stts')
  if (!table) throw new VideoError('malformed')
  const fields = new FieldReader(table, 4)
  let [ticks, left] = [0, count]
  for (let rows = fields.count(8); rows > 0 && left > 0; rows--) {
    const samples = Math.min(left, fields.u32())
    ticks += samples * fields.u32()
    left -= samples
  }
  if (left > 0) throw new VideoError('malformed')
  return ticks
}

/** The number of samples in each chunk from `firstChunk` on, until the next run. */
interface ChunkRun {
  firstChunk: number
  samples: number
}

function runsOf(tables: Buffer, count: number): ChunkRun[] {
  const table = contentOf(tables, 'stsc')
  if (!table) throw new VideoError('malformed')
  const fields = new FieldReader(table, 4)
  const runs = Array.from({ length: fields.count(12) }, (): ChunkRun => {
    const [firstChunk, samples] = [fields.u32(), fields.u32()]
    fields.skip(4)
    return { firstChunk, samples }
  })
  const isAscending = runs.every(({ firstChunk }, index) =>
    index === 0 ? firstChunk === 1 : firstChunk > runs[index - 1]!.firstChunk,
  )
  const isFilled = runs.every(({ samples }) => samples > 0 && samples <= count)
  if (runs.length === 0 || !isAscending || !isFilled) throw new VideoError('malformed')
  return runs
}

function offsetsOf(tables: Buffer): { count: number; of(chunk: number): number } {
  const short = contentOf(tables, 'stco')
  if (short)
    return { count: new FieldReader(short, 4).count(4), of: (chunk) => short.readUInt32BE(8 + 4 * chunk) }
  const long = contentOf(tables, 'co64')
  if (!long) throw new VideoError('malformed')
  return {
    count: new FieldReader(long, 4).count(8),
    of: (chunk) => Number(long.readBigUInt64BE(8 + 8 * chunk)),
  }
}

function* locateSamples(
  sizes: Sizes,
  runs: readonly ChunkRun[],
  offsets: ReturnType<typeof offsetsOf>,
): Generator<Sample> {
  let [index, run] = [0, 0]
  for (let chunk = 0; chunk < offsets.count && index < sizes.count; chunk++) {
    while (runs[run + 1] !== undefined && runs[run + 1]!.firstChunk <= chunk + 1) run += 1
    let at = offsets.of(chunk)
    for (let left = runs[run]!.samples; left > 0 && index < sizes.count; left--) {
      const bytes = sizes.of(index)
      yield { at, bytes }
      at += bytes
      index += 1
    }
  }
  if (index < sizes.count) throw new VideoError('malformed')
}
