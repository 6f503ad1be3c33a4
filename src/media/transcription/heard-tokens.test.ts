import { expect, test } from 'vitest'
import type { TranscriptionModel } from '#core/models'
import { paidTokensOf } from './heard-tokens.ts'
import type { TranscriptionPlan } from './plan.ts'

const pricing = { perMinute: 0, minimumSeconds: 0, inputPerMillion: 2, outputPerMillion: 8 }
const model = { pricing } as TranscriptionModel
const plan = { settings: {} } as TranscriptionPlan
const piece = { seconds: 4, letters: 30 }

test('what the upstream counts is paid, as far as sound of that length can have it', () => {
  expect(paidTokensOf(model, plan, piece, { input: 40, output: 9 })).toEqual({ input: 40, output: 9 })
  expect(paidTokensOf(model, plan, piece, { input: 1e9, output: 1e9 })).toEqual({ input: 200, output: 140 })
})

test.each([
  ['nothing', undefined],
  ['zeros', { input: 0, output: 0 }],
])('sound and text of which it counts %s have the tokens of an estimate', (_, claimed) => {
  expect(paidTokensOf(model, plan, piece, claimed)).toEqual({ input: 100, output: 15 })
})

test('each figure stands by itself, and silence has no text', () => {
  expect(paidTokensOf(model, plan, piece, { input: 40 })).toEqual({ input: 40, output: 15 })
  expect(paidTokensOf(model, plan, piece, { input: 0, output: 9 })).toEqual({ input: 100, output: 9 })
  const silence = { seconds: 4, letters: 0 }
  expect(paidTokensOf(model, plan, silence, { input: 40, output: 0 })).toEqual({ input: 40, output: 0 })
})

test('of a model that is paid by the minute no tokens are made up', () => {
  const byMinute = { pricing: { ...pricing, inputPerMillion: 0, outputPerMillion: 0 } } as TranscriptionModel
  expect(paidTokensOf(byMinute, plan, piece)).toEqual({ input: 0, output: 0 })
})
