/** Every format that leaves is held against ffmpeg: decoded without a warning, as long as it says, and the sound that went in. */
import { describe, expect, test } from 'vitest'
import { decodeSound, encodeSound, encodeWhole, resample, SoundError, type SoundFormat } from '#core/sound'
import { ffmpeg, floatsOf, hasFfmpeg, probe, withFile } from '../../core/sound/ffmpeg.ts'
import { correlation, greatestDifference, speechLike, whole } from '../../core/sound/samples.ts'

const maxBytes = 1 << 26
const codecs = { mp3: 'mp3', wav: 'pcm_s16le', flac: 'flac', opus: 'opus', aac: 'aac' }
const containers = Object.keys(codecs) as (keyof typeof codecs)[]
/** Samples of one frame of the encoder. */
const frame = { mp3: 1_152, wav: 1, flac: 1, opus: 960, aac: 1_024 }
/** How alike the sound has to be after the coding. */
const alike = { mp3: 0.995, wav: 0.99999, flac: 0.99999, opus: 0.98, aac: 0.99, pcm: 0.99999 }

/** Of plain PCM without a channel mask ffmpeg would say that it guesses one; of ADTS, which has no length, that it estimates it. */
const plain = (messages: string) => messages.replaceAll(/ @ \w+/g, '')
const quiet = ['-v', 'warning', '-guess_layout_max', '0']

describe.skipIf(!hasFfmpeg)('judged by ffmpeg', () => {
  for (const rate of [8_000, 24_000, 44_100]) {
    for (const format of containers) {
      test(`${format} of ${rate} Hz is decoded without a warning and is the sound that went in`, async () => {
        const sound = speechLike(rate, 2.345)
        const { bytes, seconds } = await encodeWhole([sound], { format, maxBytes })
        expect(seconds).toBeCloseTo(2.345, 3)
        const found = probe(bytes, format)
        const coded = format === 'opus' ? 48_000 : rate
        expect(found).toMatchObject({ codec: codecs[format], rate: coded, channels: 1 })
        const { output, messages } = withFile(bytes, format, (file) =>
          ffmpeg([...quiet, '-i', file, '-f', 'f32le', '-']),
        )
        const estimates = /^\[aac @ \w+\] Estimating duration from bitrate, this may be inaccurate\n$/
        expect(format === 'aac' ? messages.replace(estimates, '') : messages).toBe('')
        const decoded = floatsOf(output)
        const length = Math.round(seconds * coded)
        if (format === 'aac') {
          // ADTS has no place for the frame that every encoder puts before the sound, and fills up the last one.
          expect(decoded.length - length).toBeGreaterThanOrEqual(0)
          expect(decoded.length - length).toBeLessThanOrEqual(2 * frame.aac)
        } else {
          expect(Math.abs(decoded.length - length)).toBeLessThanOrEqual(frame[format])
          // Of an mp3 ffprobe counts what the encoder put before the sound too, though no player plays it.
          expect(Math.abs(found.seconds - seconds) * coded).toBeLessThanOrEqual(
            frame[format] + (format === 'mp3' ? 1_105 : 1),
          )
        }
        const { samples } = await whole(resample([sound], coded))
        const sounded = format === 'aac' ? decoded.subarray(1_024) : decoded
        expect(correlation(samples, sounded)).toBeGreaterThan(
          // At 8 kHz Opus is a sixteenth of a millisecond late: its own filter.
          format === 'opus' && rate === 8_000 ? 0.93 : alike[format],
        )
      })
    }
  }

  test('what streams is decoded without a warning too, though its head cannot know the length', async () => {
    const own = ffmpeg([
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'sine=d=1.5:r=24000',
      '-bitexact',
      '-f',
      'wav',
      'pipe:1',
    ]).output
    const ofItsOwn = plain(ffmpeg([...quiet, '-i', 'pipe:0', '-f', 's16le', '-'], own).messages)
    const sound = speechLike(24_000, 1.5)
    for (const format of ['wav', 'flac', 'opus', 'aac', 'mp3'] as const) {
      const bytes = Buffer.concat(await Array.fromAsync(encodeSound([sound], { format })))
      const { output, messages } = ffmpeg([...quiet, '-i', 'pipe:0', '-f', 's16le', '-'], bytes)
      // Of a WAV to a pipe it says what it says of its own.
      expect(plain(messages), format).toBe(format === 'wav' ? ofItsOwn : '')
      const rate = format === 'opus' ? 48_000 : 24_000
      expect(Math.abs(output.length / 2 / rate - 1.5), format).toBeLessThan(0.1)
    }
  })
})

test('FLAC, WAV and PCM keep every sample to half a step of 16 bits, and MP3 and Opus keep the length', async () => {
  const sound = speechLike(24_000, 2)
  for (const format of ['flac', 'wav', 'pcm', 'mp3', 'opus'] as const) {
    const { bytes } = await encodeWhole([sound], { format, maxBytes })
    const decoded = await whole(decodeSound([bytes], { pcm: { rate: 24_000, channels: 1 } }))
    const back = format === 'opus' ? await whole(resample([decoded], 24_000)) : decoded
    expect(back.samples.length, format).toBe(sound.samples.length)
    expect(correlation(sound.samples, back.samples), format).toBeGreaterThan(alike[format])
    if (format !== 'mp3' && format !== 'opus')
      expect(greatestDifference(sound.samples, back.samples), format).toBeLessThanOrEqual(1 / 65_536 + 1e-7)
  }
})

test('FLAC keeps noise, clipping, silence and a constant as they are', async () => {
  const rate = 16_000
  const kinds = {
    noise: (at: number) => Math.sin(at * at * 12.9898) * 0.99,
    clipped: (at: number) => (at % 40 < 20 ? 2 : -2),
    silence: () => 0,
    constant: () => -0.25,
  }
  for (const [name, kind] of Object.entries(kinds)) {
    const samples = Float32Array.from({ length: 10_001 }, (_, at) => kind(at))
    const { bytes } = await encodeWhole([{ rate, samples }], { format: 'flac', maxBytes })
    const back = await whole(decodeSound([bytes]))
    const clipped = samples.map((sample) => Math.max(-1, Math.min(32_767 / 32_768, sample)))
    expect(greatestDifference(clipped, back.samples), name).toBeLessThanOrEqual(1 / 65_536 + 1e-7)
    expect(back.samples.length).toBe(10_001)
  }
})

test('every frame of a FLAC says its rate, without which browsers play none', async () => {
  for (const rate of [8_000, 11_025, 22_050, 24_000, 44_100, 48_000, 96_000]) {
    const sound = speechLike(rate, 0.5)
    const { bytes } = await encodeWhole([sound], { format: 'flac', maxBytes })
    const streamInfo = 4 + 4 + 34
    const comment = 4 + Buffer.from(bytes).readUIntBE(streamInfo + 1, 3)
    const frame = bytes.subarray(streamInfo + comment)
    expect([rate, frame[0], (frame[2]! & 15) > 0]).toEqual([rate, 0xff, true])
    const back = await whole(decodeSound([bytes]))
    expect([back.rate, back.samples.length]).toEqual([rate, sound.samples.length])
    if (hasFfmpeg) expect(probe(bytes, 'flac')).toMatchObject({ rate, messages: '' })
  }
})

test('a WAV that streams says that its length is not known, and a whole one says it exactly', async () => {
  const sound = speechLike(24_000, 0.5)
  const streamed = Buffer.concat(await Array.fromAsync(encodeSound([sound], { format: 'wav' })))
  expect([streamed.readUInt32LE(4), streamed.readUInt32LE(40)]).toEqual([0xffff_ffff, 0xffff_ffff])
  const { bytes } = await encodeWhole([sound], { format: 'wav', maxBytes })
  const stored = Buffer.from(bytes)
  expect([stored.readUInt32LE(4), stored.readUInt32LE(40)]).toEqual([stored.length - 8, stored.length - 44])
})

test('the same sound in other pieces is the same file', async () => {
  const { rate, samples } = speechLike(22_050, 1)
  for (const format of ['flac', 'wav', 'pcm', 'mp3', 'opus'] as const) {
    const pieces = Array.from({ length: Math.ceil(samples.length / 777) }, (_, index) => ({
      rate,
      samples: samples.subarray(index * 777, (index + 1) * 777),
    }))
    const one = await encodeWhole([{ rate, samples }], { format, rate: 24_000, maxBytes })
    const many = await encodeWhole(pieces, { format, rate: 24_000, maxBytes })
    expect(Buffer.compare(one.bytes, many.bytes), format).toBe(0)
  }
})

test('an encoder whose reader leaves closes the sound that it reads', async () => {
  for (const format of ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as SoundFormat[]) {
    let isClosed = false
    async function* endless() {
      try {
        for (;;) yield speechLike(24_000, 0.5)
      } finally {
        isClosed = true
      }
    }
    for await (const _ of encodeSound(endless(), { format })) break
    expect(isClosed, format).toBe(true)
  }
})

test('no sound, more bytes than allowed and rates without a common measure are typed errors', async () => {
  const fault = async (act: Promise<unknown>) =>
    act.then(
      () => 'none',
      (error) => (error instanceof SoundError ? error.fault : error),
    )
  const sound = speechLike(24_000, 1)
  expect(await fault(encodeWhole([], { format: 'mp3', maxBytes }))).toBe('empty')
  expect(await fault(encodeWhole([sound], { format: 'wav', maxBytes: 1_000 }))).toBe('too_long')
  const odd = { rate: 191_999, samples: new Float32Array(100) }
  expect(await fault(encodeWhole([odd], { format: 'wav', rate: 24_000, maxBytes }))).toBe('unsupported')
})

test.each(['mp3', 'wav', 'flac', 'opus'] as const)(
  'a note in %s changes nothing that is heard',
  async (format) => {
    const sound = {
      rate: 24_000,
      samples: Float32Array.from({ length: 24_000 }, (_, at) => 0.3 * Math.sin(at / 9)),
    }
    const file = async (note?: string): Promise<Uint8Array> =>
      (await encodeWhole([sound], { format, maxBytes: 1e6, note: () => note })).bytes
    for (const note of ['Odd.', 'Even', `data ${'«یادداشت» '.repeat(60)}`]) {
      const noted = await file(note)
      expect(Buffer.from(noted).includes(note)).toBe(true)
      expect(await whole(decodeSound([noted]))).toEqual(await whole(decodeSound([await file()])))
    }
  },
)
