/**
 * Files of video are measured as ffprobe measures them, and those that are made to mislead or to exhaust whoever reads them end in a typed
 * error, in a process that holds nothing.
 */
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openVideoProbe, type ProbedVideo, VideoError } from '#core/media'
import { openLog } from '#platform/log'
import { probeVideo } from '../../../src/core/media/video-probe/probe.ts'
import { ffmpeg, ffprobe, hasFfmpeg } from '../../core/sound/ffmpeg.ts'
import { expectNoHold } from '../../cost/cost.ts'
import { box, fileType, film, indexOf, words } from './films.ts'

const videos = openVideoProbe(openLog('silent'))
const requester = { accountId: 'somebody', signal: new AbortController().signal }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'video-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
async function stored(bytes: Uint8Array): Promise<string> {
  const file = path.join(folder, `${files++}.mp4`)
  await writeFile(file, bytes)
  return file
}

const verdictOf = (file: string): Promise<ProbedVideo | string> =>
  videos.probe(file, requester).catch((error: unknown) => {
    if (error instanceof VideoError) return error.fault
    throw error
  })

/** In this process, since each of many files would take one of its own. */
function shortVerdict(bytes: Buffer): ProbedVideo | string {
  const read = (at: number, length: number): Buffer => {
    if (at + length > bytes.length) throw new VideoError('truncated')
    return bytes.subarray(at, at + length)
  }
  try {
    return probeVideo({ bytes: bytes.length, read, [Symbol.dispose]: () => {} })
  } catch (error) {
    if (error instanceof VideoError) return error.fault
    throw error
  }
}

const two = { mediaType: 'video/mp4', codec: 'h264', width: 640, height: 360, seconds: 2, fps: 10 }
const places = ['first', 'last', 'fragmented'] as const

test.each(places)('an index that is %s is read, with sound and without', async (index) => {
  expect(await verdictOf(await stored(await film({ index })))).toEqual({
    ...two,
    hasAudio: true,
    audioCodec: 'aac',
  })
  expect(await verdictOf(await stored(await film({ index, hasSound: false })))).toEqual({
    ...two,
    hasAudio: false,
  })
})

test.each(['first', 'last'] as const)(
  'a file whose index is %s is refused wherever it is cut, and with a byte too many',
  async (index) => {
    const bytes = await film({ index })
    expect(shortVerdict(bytes)).toMatchObject(two)
    for (let length = 0; length < bytes.length; length++)
      expect(['empty', 'not_video', 'truncated'], `${length} of ${bytes.length}`).toContain(
        shortVerdict(bytes.subarray(0, length)),
      )
    expect(shortVerdict(Buffer.concat([bytes, Buffer.alloc(1)]))).toBe('truncated')
  },
)

test('a file that was given its length before its bytes came is refused wherever they end', async () => {
  const bytes = await film({ index: 'first', hasSound: false })
  const [media, lastUnit] = [bytes.indexOf('mdat') + 4, 19]
  for (let from = media; from <= bytes.length - lastUnit; from++)
    expect(shortVerdict(Buffer.from(bytes).fill(0, from)), `zeros from ${from}`).toBe('malformed')
})

test('a file in fragments that is cut is refused, or has the length of those that are whole', async () => {
  const bytes = await film({ index: 'fragmented' })
  const whole = new Set<number>()
  for (let length = 0; length < bytes.length; length++) {
    const verdict = shortVerdict(bytes.subarray(0, length))
    if (typeof verdict !== 'string') whole.add(verdict.seconds)
  }
  expect([...whole]).toEqual([1, 2])
})

test('a byte that fell over ends in a measure or in a typed error, wherever it stands', async () => {
  for (const index of places) {
    const original = await film({ index, pictures: 12 })
    for (let at = 0; at < original.length; at++)
      for (const flip of [0x01, 0x80, 0xff]) {
        const bytes = Buffer.from(original)
        bytes[at]! ^= flip
        const verdict = shortVerdict(bytes)
        if (typeof verdict === 'string') continue
        expect(verdict.width * verdict.height, `byte ${at}`).toBeLessThanOrEqual(8_192 * 8_192)
        expect(verdict.seconds, `byte ${at}`).toBeLessThanOrEqual(12 * 60 * 60)
      }
  }
})

const mdat = (bytes: number): Buffer => box('mdat', Buffer.alloc(bytes))
const behind = fileType.length + 8
const plain = (index: Partial<Parameters<typeof indexOf>[0]> = {}): Buffer =>
  Buffer.concat([fileType, mdat(1_000), indexOf({ samples: 10, size: 100, offsets: [behind], ...index })])

const nested = (levels: number): Buffer => {
  const bytes = Buffer.alloc(8 * levels)
  for (let level = 0; level < levels; level++) {
    bytes.writeUInt32BE(8 * (levels - level), 8 * level)
    bytes.write('moov', 8 * level + 4)
  }
  return bytes
}

test('what the hostile ones are made of is a video', async () => {
  const size = { width: 64, height: 64, seconds: 1, fps: 10 }
  expect(await verdictOf(await stored(plain()))).toEqual({
    mediaType: 'video/mp4',
    codec: 'vp9',
    ...size,
    hasAudio: false,
  })
})

describe('what is no whole video is named', () => {
  const cases: [string, () => Buffer, string | string[]][] = [
    ['no byte', () => Buffer.alloc(0), 'empty'],
    ['a page', () => Buffer.from('<!DOCTYPE html><html><title>502 Bad Gateway</title></html>'), 'not_video'],
    ['an answer in JSON', () => Buffer.from('{"error":{"code":500,"message":"internal"}}'), 'not_video'],
    ['a few bytes', () => Buffer.from('{}'), 'not_video'],
    ['a picture', () => Buffer.concat([box('ftyp', Buffer.from('avif')), box('meta', words(0))]), 'not_video'],
    ['a WebM', () => Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex'), 'unsupported'],
    ['a QuickTime file', () => Buffer.concat([box('ftyp', Buffer.from('qt  '), words(0)), plain().subarray(fileType.length)]), 'unsupported'],
    ['a codec that nobody knows', () => plain({ entry: 'XyZ1' }), 'unsupported'],
    ['an encrypted track', () => plain({ entry: 'encv' }), 'unsupported'],
    ['sound alone', () => plain({ handler: 'soun', entry: 'Opus' }), 'no_track'],
    ['a track without a picture', () => plain({ samples: 0, each: 1, offsets: [] }), 'no_track'],
    ['an index without tracks', () => Buffer.concat([fileType, box('moov', box('mvhd', words(0, 0, 0, 1_000, 0)))]), 'no_track'],
    ['media without an index', () => Buffer.concat([fileType, mdat(1_000)]), 'truncated'],
    ['samples beyond the end', () => plain({ offsets: [behind + 50_000] }), 'truncated'],
    ['samples over the end of their box', () => plain({ offsets: [behind + 8] }), ['malformed', 'truncated']],
    ['samples that are the index itself', () => Buffer.concat([fileType, mdat(8), indexOf({ samples: 10, size: 20, offsets: [behind + 16] })]), 'malformed'],
    ['no width', () => plain({ width: 0 }), 'malformed'],
    ['sides that no screen has', () => plain({ width: 65_535, height: 65_535 }), 'malformed'],
    ['a side of 16,385', () => plain({ width: 16_385 }), 'malformed'],
    ['a length of years', () => plain({ ticks: 0x7fff_ffff }), 'malformed'],
    ['no length', () => plain({ ticks: 0 }), 'malformed'],
  ] // biome-ignore format: a table
  test.each(cases)('%s', (_, make, fault) => {
    expect([fault].flat()).toContain(shortVerdict(make()))
  })

  test('by the process that reads it too', async () => {
    expect(await verdictOf(await stored(Buffer.from('{}')))).toBe('not_video')
    expect(await verdictOf(await stored(Buffer.alloc(0)))).toBe('empty')
    expect(await verdictOf(await stored((await film()).subarray(0, -1)))).toBe('truncated')
  })

  test('sides of exactly 16,384 are read', () => {
    expect(shortVerdict(plain({ width: 16_384, height: 4_096 }))).toMatchObject({ width: 16_384 })
    expect(shortVerdict(plain({ width: 16_384, height: 4_097 }))).toBe('malformed')
  })
})

describe('files made to exhaust end in their process', () => {
  const cases: [string, () => Buffer, string[]][] = [
    ['a million empty boxes', () => Buffer.concat([fileType, Buffer.from('0000000866726565'.repeat(1_000_000), 'hex')]), ['malformed']],
    ['a million boxes in each other', () => Buffer.concat([fileType, nested(1_000_000)]), ['malformed', 'no_track']],
    ['an exabyte', () => Buffer.concat([fileType, Buffer.from('000000016d6f6f760fffffffffffffff', 'hex'), Buffer.alloc(1_000)]), ['truncated']],
    ['four billion samples of no byte', () => plain({ samples: 0xffff_ffff, size: 0 }), ['malformed', 'truncated']],
    ['four million samples that are the same bytes', () => plain({ samples: 4_000_000, size: 1_000, each: 1, offsets: Array<number>(50_000).fill(behind) }), ['malformed']],
    ['a chunk for each of many samples that are the same megabytes', () => Buffer.concat([fileType, mdat(8 << 20), indexOf({ samples: 50_000, size: 8 << 20, each: 1, offsets: Array<number>(50_000).fill(behind) })]), ['malformed']],
    ['units of no byte', () => Buffer.concat([fileType, mdat(16 << 20), indexOf({ samples: 1, size: 16 << 20, offsets: [behind], entry: 'avc1' })]), ['malformed']],
    ['an index of 40 MB', () => Buffer.concat([fileType, box('moov', Buffer.alloc(40 << 20))]), ['malformed']],
    ['fragments of a million samples each', () => Buffer.concat([plain(), ...Array<Buffer>(200).fill(box('moof', box('traf', box('tfhd', words(0, 1)), box('trun', words(0, 1_000_000)))))]), ['malformed']],
  ] // biome-ignore format: a table
  test.each(cases)('%s', async (name, make, faults) => {
    const file = await stored(make())
    await expectNoHold(name, async () => expect(faults).toContain(await verdictOf(file)))
  })

  test('of eight gigabytes only what the tables name is read', async () => {
    const media = Buffer.concat([words(1), Buffer.from('mdat'), Buffer.alloc(8)])
    const gigabytes = 8 * 2 ** 30
    media.writeBigUInt64BE(BigInt(16 + gigabytes), 8)
    const file = await stored(Buffer.concat([fileType, media]))
    const handle = await open(file, 'r+')
    const end = fileType.length + media.length + gigabytes
    await handle.truncate(end)
    const index = indexOf({ samples: 10, size: 100, offsets: [behind + 8] })
    await handle.write(index, 0, index.length, end)
    await handle.close()
    expect(await verdictOf(file)).toMatchObject({ seconds: 1 })
  })

  test('whoever leaves takes the process along', async () => {
    const leaving = new AbortController()
    const probing = videos.probe(await stored(plain()), { accountId: 'a', signal: leaving.signal })
    leaving.abort(new Error('gone'))
    await expect(probing).rejects.toThrow('gone')
  })
})

const encoders = hasFfmpeg ? ffmpeg(['-encoders']).output.toString() : ''

describe.skipIf(!hasFfmpeg)('as ffprobe measures them', () => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc=duration=2:rate=25:size=322x178', '-pix_fmt', 'yuv420p']
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=2']
  const cases: [string, string, string[]][] = [
    ['an index at the end', 'libx264', picture],
    ['an index at the beginning', 'libx264', [...picture, '-movflags', '+faststart']],
    ['fragments', 'libx264', [...picture, '-g', '10', '-movflags', 'frag_keyframe+empty_moov']],
    ['a fragment for each picture', 'libx264', [...picture, '-movflags', 'frag_every_frame+empty_moov+default_base_moof']],
    ['DASH', 'libx264', [...picture, '-g', '10', '-movflags', '+dash+frag_keyframe']],
    ['pictures out of order', 'libx264', [...picture, '-bf', '3', '-g', '25']],
    ['29.97 pictures of a second', 'libx264', [...picture, '-r', '30000/1001']],
    ['HEVC', 'libx265', [...picture, '-x265-params', 'log-level=none', '-tag:v', 'hvc1']],
    ['VP9', 'libvpx-vp9', [...picture, '-deadline', 'realtime', '-cpu-used', '8']],
    ['AV1', 'libsvtav1', [...picture, '-preset', '12']],
    ['MPEG-4', 'mpeg4', picture],
  ] // biome-ignore format: a table

  for (const [name, codec, args] of cases) {
    const isThere = encoders.includes(` ${codec} `)
    if (hasFfmpeg && !isThere) console.warn(`this ffmpeg has no ${codec}: ${name} is not tested`)
    test.skipIf(!isThere)(name, async () => {
      for (const more of [[], sound]) {
        const file = path.join(folder, `${files++}.mp4`)
        const inputs = [...args.slice(0, 4), ...more]
        ffmpeg(['-v', 'error', ...inputs, ...args.slice(4), '-c:v', codec, '-shortest', file])
        expectAgreement(await verdictOf(file), file)
      }
    })
  }

  test('a picture on its side is as it is shown', async () => {
    const [upright, turned] = [path.join(folder, 'upright.mp4'), path.join(folder, 'turned.mp4')]
    ffmpeg(['-v', 'error', ...picture, '-c:v', 'libx264', upright])
    ffmpeg(['-v', 'error', '-i', upright, '-c', 'copy', '-metadata:s:v', 'rotate=90', turned])
    expect(await verdictOf(turned)).toMatchObject({ width: 178, height: 322, seconds: 2 })
  })

  test('what an edit cuts off is not counted', async () => {
    const [whole, part] = [path.join(folder, 'whole.mp4'), path.join(folder, 'part.mp4')]
    ffmpeg(['-v', 'error', ...picture, '-g', '50', '-bf', '0', '-c:v', 'libx264', whole])
    ffmpeg(['-v', 'error', '-ss', '0.8', '-i', whole, '-c', 'copy', part])
    expectAgreement(await verdictOf(part), part)
  })
})

function expectAgreement(verdict: ProbedVideo | string, file: string): void {
  const { streams, format } = JSON.parse(
    ffprobe([
      '-show_entries',
      'stream=codec_type,codec_name,width,height,avg_frame_rate,duration:format=duration',
      file,
    ]),
  )
  const film = streams.find((one: { codec_type: string }) => one.codec_type === 'video')
  const sound = streams.find((one: { codec_type: string }) => one.codec_type === 'audio')
  const [count, of] = film.avg_frame_rate.split('/').map(Number)
  expect(verdict).toMatchObject({
    codec: film.codec_name,
    width: film.width,
    height: film.height,
    hasAudio: sound !== undefined,
    ...(sound && { audioCodec: sound.codec_name }),
  })
  const { seconds, fps } = verdict as ProbedVideo
  expect(Math.abs(fps - count / of)).toBeLessThan(0.5)
  expect(Math.abs(seconds - Number(film.duration ?? format.duration))).toBeLessThan(1 / fps)
}
