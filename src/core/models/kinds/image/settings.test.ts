import { describe, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { loadConfig } from '#settings'

const entry = (image: string, pricing: string, more = '') => `models:
  - id: acme/painter
    kind: image
    deployments: [{ provider: acme, model: painter-1 }]
    image: ${image}
    pricing: ${pricing}
    ${more}
`
const read = (image: string, pricing: string, more?: string) => {
  const [model] = loadConfig(readEnv({}), entry(image, pricing, more)).models
  if (model?.kind !== 'image') throw new Error('no image model')
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

test('sizes and a price are enough; all else has its default', () => {
  const model = read('{ sizes: [1024x1024] }', '{ per_image: 0.04 }')
  expect(model.image).toEqual({
    sizes: [{ width: 1024, height: 1024 }],
    qualities: [],
    formats: [],
    backgrounds: [],
    maxCount: 1,
    maxReferences: 0,
    takesMasks: false,
    maxPartials: 0,
    takesSeed: false,
  })
  expect(model.pricing).toEqual({ unit: 'image', perImage: 0.04, rows: [], perReference: 0, perPartial: 0 })
})

test('every member is read as it is written', () => {
  const image =
    '{ sizes: [1024x1024, 1536x1024], qualities: [low, high], formats: [png, webp], backgrounds: [opaque, transparent], max_count: 4, max_references: 16, masks: true, partial_images: 3, seed: true, response_format: b64_json }'
  const pricing =
    '{ per_image: 0.02, rows: [{ quality: high, size: 1536x1024, per_image: 0.25 }, { quality: low, per_image: 0 }], per_reference: 0.003, per_partial: 0.001 }'
  const model = read(image, pricing, 'fallbacks: [acme/other]')
  expect(model).toMatchObject({
    fallbacks: ['acme/other'],
    image: {
      sizes: [
        { width: 1024, height: 1024 },
        { width: 1536, height: 1024 },
      ],
      qualities: ['low', 'high'],
      formats: ['png', 'webp'],
      backgrounds: ['opaque', 'transparent'],
      maxCount: 4,
      maxReferences: 16,
      takesMasks: true,
      maxPartials: 3,
      takesSeed: true,
      responseFormat: 'b64_json',
    },
    pricing: {
      perImage: 0.02,
      rows: [
        { quality: 'high', size: { width: 1536, height: 1024 }, perImage: 0.25 },
        { quality: 'low', perImage: 0 },
      ],
      perReference: 0.003,
      perPartial: 0.001,
    },
  })
})

test('prices by tokens are read with what a picture is expected to have', () => {
  const image = '{ sizes: [1024x1024, 1536x1024], qualities: [low, high] }'
  const least = read(
    image,
    '{ unit: tokens, input_per_million: 5, output_per_million: 30, output_tokens: [{ tokens: 1756 }] }',
  )
  expect(least.pricing).toEqual({
    unit: 'tokens',
    inputPerMillion: 5,
    mediaInputPerMillion: 5,
    outputPerMillion: 30,
    expected: { output: [{ tokens: 1756 }], perReference: 4_096, perPartial: 0, margin: 1.5 },
  })
  const whole = read(
    image,
    '{ unit: tokens, input_per_million: 5, media_input_per_million: 8, output_per_million: 30, output_tokens: [{ quality: low, tokens: 196 }, { quality: high, size: 1536x1024, tokens: 1372 }], reference_tokens: 7000, partial_tokens: 100, margin: 2 }',
  )
  expect(whole.pricing).toMatchObject({
    mediaInputPerMillion: 8,
    expected: {
      output: [
        { quality: 'low', tokens: 196 },
        { quality: 'high', size: { width: 1536, height: 1024 }, tokens: 1372 },
      ],
      perReference: 7_000,
      perPartial: 100,
      margin: 2,
    },
  })
})

describe('a wrong entry stops the start with line, path and how to fix it', () => {
  const sizes = '{ sizes: [1024x1024], qualities: [low] }'
  const free = '{ per_image: 0 }'
  test.each<[string, string, RegExp]>([
    ['no price', entry(sizes, '{}'), /6: models\[0\]\.pricing\.per_image is missing.*0 for free/],
    ['a price below nothing', entry(sizes, '{ per_image: -1 }'), /per_image is "-1"/],
    [
      'a unit that there is not',
      entry(sizes, '{ unit: pixels, per_image: 1 }'),
      /unit is "pixels": write one of image, tokens/,
    ],
    [
      'tokens without a table',
      entry(sizes, '{ unit: tokens, input_per_million: 5, output_per_million: 30 }'),
      /output_tokens is missing: write how many tokens a picture has/,
    ],
    [
      'tokens with an empty table',
      entry(sizes, '{ unit: tokens, input_per_million: 5, output_per_million: 30, output_tokens: [] }'),
      /output_tokens.*how many tokens a picture has/,
    ],
    [
      'tokens without a price',
      entry(sizes, '{ unit: tokens, input_per_million: 5, output_tokens: [{ tokens: 1 }] }'),
      /output_per_million is missing: write the USD per million tokens of pictures/,
    ],
    [
      'tokens of another quality',
      entry(
        sizes,
        '{ unit: tokens, input_per_million: 5, output_per_million: 30, output_tokens: [{ quality: high, tokens: 1 }] }',
      ),
      /output_tokens\[0\]\.quality.*one of low/,
    ],
    [
      'a price of a picture beside tokens',
      entry(
        sizes,
        '{ unit: tokens, per_image: 1, input_per_million: 5, output_per_million: 30, output_tokens: [{ tokens: 1 }] }',
      ),
      /per_image is not a known entry/,
    ],
    ['no sizes', entry('{}', free), /5: models\[0\]\.image\.sizes is missing/],
    ['an empty list of sizes', entry('{ sizes: [] }', free), /image\.sizes.*<width>x<height>/],
    ['a size in words', entry('{ sizes: [large] }', free), /sizes\[0\] is "large"/],
    ['a vast size', entry('{ sizes: [99999x1] }', free), /at most 16384/],
    ['a size twice', entry('{ sizes: [64x64, 64x64] }', free), /repeats 64x64/],
    ['an unknown quality', entry('{ sizes: [64x64], qualities: [best] }', free), /one of low, medium, high/],
    [
      'a row of another size',
      entry(sizes, '{ per_image: 1, rows: [{ size: 64x64, per_image: 2 }] }'),
      /one of 1024x1024/,
    ],
    [
      'a row of another quality',
      entry(sizes, '{ per_image: 1, rows: [{ quality: high, per_image: 2 }] }'),
      /one of low/,
    ],
    [
      'a row without a price',
      entry(sizes, '{ per_image: 1, rows: [{ quality: low }] }'),
      /rows\[0\]\.per_image is missing/,
    ],
    [
      'a member of a text model',
      entry(sizes, free, 'context_length: 1000'),
      /context_length is not a known entry/,
    ],
    [
      'settings of pictures on a text model',
      'models:\n  - { id: a/b, deployments: [{ provider: a, model: b }], image: { sizes: [64x64] } }\n',
      /image is not a known entry/,
    ],
  ])('%s', (_, file, sentence) => {
    expect(refusal(file)).toMatch(sentence)
  })

  test('no settings and no price at all', () => {
    const bare = 'models:\n  - { id: a/b, kind: image, deployments: [{ provider: a, model: b }] }\n'
    expect(refusal(bare)).toMatch(/models\[0\]\.image is missing/)
    expect(refusal(bare.replace(' }\n', ', image: { sizes: [64x64] } }\n'))).toMatch(
      /models\[0\]\.pricing is missing/,
    )
  })
})
