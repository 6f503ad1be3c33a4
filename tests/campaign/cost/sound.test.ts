/** What sound costs: no bytes, however they lie, hold the event loop or grow memory, and each length costs as much as the other. */
import { existsSync, readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import {
  decodeSound,
  encodeSound,
  encodeWhole,
  joinSpeech,
  type SoundFormat,
  silencesIn,
  soundFormats,
  splitForSpeech,
} from '#core/sound'
import { checksumOf } from '../../../src/core/sound/checksum.ts'
import { cut, outcome, speechLike } from '../../core/sound/samples.ts'
import { costOf, costOfAwaited, expectLinear, expectNoHold } from '../../cost/cost.ts'
import { collectGarbage } from '../../harness/collect-garbage.ts'

/** An instance of mpg123 has 16 of them from its beginning. */
const maxGrowthMb = 32
const sound = speechLike(24_000, 4)
const pcm = { rate: 24_000, channels: 1 }
const files = {} as Record<SoundFormat, Uint8Array>

beforeAll(async () => {
  // The first use of each compiles its module, which is once for a process.
  for (const format of soundFormats)
    files[format] = (await encodeWhole([sound], { format, maxBytes: 1 << 26 })).bytes
  for (const format of soundFormats)
    if (format !== 'aac') await outcome(decodeSound([files[format]], { pcm }))
})

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

/** Growth of what is held outside of the heap while it is read, in MB: what waits for the collector does not count. */
async function growth(stream: AsyncIterable<unknown>): Promise<number> {
  const held = () => {
    // The second waits for what the first has freed.
    collectGarbage()
    collectGarbage()
    const { arrayBuffers, external } = process.memoryUsage()
    return (arrayBuffers + external) / 2 ** 20
  }
  const before = held()
  let worst = before
  let pieces = 0
  try {
    for await (const _ of stream) if (pieces++ % 100 === 0) worst = Math.max(worst, held())
  } catch {}
  return Math.max(worst, held()) - before
}

function oggPage(sequence: number, flag: number, packets: Uint8Array[]): Buffer {
  const head = Buffer.alloc(27 + packets.length)
  head.write('OggS')
  head[5] = flag
  head.writeUInt32LE(1, 14)
  head.writeUInt32LE(sequence, 18)
  head[26] = packets.length
  for (const [index, { length }] of packets.entries()) head[27 + index] = length
  const page = Buffer.concat([head, ...packets])
  page.writeUInt32LE(checksumOf(page, 32), 22)
  return page
}

const opusHead = Buffer.concat([
  Buffer.from('OpusHead\u0001\u0001'),
  Buffer.from([0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]),
])
const opusFile = (pages: Iterable<Buffer>) =>
  Buffer.concat([oggPage(0, 2, [opusHead]), oggPage(1, 0, [Buffer.from('OpusTags')]), ...pages])

function wavHead(length: number, { rate = 24_000, channels = 1 } = {}): Buffer {
  const head = Buffer.from(files.wav.subarray(0, 44))
  head.writeUInt32LE(length, 40)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  return head
}

/** A frame of FLAC of 65,535 samples that takes some bytes: a constant. */
function constantFlac(frames: number): Buffer {
  const info = Buffer.from('664c614380000022ffffffff000000000000', 'hex')
  const rest = Buffer.alloc(24)
  rest.set([0x0b, 0xb8, 0x00, 0xf0]) // 48 kHz, one channel, 16 bits
  const frame = Buffer.from([0xff, 0xf8, 0x70, 0x08, 0x00, 0xff, 0xfe, 0, 0, 0, 1, 0, 0])
  frame[7] = checksumOf(frame.subarray(0, 7), 8)
  frame.writeUInt16BE(checksumOf(frame.subarray(0, 11), 16), 11)
  return Buffer.concat([info, rest, ...Array<Buffer>(frames).fill(frame)])
}

describe('hostile bytes end in an error or in sound, without a hold and in bounded memory', () => {
  const tiny = () => opusFile(Array<Buffer>(1_000_000).fill(oggPage(2, 0, [])))
  // Packets of one byte that stand for 60 ms of sound each: 15 s of sound for 282 bytes.
  const dense = () =>
    opusFile(
      Array.from({ length: 20 }, (_, index) =>
        oggPage(2 + index, 0, Array<Buffer>(255).fill(Buffer.from([0x18]))),
      ),
    )
  const tagged = () => {
    const bytes = Buffer.alloc(4_000_000)
    bytes.write('ID3\u0004')
    bytes.set([0x7f, 0x7f, 0x7f, 0x7f], 6)
    return bytes
  }
  const cases: [string, () => Uint8Array, (string | number)[]][] = [
    ['a WAV that declares 2 GB', () => Buffer.concat([wavHead(0x7ffe_ffff), Buffer.alloc(4_000_000)]), ['truncated']],
    ['a WAV of no known length', () => Buffer.concat([wavHead(0xffff_ffff), Buffer.alloc(4_000_000)]), [2_000_000]],
    ['a WAV of half a million empty chunks', () => Buffer.concat([files.wav.subarray(0, 36), Buffer.from('junk\0\0\0\0'.repeat(500_000))]), ['truncated']],
    ['an Ogg of a million tiny pages', tiny, ['truncated']],
    ['an Ogg of dense packets', dense, ['truncated']],
    ['an mp3 whose tag declares 256 MB', tagged, ['truncated']],
    ['an mp3 of false frames', () => Buffer.concat([files.mp3.subarray(0, 400), Buffer.alloc(4_000_000, 'ÿóI', 'latin1')]), ['malformed']],
    ['a FLAC whose frames are the longest', () => constantFlac(200), [200 * 65_535]],
    ['a FLAC whose only frame never ends', () => Buffer.concat([constantFlac(1).subarray(0, 50), Buffer.from([0x10]), Buffer.alloc(4_000_000)]), ['malformed']],
  ] // biome-ignore format: a table
  for (const [name, make, expected] of cases)
    test(name, async () => {
      const bytes = make()
      expect(expected).toContain(await outcome(decodeSound([bytes])))
      await expectNoHold(name, () => outcome(decodeSound([bytes])))
      expect(await growth(decodeSound(cut(bytes, [65_536])))).toBeLessThan(maxGrowthMb)
    })

  test('a source of empty and tiny chunks that never waits', async () => {
    function* chunks() {
      for (let count = 0; count < 300_000; count++) yield new Uint8Array(0)
      yield* cut(files.wav.subarray(0, 60_000), [1])
    }
    await expectNoHold('chunks', () => outcome(decodeSound(chunks())))
  })
})

test('no decoder, encoder or join holds the event loop, however much it is given at once', async () => {
  const long = speechLike(24_000, 20)
  for (const format of soundFormats) {
    await expectNoHold(`encode ${format}`, () => drain(encodeSound([long], { format })))
    if (format === 'aac') continue
    const bytes = Buffer.concat(await Array.fromAsync(encodeSound([long], { format })))
    await expectNoHold(`decode ${format}`, () => drain(decodeSound([bytes], { pcm })))
  }
  await expectNoHold('silences', () => silencesIn(Array(20).fill(long)))
  await expectNoHold('join', () => drain(joinSpeech([[long]], { rate: 44_100, lufs: -16 })))
})

test('sound costs as much by the second, whatever its length', async () => {
  const piece = { rate: 24_000, samples: sound.samples.subarray(0, 24_000) }
  for (const format of ['mp3', 'flac', 'opus'] as const)
    await expectLinear(
      `${format} and back`,
      (seconds) =>
        costOfAwaited(() => drain(decodeSound(encodeSound(Array(seconds).fill(piece), { format })))),
      { from: 4, to: 16 },
    )
})

test('memory does not grow with the length of a sound', async () => {
  const piece = { rate: 24_000, samples: sound.samples.subarray(0, 24_000) }
  function* minutes() {
    for (let second = 0; second < 120; second++) yield piece
  }
  expect(
    await growth(
      joinSpeech([decodeSound(encodeSound(minutes(), { format: 'wav' }))], { rate: 24_000, lufs: -18 }),
    ),
  ).toBeLessThan(maxGrowthMb)
})

test('text of a million characters of any kind is cut in linear time', async () => {
  for (const unit of [
    'a',
    ' ',
    'a ',
    '. ',
    'a. ',
    '1',
    '\u200c',
    'ا\u200c',
    '\u064e',
    '👨\u200d',
    '🇮',
    '\n',
    '…',
    '12,',
    '«»',
  ])
    await expectLinear(
      unit,
      (length) => costOf(() => splitForSpeech(unit.repeat(length / unit.length), 4_096)),
      {
        from: 250_000,
        to: 1_000_000,
      },
    )
})

test('modules are compiled once for a process, however many sounds are read and written', async () => {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: Record<'compile' | 'instantiate', (source: unknown) => unknown>
  }
  const compile = vi.spyOn(WebAssembly, 'compile')
  const instantiate = vi.spyOn(WebAssembly, 'instantiate')
  try {
    for (const format of ['mp3', 'opus', 'flac'] as const)
      await drain(decodeSound(encodeSound([sound], { format })))
    const ofBytes = instantiate.mock.calls.filter(
      ([source]) => ArrayBuffer.isView(source) || source instanceof ArrayBuffer,
    )
    expect([compile.mock.calls.length, ofBytes.length]).toEqual([0, 0])
    expect(instantiate.mock.calls.length).toBeGreaterThan(0)
  } finally {
    vi.restoreAllMocks()
  }
})

const hasProc = existsSync('/proc/self/task')
if (!hasProc) console.warn('no /proc here: threads of encoders are not counted')

test.skipIf(!hasProc)(
  'the thread of an encoder ends with its stream, also when its reader leaves',
  async () => {
    const threads = () => readdirSync('/proc/self/task').length
    const before = threads()
    for (let stream = 0; stream < 6; stream++)
      for await (const _ of encodeSound([sound], { format: 'aac' })) break
    await drain(encodeSound([sound], { format: 'aac' }))
    await expect.poll(threads).toBeLessThanOrEqual(before + 1)
  },
)
