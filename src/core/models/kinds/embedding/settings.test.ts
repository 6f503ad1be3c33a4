import { describe, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { loadConfig } from '#settings'

const entry = (more: string, pricing = 'pricing: { input_per_million: 0.02 }') => `models:
  - id: acme/near
    kind: embedding
    deployments: [{ provider: acme, model: near-1 }]
    ${pricing}
    ${more}
`
const read = (more: string) => {
  const [model] = loadConfig(readEnv({}), entry(more)).models
  if (model?.kind !== 'embedding') throw new Error('no embedding model')
  return model
}

function refusal(file: string): string {
  try {
    loadConfig(readEnv({}), file)
  } catch (error) {
    if (error instanceof StartRefused && error.fa) return error.message
    throw error
  }
  throw new Error('the start was not refused')
}

test('a price and the longest text are enough; all else has its default', () => {
  expect(read('max_input_tokens: 8192')).toMatchObject({
    maxInputTokens: 8_192,
    maxBatch: 32,
    maxBatchTokens: 300_000,
    encoding: 'base64',
    fallbacks: [],
    pricing: { inputPerMillion: 0.02 },
  })
  const { dimensions, maxDimensions, allowedDimensions } = read('max_input_tokens: 8192')
  expect([dimensions, maxDimensions, allowedDimensions]).toEqual([undefined, undefined, undefined])
})

test('every member is read as it is written, at its edges', () => {
  expect(
    read(
      '{ max_input_tokens: 16, max_batch: 2048, max_batch_tokens: 16, dimensions: 4096, max_dimensions: 4096, encoding_format: float }'
        .slice(2, -2)
        .replaceAll(', ', '\n    ')
        .concat('\n    allowed_dimensions: [256, 512]'),
    ),
  ).toMatchObject({
    maxInputTokens: 16,
    maxBatch: 2_048,
    maxBatchTokens: 16,
    dimensions: 4_096,
    maxDimensions: 4_096,
    allowedDimensions: [256, 512],
    encoding: 'float',
  })
})

test('the model that finds passages is named with its place', () => {
  const { defaults } = loadConfig(readEnv({}), 'defaults: { embedding_model: sandbox/embedding }')
  expect(defaults.models['embedding']).toMatchObject({
    model: 'sandbox/embedding',
    where: expect.stringMatching(/defaults\.embedding_model/),
  })
})

describe('a wrong entry stops the start with line, path and how to fix it', () => {
  const bound = 'max_input_tokens: 512'
  test.each<[string, string, RegExp]>([
    ['no price', entry(bound, ''), /models\[0\]\.pricing is missing.*0 for free/],
    ['half a price', entry(bound, 'pricing: {}'), /pricing\.input_per_million is missing/],
    [
      'a price below nothing',
      entry(bound, 'pricing: { input_per_million: -1 }'),
      /input_per_million is "-1"/,
    ],
    [
      'a price of what it does not write',
      entry(bound, 'pricing: { input_per_million: 1, output_per_million: 1 }'),
      /output_per_million is not a known entry/,
    ],
    ['no bound of a text', entry(''), /models\[0\]\.max_input_tokens is missing/],
    ['too short a text', entry('max_input_tokens: 15'), /max_input_tokens is "15"/],
    ['too large a batch', entry(`${bound}\n    max_batch: 2049`), /max_batch is "2049"/],
    ['too few tokens', entry(`${bound}\n    max_batch_tokens: 15`), /max_batch_tokens is "15"/],
    ['too many dimensions', entry(`${bound}\n    max_dimensions: 4097`), /max_dimensions is "4097"/],
    ['no dimensions', entry(`${bound}\n    allowed_dimensions: [0]`), /allowed_dimensions\[0\] is "0"/],
    ['too long a vector', entry(`${bound}\n    dimensions: 4097`), /dimensions is "4097"/],
    ['an unknown encoding', entry(`${bound}\n    encoding_format: int8`), /base64, float/],
    [
      'fallbacks, whose vectors would not compare',
      entry(`${bound}\n    fallbacks: [a/b]`),
      /fallbacks is not a known entry/,
    ],
    [
      'a member of a text model',
      entry(`${bound}\n    context_length: 1000`),
      /context_length is not a known entry/,
    ],
  ])('%s', (_, file, sentence) => {
    expect(refusal(file)).toMatch(sentence)
  })
})
