import { expect, test } from 'vitest'
import { costOf, expectLinear, maxTurnMs } from '../../../tests/cost/cost.ts'
import { sampleRate, speak, spokenMs, type Voice, voices } from './speech.ts'

const text = 'سلام، حال شما چطور است؟ من کتاب خریدم و شیر خوردم. The machine speaks at 3.5 percent!'

function samplesOf(words: string, voice: Voice): number[] {
  return [...speak(words, voice)].flatMap((chunk) => [...chunk])
}

test.each(voices)(
  '$id speaks exactly as long as was said before, below -1 dBFS and without a constant part',
  (voice) => {
    const samples = samplesOf(text, voice)
    expect(samples.length).toBe((spokenMs(text, voice) * sampleRate) / 1_000)
    const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    expect(20 * Math.log10(peak / 32_768)).toBeLessThan(-1)
    expect(20 * Math.log10(peak / 32_768)).toBeGreaterThan(-12)
    expect(Math.abs(samples.reduce((sum, value) => sum + value, 0) / samples.length)).toBeLessThan(30)
  },
)

test('the same text gives the same samples, another voice gives others', () => {
  const [mina, kian] = [voices[0]!, voices[1]!]
  expect(samplesOf('سلام', mina)).toEqual(samplesOf('سلام', mina))
  expect(samplesOf('سلام', mina)).not.toEqual(samplesOf('سلام', kian))
})

test('a text without a word is silent and lasts no time', () => {
  for (const empty of ['', ' ', '...', '؟!', '\u200c']) {
    expect(samplesOf(empty, voices[0]!)).toEqual([])
    expect(spokenMs(empty, voices[0]!)).toBe(0)
  }
})

test('no chunk of a text without an end takes longer than a turn of the loop may', () => {
  for (const unit of ['ا', 'متن ', '۱', 'A', '.', ' ']) {
    const chunks = speak(unit.repeat(1_000_000 / unit.length), voices[0]!)
    for (let at = 0; at < 5; at += 1) chunks.next()
    const costs = Array.from({ length: 20 }, () => costOf(() => chunks.next()))
    expect(Math.max(...costs), unit).toBeLessThan(maxTurnMs)
  }
})

test('its length is reckoned in time that grows with the text', async () => {
  for (const unit of ['ا', 'متن ', '۱٬', 'the ', '، ', 'ب\u200c']) {
    const cost = (length: number) => costOf(() => spokenMs(unit.repeat(length / unit.length), voices[0]!))
    await expectLinear(JSON.stringify(unit), cost, { from: 10_000, to: 40_000 })
  }
})
