import { describe, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { loadConfig } from '#settings'
import { sumOfLines } from '../cost.ts'
import type { AudioModel } from './audio-model.ts'
import { audioLines, maxSpokenSeconds } from './price.ts'

const entry = (audio: string, pricing: string) => `models:
  - id: acme/voice
    kind: audio
    deployments: [{ provider: acme, model: voice-1 }]
    audio: ${audio}
    pricing: ${pricing}
`
const read = (audio: string, pricing = '{ per_minute: 0 }') => {
  const [model] = loadConfig(readEnv({}), entry(audio, pricing)).models
  if (model?.kind !== 'audio') throw new Error('no audio model')
  return model
}

function refusal(audio: string, pricing = '{ per_minute: 0 }'): string {
  try {
    loadConfig(readEnv({}), entry(audio, pricing))
  } catch (error) {
    if (error instanceof StartRefused && error.fa) return error.message
    throw error
  }
  throw new Error('it was accepted')
}

test('an entry with nothing but voices speaks one text, as mp3, at its own pace', () => {
  expect(
    read('{ voices: [{ id: alloy }, { id: nova, name: نوا, gender: female, languages: [fa] }] }').audio,
  ).toEqual({
    tasks: ['speech'],
    voices: [
      { id: 'alloy', name: 'alloy', languages: [] },
      { id: 'nova', name: 'نوا', gender: 'female', languages: ['fa'] },
    ],
    takesOtherVoices: false,
    formats: ['mp3'],
    rate: 24_000,
    takesInstructions: false,
    isVerbatim: false,
    maxCharacters: 4_096,
    maxTurns: 40,
    maxVoices: 2,
  })
})

describe('what cannot work is refused with its place', () => {
  test.each([
    ['no voices', '{}', undefined, 'models[0].audio.voices'],
    ['a speed upside down', '{ voices: [{ id: a }], speed: [4, 0.25] }', undefined, 'models[0].audio.speed'],
    ['a voice without id', '{ voices: [{ name: x }] }', undefined, 'models[0].audio.voices[0]'],
    [
      'a word that voices do not have',
      '{ voices: [{ id: x, tone: y }] }',
      undefined,
      'models[0].audio.voices[0]',
    ],
    ['one speed', '{ voices: [{ id: a }], speed: [1] }', undefined, 'models[0].audio.speed'],
    ['no price', '{ voices: [{ id: a }] }', '{}', 'models[0].pricing'],
    [
      'a format that nobody makes',
      '{ voices: [{ id: a }], formats: [midi] }',
      undefined,
      'models[0].audio.formats',
    ],
  ])('%s', (_, audio, pricing, place) => {
    expect(refusal(audio, pricing)).toContain(place)
  })
})

describe('price', () => {
  const conversion = { creditsPerUsd: 1_000, markup: 1 }
  const model = (pricing: Partial<AudioModel['pricing']>): AudioModel =>
    ({
      pricing: {
        perMillionCharacters: 0,
        perMinute: 0,
        inputPerMillion: 0,
        outputPerMillion: 0,
        ...pricing,
      },
    }) as AudioModel
  const used = { characters: 1_000, seconds: 61.2, inputTokens: 100, outputTokens: 2_000 }

  test.each([
    // 1,000 characters at 15 USD a million: 0.015 USD = 15 credits.
    ['by characters', { perMillionCharacters: 15 }, 15_000_000n],
    // 62 begun seconds of 0.6 USD a minute: 0.62 USD = 620 credits.
    ['by begun seconds', { perMinute: 0.6 }, 620_000_000n],
    // 100 × 1 + 2,000 × 12 millionths of a USD = 0.0241 USD = 24.1 credits.
    ['by tokens', { inputPerMillion: 1, outputPerMillion: 12 }, 24_100_000n],
    // A third of a micro-credit a minute is rounded up to one, and 62 seconds at that price to two.
    ['rounded up', { perMinute: 0.000_000_001 / 3 }, 2n],
  ])('%s', (_, pricing, microcredits) => {
    expect(sumOfLines(audioLines(model(pricing), conversion, used))).toBe(microcredits)
  })

  test('the bound of seconds is beyond the slowest speech', () => {
    expect(maxSpokenSeconds(300)).toBe(102)
    expect(maxSpokenSeconds(1, 40)).toBe(81)
  })
})
