import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  inThousandWords,
  type Model,
  mainPricesOf,
  microcreditsOf,
  ofThousandWords,
  partOfMillion,
  pricesOf,
} from './prices.ts'

// The console's types know nothing of the server, so the door is imported by a name that the compiler does not follow.
const door: string = '#core/models'
const server = (await import(door)) as {
  microcreditsOf(usd: number, conversion: { creditsPerUsd: number; markup: number }): bigint
}

describe('a price in credits', () => {
  test.each([
    [0.75, 1_000, 750_000_000n],
    [0.1, 3, 300_000n],
    [1.1, 1.1, 1_210_000n],
    [1e-7, 1_000, 100n],
    [1.5e-8, 1_000, 15n],
    [1e-10, 1_000, 1n],
    [0.0006666666666666666, 1_000, 666_667n],
    [0.006666666666666667, 1_000, 6_666_667n],
    [15, 0, 0n],
    [0, 1_000, 0n],
    [2.5e21, 1, 2_500_000_000_000_000_000_000_000_000n],
  ])('of %s USD at %s credits each is that of the digits, rounded up', (usd, rate, microcredits) => {
    expect(microcreditsOf(usd, rate)).toBe(microcredits)
  })

  test('is what the server charges, for every price and markup that occurs', () => {
    for (let at = 1; at <= 3_000; at++) {
      const usd = Number((at * 0.0137).toPrecision(1 + (at % 7)))
      for (const [creditsPerUsd, markup] of [
        [1_000, 1],
        [1_000, 1.1],
        [640.5, 1.07],
        [1, 3],
      ] as const) {
        const charged = server.microcreditsOf(usd, { creditsPerUsd, markup })
        expect(microcreditsOf(usd, creditsPerUsd * markup), `${usd} ${creditsPerUsd} ${markup}`).toBe(charged)
      }
    }
  })

  test('of a part of a million is rounded up', () => {
    expect(partOfMillion(75_000_000n, 2_400)).toBe(180_000n)
    expect(partOfMillion(1n, 1)).toBe(1n)
    expect(partOfMillion(0n, 2_400)).toBe(0n)
  })
})

const modelOf = (kind: string, pricing: object, more: object = {}): Model =>
  ({
    kind,
    pricing: { currency: 'USD', credits_per_usd: 1_000, ...pricing },
    media_input: null,
    input_modalities: ['text'],
    ...more,
  }) as unknown as Model

const text = modelOf('text', {
  input_per_million: 0.75,
  output_per_million: 4.5,
  cached_input_per_million: 0.075,
  cache_write_per_million: 0,
})

describe('the prices of a model', () => {
  test('of text are all there, also those that are zero, with that of sound and video where it reads them', () => {
    const heard = { ...text, media_input: { input_per_million: 1 } } as Model
    expect(pricesOf(heard).map(({ name, microcredits }) => [name, microcredits])).toEqual([
      ['input', 750_000_000n],
      ['output', 4_500_000_000n],
      ['cachedInput', 75_000_000n],
      ['cacheWrite', 0n],
      ['mediaInput', 1_000_000_000n],
    ])
  })

  test('are none where all are zero', () => {
    expect(pricesOf(modelOf('embedding', { input_per_million: 0 }))).toEqual([])
    expect(mainPricesOf(modelOf('realtime', { per_minute: 0 }))).toEqual([])
  })

  test('of pictures have a row for each condition, and in the list one range', () => {
    const model = modelOf('image', {
      unit: 'image',
      per_image: 0.01,
      rows: [
        { quality: 'low', per_image: 0.004 },
        { quality: 'medium', size: '512x512', per_image: 0.006 },
        { quality: 'high', per_image: 0.03 },
      ],
      per_reference: 0.001,
      per_partial: 0,
    })
    expect(pricesOf(model)).toEqual([
      { name: 'picture', unit: 'each', microcredits: 4_000_000n, condition: { quality: 'low' } },
      {
        name: 'picture',
        unit: 'each',
        microcredits: 6_000_000n,
        condition: { quality: 'medium', size: '512x512' },
      },
      { name: 'picture', unit: 'each', microcredits: 30_000_000n, condition: { quality: 'high' } },
      { name: 'picture', unit: 'each', microcredits: 10_000_000n },
      { name: 'reference', unit: 'each', microcredits: 1_000_000n },
    ])
    expect(mainPricesOf(model)).toEqual([
      { name: 'picture', unit: 'each', from: 4_000_000n, to: 30_000_000n, isEstimate: false },
    ])
  })

  test('of pictures by tokens say what is expected of each, and that it is an estimate', () => {
    const model = modelOf('image', {
      unit: 'tokens',
      input_per_million: 5,
      media_input_per_million: 8,
      output_per_million: 30,
      output_tokens: [
        { quality: 'low', tokens: 196 },
        { quality: 'high', tokens: 7_024 },
      ],
    })
    expect(mainPricesOf(model)).toEqual([
      { name: 'picture', unit: 'each', from: 5_880_000n, to: 210_720_000n, isEstimate: true },
    ])
    expect(pricesOf(model).map(({ name }) => name)).toEqual([
      'picture',
      'picture',
      'textInput',
      'imageOutput',
      'imageInput',
    ])
  })

  test('of videos are those of a second and of a whole one, each by its condition', () => {
    const model = modelOf('video', {
      rows: [
        { resolution: '720p', audio: true, per_second: 0.07, per_video: 0.02 },
        { audio: false, per_second: 0.1 },
      ],
    })
    expect(mainPricesOf(model)).toEqual([
      { name: 'video', unit: 'second', from: 70_000_000n, to: 100_000_000n, isEstimate: false },
      { name: 'video', unit: 'each', from: 20_000_000n, to: 20_000_000n, isEstimate: false },
    ])
  })

  test.each([
    ['audio', { per_million_characters: 15, per_minute: 0, input_per_million: 0 }, ['characters']],
    [
      'audio',
      { per_minute: 0, input_per_million: 0.6, output_per_million: 12 },
      ['textInput', 'audioOutput'],
    ],
    ['transcription', { per_minute: 0.006, input_per_million: 0, output_per_million: 0 }, ['recording']],
    [
      'transcription',
      { per_minute: 0, input_per_million: 2.5, output_per_million: 10 },
      ['audioInput', 'textOutput'],
    ],
    ['realtime', { per_minute: 0.01, audio_input_per_million: 32 }, ['audioInput', 'call']],
    ['later', { per_minute: 1, input_per_million: 2 }, ['input', 'sound']],
  ])('of %s are named by what is paid', (kind, pricing, names) => {
    expect(mainPricesOf(modelOf(kind, pricing)).map(({ name }) => name)).toEqual(names)
  })
})

test('what 1,000 words cost is said of texts alone', () => {
  const [input, output] = pricesOf(text)
  expect(ofThousandWords(input!, 'fa')).toBe(1_800_000n)
  expect(ofThousandWords(output!, 'en')).toBe(5_850_000n)
  const [minute] = pricesOf(modelOf('transcription', { per_minute: 0.006 }))
  expect(ofThousandWords(minute!, 'fa')).toBeUndefined()
  const tokens = pricesOf(modelOf('image', { unit: 'tokens', output_per_million: 30 }))
  expect(ofThousandWords(tokens[0]!, 'fa')).toBeUndefined()
})

test.each([
  ['fa', /^[\u0600-\u06ff\u200c،.؛:«»؟!]+$/],
  ['en', /^[A-Za-z,.;:'’?!]+$/],
] as const)(
  '1,000 words of the guides (%s) are as long as the page says, within a tenth',
  (language, word) => {
    const root = path.resolve(import.meta.dirname, '../../..')
    const words = globSync('docs/guides/**/*.md', { cwd: root })
      .filter((file) => file.endsWith('.fa.md') === (language === 'fa'))
      .flatMap((file) =>
        readFileSync(path.join(root, file), 'utf8')
          .replace(/```[\s\S]*?```|`[^`]*`/g, '')
          .split(/[\s|*#[\]()]+/),
      )
      .filter((one) => word.test(one))
    expect(words.length).toBeGreaterThan(5_000)
    const sum = (sizeOf: (text: string) => number): number =>
      words.reduce((all, one) => all + sizeOf(`${one} `), 0) / words.length
    const { tokens, characters } = inThousandWords[language]
    expect(Math.abs((sum((one) => Buffer.byteLength(one)) / 4) * 1_000 - tokens)).toBeLessThan(tokens / 10)
    expect(Math.abs(sum((one) => one.length) * 1_000 - characters)).toBeLessThan(characters / 10)
  },
)
