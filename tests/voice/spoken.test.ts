/** The speech that other tests measure against. */
import { expect, test } from 'vitest'
import { hasEspeak, spoken, wordsOf } from '../harness/spoken.ts'

const text = 'سلام، می‌خواستم برای فردا [600] یه نوبت بگیرم'

test.skipIf(!hasEspeak)('a pause is as long as it is marked, and nothing is heard in it', async () => {
  const { samples, rate, stretches } = await spoken(text)
  expect(stretches.map(({ words }) => words)).toEqual(['سلام، می‌خواستم برای فردا', 'یه نوبت بگیرم'])
  const [first, second] = stretches
  expect(second!.fromMs - first!.untilMs).toBeCloseTo(600, 3)
  const at = (ms: number): number => Math.round((ms * rate) / 1_000)
  const pause = samples.subarray(at(first!.untilMs), at(second!.fromMs))
  expect(pause.every((sample) => sample === 0)).toBe(true)
  expect(samples[at(first!.untilMs) - 1]).not.toBe(0)
  expect(samples[at(second!.fromMs)]).not.toBe(0)
  expect(wordsOf(text)).toBe('سلام، می‌خواستم برای فردا یه نوبت بگیرم')
})

test.skipIf(!hasEspeak)('speech and noise have their levels, and both are the same each time', async () => {
  const options = { noiseDb: -40, speechDb: -20, seed: 3 }
  const noisy = await spoken(text, options)
  const again = await spoken(text, options)
  expect(again.samples).toEqual(noisy.samples)
  const quiet = await spoken(text, { speechDb: -20 })
  const levelOf = (samples: Float32Array): number =>
    10 * Math.log10(samples.reduce((sum, one) => sum + one * one, 0) / samples.length)
  expect(levelOf(noisy.samples.map((one, index) => one - quiet.samples[index]!))).toBeCloseTo(-40, 0)
  const [{ fromMs, untilMs } = { fromMs: 0, untilMs: 0 }] = quiet.stretches
  expect(levelOf(quiet.samples.subarray(fromMs * 16, untilMs * 16))).toBeCloseTo(-20, 0)
})
