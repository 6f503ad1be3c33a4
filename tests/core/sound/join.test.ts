/** Pieces that were spoken one by one become one sound: one rate, one loudness, no click. */
import { describe, expect, test } from 'vitest'
import { joinSpeech, loudnessOf, resample, type Sound, SoundError } from '#core/sound'
import { ffmpeg, hasFfmpeg } from './ffmpeg.ts'
import { outcome, sine, speechLike, whole } from './samples.ts'

const amplified = ({ rate, samples }: Sound, factor: number): Sound => ({
  rate,
  samples: samples.map((sample) => sample * factor),
})

const halves = ({ rate, samples }: Sound, factor: number): Sound => ({
  rate,
  samples: samples.map((sample, at) => sample * (at < samples.length / 2 ? 1 : factor)),
})

/** Integrated loudness and true peak, in dB, as ffmpeg's ebur128 measures them. */
function judged({ rate, samples }: Sound): { lufs: number; peak: number } {
  const { messages } = ffmpeg(
    [
      '-f',
      'f32le',
      '-ar',
      String(rate),
      '-ac',
      '1',
      '-i',
      'pipe:0',
      '-af',
      'ebur128=peak=true',
      '-f',
      'null',
      '-',
    ],
    new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
  )
  const summary = messages.slice(messages.lastIndexOf('Summary:'))
  return {
    lufs: Number(/I:\s+(-?[\d.]+) LUFS/.exec(summary)![1]),
    peak: Number(/Peak:\s+(-?[\d.]+) dBFS/.exec(summary)![1]),
  }
}

describe.skipIf(!hasFfmpeg)('judged by ffmpeg', () => {
  test('loudness is that of ebur128 to 0.3 LU, at every rate, with pauses and without', async () => {
    for (const rate of [8_000, 24_000, 44_100])
      for (const sound of [
        speechLike(rate, 6, 0.3),
        sine(rate, 1_000, 3, 0.1),
        amplified(speechLike(rate, 5), 0.02),
        // The second half is above the absolute gate, and below the relative one.
        halves(sine(rate, 500, 4, 0.3), 0.05),
      ])
        expect(Math.abs((await loudnessOf([sound])) - judged(sound).lufs), `${rate}`).toBeLessThan(0.3)
  })

  test('turns of any loudness become equally loud to 0.5 LU, and no true peak is above -1 dB', async () => {
    const rate = 24_000
    const turns = [
      speechLike(rate, 4, 0.9),
      amplified(speechLike(44_100, 4), 0.3),
      amplified(sine(16_000, 440, 3), 0.3),
    ]
    const lufs = -16
    for (const turn of turns) {
      const { samples } = await whole(joinSpeech([[turn]], { rate, lufs }))
      const found = judged({ rate, samples })
      expect(Math.abs(found.lufs - lufs)).toBeLessThan(0.5)
      expect(found.peak).toBeLessThanOrEqual(-1)
    }
    const impulses = amplified(speechLike(rate, 4), 0.1)
    for (let at = 500; at < impulses.samples.length; at += 4_801) impulses.samples[at] = 0.9
    const { samples } = await whole(joinSpeech([[impulses]], { rate, lufs: -14 }))
    expect(judged({ rate, samples }).peak).toBeLessThanOrEqual(-1)
  })
})

test('a tone of -23 LUFS by definition is measured as such', async () => {
  // EBU Tech 3341: a sine of 1 kHz in one channel of -20 dB of full scale.
  expect(await loudnessOf([sine(48_000, 1_000, 5, 0.1)])).toBeCloseTo(-23, 0)
  expect(await loudnessOf([{ rate: 48_000, samples: new Float32Array(48_000) }])).toBe(
    Number.NEGATIVE_INFINITY,
  )
})

test('pieces of several rates become one, with gaps of the asked length and none for an empty piece', async () => {
  const pieces = [
    [sine(24_000, 200, 0.5)],
    [],
    [sine(16_000, 200, 0.3), sine(16_000, 200, 0.2)],
    [sine(48_000, 200, 0.5)],
  ]
  const { rate, samples } = await whole(joinSpeech(pieces, { rate: 24_000, gapMs: 250 }))
  expect(rate).toBe(24_000)
  expect(samples.length).toBe(24_000 * (3 * 0.5 + 2 * 0.25))
  for (const start of [12_000, 30_000])
    expect(samples.subarray(start, start + 6_000).every((sample) => sample === 0)).toBe(true)
})

test('no join clicks: a cut in the middle of a wave rises and falls over milliseconds', async () => {
  const tone = sine(24_000, 300, 0.25, 0.9)
  // Both end at a crest.
  const pieces = [tone.samples.subarray(0, 5_020), tone.samples.subarray(20, 5_020)]
  const steepest = (samples: Float32Array) =>
    samples.reduce((most, sample, at) => Math.max(most, Math.abs(sample - (samples[at - 1] ?? 0))), 0)
  for (const gapMs of [0, 250]) {
    const { samples } = await whole(
      joinSpeech(
        pieces.map((piece) => [{ rate: 24_000, samples: piece }]),
        { rate: 24_000, gapMs },
      ),
    )
    expect(steepest(samples)).toBeLessThanOrEqual(steepest(tone.samples) * 1.05)
    expect(Math.abs(samples.at(-1)!)).toBeLessThan(0.01)
  }
})

test('a piece longer than half a minute leaves before it is over, as loud to its end as it began', async () => {
  let read = 0
  function* long() {
    for (; read < 60; read++) yield amplified(speechLike(8_000, 1), 0.2)
  }
  const samples: Float32Array[] = []
  for await (const piece of joinSpeech([long()], { rate: 8_000, lufs: -20 })) {
    if (samples.length === 0) expect(read).toBeLessThan(35)
    samples.push(piece.samples)
  }
  const all = await whole(samples.map((piece) => ({ rate: 8_000, samples: piece })))
  expect(all.samples.length).toBe(480_000)
  expect(Math.abs((await loudnessOf([all])) + 20)).toBeLessThan(0.5)
})

test('the same pieces in other chunks are the same sound, and silence stays silence', async () => {
  const { rate, samples } = speechLike(22_050, 1.5)
  const inParts = Array.from({ length: 34 }, (_, index) => ({
    rate,
    samples: samples.subarray(index * 1_000, (index + 1) * 1_000),
  }))
  const options = { rate: 24_000, lufs: -18 }
  const one = await whole(joinSpeech([[{ rate, samples }]], options))
  const many = await whole(joinSpeech([inParts], options))
  expect(Buffer.compare(Buffer.from(one.samples.buffer), Buffer.from(many.samples.buffer))).toBe(0)
  const silent = await whole(joinSpeech([[{ rate, samples: new Float32Array(22_050) }]], options))
  expect(silent.samples.every((sample) => sample === 0)).toBe(true)
})

/** Amplitude of a tone in the middle of a sound, and of everything else. */
function toneIn({ rate, samples }: Sound, hertz: number): { tone: number; rest: number } {
  const middle = samples.subarray(Math.round(samples.length / 4), Math.round(samples.length * 0.75))
  let [re, im, power, weights] = [0, 0, 0, 0]
  const weight = (at: number) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / middle.length)
  middle.forEach((sample, at) => {
    re += weight(at) * sample * Math.cos((2 * Math.PI * hertz * at) / rate)
    im += weight(at) * sample * Math.sin((2 * Math.PI * hertz * at) / rate)
    weights += weight(at)
  })
  ;[re, im] = [(2 * re) / weights, (2 * im) / weights]
  middle.forEach((sample, at) => {
    const phase = (2 * Math.PI * hertz * at) / rate
    power += (sample - re * Math.cos(phase) - im * Math.sin(phase)) ** 2
  })
  return { tone: Math.hypot(re, im), rest: Math.sqrt((2 * power) / middle.length) }
}

const db = (factor: number) => 20 * Math.log10(factor)
const ratios = [[24_000, 48_000], [48_000, 24_000], [44_100, 24_000], [22_050, 44_100], [16_000, 8_000], [11_025, 48_000], [48_000, 44_100]] as const // biome-ignore format: a table

test('tones pass a change of rate within 0.05 dB and 70 dB above what it adds, without a delay', async () => {
  for (const [from, to] of ratios)
    for (const part of [0.02, 0.2, 0.5, 0.8]) {
      const hertz = (part * Math.min(from, to)) / 2
      const result = await whole(resample([sine(from, hertz, 0.4)], to))
      expect(result.samples.length).toBe(Math.ceil(0.4 * to))
      const { tone, rest } = toneIn(result, hertz)
      expect(Math.abs(db(tone / 0.5)), `${from} to ${to}, ${hertz} Hz`).toBeLessThan(0.05)
      expect(db(tone / rest), `${from} to ${to}, ${hertz} Hz`).toBeGreaterThan(70)
      const expected = sine(to, hertz, 0.4).samples
      for (let at = 2_000; at < 2_100; at++) expect(result.samples[at]).toBeCloseTo(expected[at]!, 2)
    }
})

test('what the lower rate cannot hold is 70 dB down, and does not come back as another tone', async () => {
  for (const [from, to] of ratios.filter(([from, to]) => from > to))
    for (const part of [1.02, 1.3]) {
      const hertz = Math.min((part * to) / 2, from * 0.49)
      if (hertz <= to / 2) continue
      const { samples } = await whole(resample([sine(from, hertz, 0.4)], to))
      const middle = samples.subarray(Math.round(samples.length / 4), Math.round(samples.length * 0.75))
      const rms = Math.sqrt(middle.reduce((sum, sample) => sum + sample ** 2, 0) / middle.length)
      expect(db((rms * Math.SQRT2) / 0.5), `${from} to ${to}, ${hertz} Hz`).toBeLessThan(-70)
    }
})

test('rates out of bounds, or in no ratio of small integers, are unsupported', async () => {
  const quiet = (rate: number) => [{ rate, samples: new Float32Array(10) }]
  expect(await outcome(resample(quiet(47_999), 44_101))).toBe('unsupported')
  expect(await outcome(resample(quiet(3_000), 8_000))).toBe('unsupported')
  expect(await outcome(resample(quiet(8_000), 800_000))).toBe('unsupported')
  expect(new SoundError('unsupported')).toBeInstanceOf(Error)
})
