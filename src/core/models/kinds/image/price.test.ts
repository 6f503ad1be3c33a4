import { expect, test } from 'vitest'
import type { ImageOrder } from '#core/turn'
import { sumOfLines } from '../cost.ts'
import type { ImageModel } from './image-model.ts'
import { imageLines, imageWorstCase, plausibleImageTokens } from './price.ts'

/** One micro-credit each token of a picture that is given along, and nothing else. */
const model = {
  pricing: {
    ...{ unit: 'tokens', inputPerMillion: 0, mediaInputPerMillion: 1, outputPerMillion: 0 },
    expected: { output: [{ tokens: 1 }], perReference: 1_000, perPartial: 0, margin: 1 },
  },
} as unknown as ImageModel

const picture = { data: new Uint8Array(0) }
const conversion = { creditsPerUsd: 1, markup: 1 }
const orderWith = (more: Partial<ImageOrder>): ImageOrder => ({
  ...{ prompt: '', references: [picture, picture], count: 1, size: { width: 1, height: 1 } },
  ...more,
})

test('what is held of pictures given along counts a mask as one more, and more for those that are kept faithfully', () => {
  const held = (order: Partial<ImageOrder>) => Number(imageWorstCase(model, conversion, orderWith(order)))
  expect(held({})).toBe(2_000)
  expect(held({ mask: picture })).toBe(3_000)
  expect(held({ options: { input_fidelity: 'high' } })).toBe(2_000 + 2 * 6_240)
  expect(held({ options: { input_fidelity: 'high' }, count: 2 })).toBe(2 * (2_000 + 2 * 6_240))
})

test('an upstream that counts nothing is charged with what was expected: a mask and faithful pictures included', () => {
  const charged = (order: Partial<ImageOrder>) =>
    Number(sumOfLines(imageLines(model, conversion, orderWith(order))))
  expect(charged({})).toBe(2_000)
  expect(charged({ mask: picture })).toBe(3_000)
  const faithful = { mask: picture, options: { input_fidelity: 'high' } }
  expect(charged(faithful)).toBe(3_000 + 2 * 6_240)
  expect(plausibleImageTokens(model, orderWith(faithful), { output: 1 }).mediaInput).toBe(3_000 + 2 * 6_240)
})
