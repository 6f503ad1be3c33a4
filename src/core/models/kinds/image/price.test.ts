import { expect, test } from 'vitest'
import type { ImageOrder } from '#core/turn'
import type { ImageModel } from './image-model.ts'
import { imageWorstCase } from './price.ts'

/** One micro-credit each token of a picture that is given along, and nothing else. */
const model = {
  pricing: {
    ...{ unit: 'tokens', inputPerMillion: 0, mediaInputPerMillion: 1, outputPerMillion: 0 },
    expected: { output: [{ tokens: 1 }], perReference: 1_000, perPartial: 0, margin: 1 },
  },
} as unknown as ImageModel

test('what is held of pictures given along counts a mask as one more, and more for those that are kept faithfully', () => {
  const picture = { data: new Uint8Array(0) }
  const held = (order: Partial<ImageOrder>) =>
    Number(
      imageWorstCase(
        model,
        { creditsPerUsd: 1, markup: 1 },
        { prompt: '', references: [picture, picture], count: 1, size: { width: 1, height: 1 }, ...order },
      ),
    )
  expect(held({})).toBe(2_000)
  expect(held({ mask: picture })).toBe(3_000)
  expect(held({ options: { input_fidelity: 'high' } })).toBe(2_000 + 2 * 6_240)
  expect(held({ options: { input_fidelity: 'high' }, count: 2 })).toBe(2 * (2_000 + 2 * 6_240))
})
