import { describe, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { sandboxModels } from '#sandbox'
import { loadConfig } from '#settings'
import { buildCatalogue } from '../../catalogue.ts'
import { sumOfLines } from '../cost.ts'
import { videoLines, videoWorstCase } from './price.ts'
import type { VideoModel } from './video-model.ts'

const wide = '{ resolution: 720p, durations: [4, 8], aspect_ratios: ["16:9"], audio: optional }'
const heard = wide.replace('optional', 'always')

const entry = (video: string, pricing: string, dialects = '[openrouter]') => `providers:
  - { id: acme, base_url: https://films.example/v1, dialects: ${dialects} }
models:
  - id: acme/film
    kind: video
    deployments: [{ provider: acme, model: film-1 }]
    video: ${video}
    pricing: ${pricing}
`
function start(video: string, pricing = '{ per_second: 0.1 }', dialects?: string): VideoModel {
  const config = loadConfig(readEnv({}), entry(video, pricing, dialects))
  const model = buildCatalogue(config, { providers: [], models: [], silent: [] }, sandboxModels).find(
    'acme/film',
  )
  if (model?.kind !== 'video') throw new Error('no model of videos')
  return model
}

function refusal(video: string, pricing?: string, dialects?: string): StartRefused {
  try {
    start(video, pricing, dialects)
  } catch (error) {
    if (error instanceof StartRefused && error.fa) return error
    throw error
  }
  throw new Error('it was accepted')
}

test('an entry of one row has its first values as defaults', () => {
  expect(start(`{ combinations: [${wide}] }`).video).toEqual({
    combinations: [{ resolution: '720p', durations: [4, 8], aspectRatios: ['16:9'], audio: 'optional' }],
    defaults: { resolution: '720p', seconds: 4, aspectRatio: '16:9', withAudio: true },
    references: {},
    takesSeed: false,
  })
})

describe('what cannot work is refused with its place', () => {
  test.each([
    ['no combinations', '{ combinations: [] }', undefined, 'models[0].video.combinations'],
    ['no durations', `{ combinations: [${wide.replace('[4, 8]', '[]')}] }`, undefined, 'durations'],
    ['31 seconds', `{ combinations: [${wide.replace('8', '31')}] }`, undefined, 'durations'],
    ['no seconds', `{ combinations: [${wide.replace('[4, 8]', '[0]')}] }`, undefined, 'durations'],
    ['no ratio', `{ combinations: [${wide.replace('16:9', '0:9')}] }`, undefined, 'aspect_ratios'],
    ['nine pictures', `{ combinations: [${wide}], references: { guide: 9 } }`, undefined, 'references.guide'],
    [
      'three frames',
      `{ combinations: [${wide}], references: { frames: 3 } }`,
      undefined,
      'references.frames',
    ],
    [
      'defaults of no row',
      `{ combinations: [${wide}], default: { duration: 5 } }`,
      undefined,
      'video.default',
    ],
    ['no price', `{ combinations: [${wide}] }`, '{}', 'pricing'],
    [
      'a price for sound alone',
      `{ combinations: [${wide}] }`,
      '{ rows: [{ audio: true, per_second: 1 }] }',
      'pricing',
    ],
    ['a price below zero', `{ combinations: [${wide}] }`, '{ per_second: -1 }', 'pricing.per_second'],
  ])('%s', (_, video, pricing, place) => {
    expect(refusal(video, pricing).message).toContain(place)
  })
})

describe('what the wire of the provider cannot keep is refused at the start, with how to fix it', () => {
  const said = (video: string, pricing: string | undefined, dialects: string) => {
    const { message, fa } = refusal(video, pricing, dialects)
    expect(fa).toContain('acme')
    return message
  }

  test.each([
    ['silence of gemini', wide, '{}', undefined, /leaves no choice: write audio: always/],
    ['480p of gemini', heard.replace('720p', '480p'), '{}', undefined, /720p, 1080p and not of 480p/],
    ['a square of gemini', heard.replace('16:9', '1:1'), '{}', undefined, /16:9, 9:16 and not of 1:1/],
    ['seven pictures of gemini', heard, '{ guide: 7 }', undefined, /write video.references.guide: 6/],
    ['costs of gemini', heard, '{}', '{ per_second: 1, trust_cost: usd }', /leave pricing.trust_cost out/],
  ])('%s', (_, row, references, pricing, sentence) => {
    const video = `{ combinations: [${row}], references: ${references} }`
    expect(said(video, pricing, '[gemini]')).toMatch(sentence)
    // The first dialect of the table makes videos, wherever it stands in the list.
    expect(start(video, pricing, '[gemini, openrouter]')).toMatchObject({ kind: 'video' })
  })

  test('costs of fal, and videos of a provider without a wire of videos', () => {
    const video = `{ combinations: [${wide}] }`
    expect(said(video, '{ per_second: 1, trust_cost: usd }', '[fal]')).toContain('trust_cost')
    expect(said(video, undefined, '[images]')).toContain('add openrouter, gemini or fal')
    expect(start(video, undefined, '[fal]')).toMatchObject({ kind: 'video' })
    expect(
      start(`{ combinations: [${heard}], references: { guide: 6, frames: 2 } }`, undefined, '[gemini]'),
    ).toMatchObject({
      video: { references: { guide: 6, frames: 2 } },
    })
  })
})

describe('the price', () => {
  const conversion = { creditsPerUsd: 1_000, markup: 1 }
  const order = { resolution: '720p' as const, seconds: 8, withAudio: true }
  const rows = '{ rows: [{ audio: true, per_second: 0.4 }, { per_second: 0.2, per_video: 0.01 }]'
  const model = (more = '') => start(`{ combinations: [${wide}] }`, `${rows}${more} }`)

  test('is that of the first row that fits, for each second and for the video', () => {
    expect(videoWorstCase(model(), conversion, order)).toBe(3_200_000_000n)
    expect(videoWorstCase(model(), conversion, { ...order, withAudio: false })).toBe(1_610_000_000n)
  })

  test('is for what was ordered, or what came of it, and never above the hold', () => {
    const cost = (more: string, deliveredSeconds: number, costUsd?: number) =>
      sumOfLines(videoLines(model(more), conversion, { ...order, deliveredSeconds, costUsd }))
    expect(cost('', 2)).toBe(3_200_000_000n)
    expect(cost(', billed: delivered', 3.2)).toBe(1_600_000_000n)
    expect(cost(', billed: delivered', 99)).toBe(3_200_000_000n)
    expect(cost('', 8, 0.1)).toBe(3_200_000_000n)
    expect(cost(', trust_cost: usd', 8, 0.1)).toBe(100_000_000n)
    expect(cost(', trust_cost: usd', 8, 99)).toBe(3_200_000_000n)
    expect(cost(', trust_cost: usd', 8, -1)).toBe(3_200_000_000n)
    expect(cost(', trust_cost: usd', 8, 0)).toBe(3_200_000_000n)
    expect(cost(', trust_cost: usd', 8)).toBe(3_200_000_000n)
  })
})
