/** Sound that comes in is what ffmpeg decodes, however it is cut; what is broken is a typed error. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeSound, encodeSound, encodeWhole, resample } from '#core/sound'
import { ffmpeg, floatsOf, hasFfmpeg, withFile } from '../../core/sound/ffmpeg.ts'
import { correlation, cut, greatestDifference, outcome, speechLike, whole } from '../../core/sound/samples.ts'
import fc from '../../harness/fast-check.ts'

const maxBytes = 1 << 26
const source = (rate: number, channels: number) => [
  '-v', 'error', '-f', 'lavfi', '-i', `aevalsrc=${Array.from({ length: channels }, (_, index) => `0.4*sin(2*PI*${300 + 200 * index}*t)*abs(sin(3*t))`).join('|')}:s=${rate}:d=1.234`,
] // biome-ignore format: arguments of a program

/** A file of ffmpeg, and its own PCM of it as one channel: the mean, as here. It can go back in a file, to say what is in it. */
function made(rate: number, channels: number, args: string[]): { bytes: Buffer; expected: Float32Array } {
  const mean = Array.from({ length: channels }, (_, index) => `${1 / channels}*c${index}`).join('+')
  const filter = `aformat=sample_fmts=flt,pan=mono|c0=${mean}`
  return withFile(new Uint8Array(0), 'bin', (file) => {
    ffmpeg([...source(rate, channels), ...args, '-y', file])
    const { output } = ffmpeg(['-v', 'error', '-i', file, '-af', filter, '-f', 'f32le', '-'])
    return { bytes: readFileSync(file), expected: floatsOf(output) }
  })
}

const exact: Record<string, string[]> = {
  'wav of 8 bits': ['-c:a', 'pcm_u8', '-f', 'wav'],
  'wav of 16 bits': ['-c:a', 'pcm_s16le', '-f', 'wav'],
  'wav of 24 bits': ['-c:a', 'pcm_s24le', '-f', 'wav'],
  'wav of 32 bits': ['-c:a', 'pcm_s32le', '-f', 'wav'],
  'wav of floats': ['-c:a', 'pcm_f32le', '-f', 'wav'],
  'wav of doubles': ['-c:a', 'pcm_f64le', '-f', 'wav'],
  'wav of A-law': ['-c:a', 'pcm_alaw', '-f', 'wav'],
  'wav of µ-law': ['-c:a', 'pcm_mulaw', '-f', 'wav'],
  'flac of 16 bits': ['-sample_fmt', 's16', '-f', 'flac'],
  'flac of 24 bits, packed hardest': ['-sample_fmt', 's32', '-compression_level', '12', '-f', 'flac'],
  'flac of left and difference': ['-sample_fmt', 's16', '-ch_mode', 'left_side', '-f', 'flac'],
  'flac of difference and right': ['-sample_fmt', 's16', '-ch_mode', 'right_side', '-f', 'flac'],
  'flac of middle and difference': ['-sample_fmt', 's16', '-ch_mode', 'mid_side', '-f', 'flac'],
  'flac of 24 bits, of which 8 are unused': [
    '-af',
    'aformat=sample_fmts=s16',
    '-sample_fmt',
    's32',
    '-f',
    'flac',
  ],
  'flac of short blocks, packed least': [
    '-sample_fmt',
    's16',
    '-frame_size',
    '576',
    '-compression_level',
    '0',
    '-f',
    'flac',
  ],
}
const lossy: Record<string, { args: string[]; rates: number[] }> = {
  'mp3 of constant bit rate': { args: ['-b:a', '96k', '-f', 'mp3'], rates: [24_000, 44_100, 48_000] },
  'mp3 of variable bit rate': { args: ['-q:a', '4', '-f', 'mp3'], rates: [22_050, 44_100] },
  'opus in ogg': { args: ['-c:a', 'libopus', '-b:a', '64k', '-f', 'ogg'], rates: [24_000, 48_000] },
}

const stereo = [44_100, 2] as const
const layouts = [[16_000, 1], stereo, [48_000, 6]] as const

describe.skipIf(!hasFfmpeg)('judged by ffmpeg', () => {
  for (const [name, args] of Object.entries(exact))
    for (const [rate, channels] of name.includes('16 bits') ? layouts : [stereo])
      test(`${name}, ${rate} Hz, ${channels} channels: every sample is ffmpeg's`, async () => {
        const { bytes, expected } = made(rate, channels, args)
        const sound = await whole(decodeSound([bytes]))
        expect(sound.rate).toBe(rate)
        expect(sound.samples.length).toBe(expected.length)
        expect(greatestDifference(sound.samples, expected)).toBeLessThan(1e-6)
      })

  for (const [name, { args, rates }] of Object.entries(lossy))
    for (const rate of rates)
      for (const channels of [1, 2])
        test(`${name}, ${rate} Hz, ${channels} channels: the sound is ffmpeg's, sample by sample`, async () => {
          const { bytes, expected } = made(rate, channels, args)
          const sound = await whole(decodeSound([bytes]))
          const isOpus = name.startsWith('opus')
          expect(sound.rate).toBe(isOpus ? 48_000 : rate)
          expect(Math.abs(sound.samples.length - expected.length)).toBeLessThanOrEqual(isOpus ? 960 : 0)
          expect(correlation(sound.samples, expected)).toBeGreaterThan(0.999)
        })

  test('containers that are known but not decoded are named', async () => {
    const aac = ffmpeg([...source(24_000, 1), '-c:a', 'aac', '-f', 'matroska', 'pipe:1']).output
    const webm = ffmpeg([...source(48_000, 1), '-c:a', 'libopus', '-f', 'webm', 'pipe:1']).output
    const vorbis = ffmpeg([...source(48_000, 1), '-c:a', 'libvorbis', '-f', 'ogg', 'pipe:1']).output
    expect(await outcome(decodeSound([aac]))).toBe('unrecognised')
    expect(await outcome(decodeSound([webm]))).toBe('unsupported')
    expect(await outcome(decodeSound([vorbis]))).toBe('unsupported')
  })

  test('tags before and behind an mp3, and files that were put together, are read through', async () => {
    const { bytes, expected } = made(24_000, 1, [
      '-id3v2_version',
      '4',
      '-write_id3v1',
      '1',
      '-metadata',
      'title=سلام',
      '-f',
      'mp3',
    ])
    expect(bytes.includes('TAG')).toBe(true)
    const twice = await whole(decodeSound([bytes, bytes]))
    expect(Math.abs(twice.samples.length - 2 * expected.length)).toBeLessThan(3 * 1_152)
  })
})

const formats = ['mp3', 'wav', 'flac', 'opus', 'pcm'] as const
type Format = (typeof formats)[number]
const files = {} as Record<Format, Uint8Array>
const pcm = { rate: 24_000, channels: 1 }

beforeAll(async () => {
  for (const format of formats)
    files[format] = (await encodeWhole([speechLike(24_000, 0.6)], { format, maxBytes })).bytes
})

test('what comes out does not depend on how the bytes are cut', async () => {
  const once: Partial<Record<Format, Float32Array>> = {}
  for (const format of formats) once[format] = (await whole(decodeSound([files[format]], { pcm }))).samples
  const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 9_000 })), {
    minLength: 1,
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...formats), lengths, async (format, cuts) => {
      fc.pre(cuts.some((length) => length > 0))
      const { samples } = await whole(decodeSound(cut(files[format], cuts), { pcm }))
      expect(Buffer.compare(Buffer.from(samples.buffer), Buffer.from(once[format]!.buffer))).toBe(0)
    }),
    { numRuns: 60 },
  )
})

test('a file that is cut anywhere is an error, and never sound that looks whole', async () => {
  for (const format of ['mp3', 'wav', 'flac', 'opus'] as const) {
    const bytes = files[format]
    const step = Math.max(1, Math.floor(bytes.length / 70))
    const faults = new Set<string | number>()
    for (let length = 0; length < bytes.length; length += step)
      faults.add(await outcome(decodeSound([bytes.subarray(0, length)])))
    faults.add(await outcome(decodeSound([bytes.subarray(0, bytes.length - 1)])))
    expect(
      [...faults].filter((fault) => typeof fault === 'number'),
      format,
    ).toEqual([])
    for (const fault of faults) expect(['empty', 'unrecognised', 'truncated'], format).toContain(fault)
  }
})

test('an mp3 without a table that ends in the middle of a frame is truncated, and one that ends behind it is whole', async () => {
  const bytes = Buffer.from(files.mp3)
  const frames = bytes.subarray(192)
  expect(frames.length % 192).toBe(0)
  expect(await outcome(decodeSound([frames]))).toBe((frames.length / 192) * 576)
  for (const missing of [1, 100, 189, 191])
    expect(await outcome(decodeSound([frames.subarray(0, frames.length - missing)]))).toBe('truncated')
})

test('a WAV of open length is read to its end, and half a sample at its end is a cut', async () => {
  const streamed = Buffer.concat(
    await Array.fromAsync(encodeSound([speechLike(24_000, 0.6)], { format: 'wav' })),
  )
  for (const length of [0, 0x7fff_ffff, 0xffff_ffff]) {
    streamed.writeUInt32LE(length, 40)
    expect(await outcome(decodeSound([streamed]))).toBe(14_400)
    expect(await outcome(decodeSound([streamed.subarray(0, -1)]))).toBe('truncated')
  }
})

test('raw PCM needs to be described: several channels become one, and a container wins over the description', async () => {
  const stereo = Buffer.from(Int16Array.from([100, 300, -100, 100]).buffer)
  expect(await outcome(decodeSound([stereo]))).toBe('unrecognised')
  const { samples } = await whole(decodeSound([stereo], { pcm: { rate: 8_000, channels: 2 } }))
  expect([...samples].map((sample) => sample * 32_768)).toEqual([200, 0])
  expect((await whole(decodeSound([files.flac], { pcm: { rate: 8_000, channels: 2 } }))).rate).toBe(24_000)
})

test('a bit that fell over in FLAC or Opus is found by the checksums', async () => {
  for (const format of ['flac', 'opus'] as const)
    for (let at = 500; at < files[format].length; at += 997) {
      const bytes = new Uint8Array(files[format])
      bytes[at]! ^= 0x10
      expect(['malformed', 'truncated'], `${format} at ${at}`).toContain(await outcome(decodeSound([bytes])))
    }
})

test('bytes of any kind are sound or a typed error', async () => {
  const changed = fc.record({
    format: fc.constantFrom(...formats),
    changes: fc.array(
      fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 })),
      { minLength: 1, maxLength: 12 },
    ),
    keep: fc.double({ min: 0.05, max: 1, noNaN: true }),
  })
  await fc.assert(
    fc.asyncProperty(changed, async ({ format, changes, keep }) => {
      const bytes = new Uint8Array(files[format].subarray(0, Math.ceil(files[format].length * keep)))
      for (const [place, value] of changes) bytes[Math.floor(place ** 2 * bytes.length)] = value
      expect(['string', 'number']).toContain(typeof (await outcome(decodeSound([bytes]))))
    }),
    { numRuns: 150 },
  )
})

test('sound beyond the allowed seconds ends, and a reader that leaves ends the bytes', async () => {
  expect(await outcome(decodeSound([files.wav], { maxSeconds: 0.5 }))).toBe('too_long')
  let isClosed = false
  async function* endless() {
    try {
      yield files.mp3
      for (;;) yield files.mp3.subarray(192)
    } finally {
      isClosed = true
    }
  }
  for await (const _ of resample(decodeSound(endless()), 48_000)) break
  expect(isClosed).toBe(true)
})

test('no bytes, and containers without a sample, are empty', async () => {
  expect(await outcome(decodeSound([]))).toBe('empty')
  expect(await outcome(decodeSound([new Uint8Array(0), new Uint8Array(0)], { pcm }))).toBe('empty')
  const head = Buffer.from(files.wav.subarray(0, 44))
  head.writeUInt32LE(0, 40)
  expect(await outcome(decodeSound([head]))).toBe('empty')
})
