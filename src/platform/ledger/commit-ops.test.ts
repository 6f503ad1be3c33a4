import { expect, test } from 'vitest'
import { type HoldOp, serializeOps, undoOperation } from './commit-ops.ts'

const hold: HoldOp = {
  receipt_id: 'r',
  account_id: 'a',
  project_id: 'p',
  key_id: 'k',
  endpoint: '/v1/chat/completions',
  idempotency_key: undefined,
  fingerprint: undefined,
  model: 'm',
  customer_id: undefined,
  reference_id: undefined,
  amount: 9_007_199_254_740_993n,
  started: true,
  process_id: 'q',
  expires_at: '2026-11-23T00:00:00Z',
}
const detailOf = (detail: Record<string, unknown>): unknown =>
  JSON.parse(serializeOps([{ op: { ...undoOperation(hold), detail } }], 0))[0].detail

test('amounts stay exact, and every operation has the position of its result', () => {
  const [first, second] = JSON.parse(serializeOps([{ op: hold }, { op: undoOperation(hold) }], 7))
  expect(first).toMatchObject({ seq: 7, amount: '9007199254740993', model: 'm' })
  expect(second).toMatchObject({ seq: 8, actual: '0', receipt_id: 'r' })
})

test('what PostgreSQL refuses in text is replaced, and all else is kept', () => {
  expect(detailOf({ message: 'a\0b' })).toEqual({ message: 'a\uFFFDb' })
  expect(detailOf({ message: 'a\uD800' })).toEqual({ message: 'a\uFFFD' })
  expect(detailOf({ message: '\uDC00b' })).toEqual({ message: '\uFFFDb' })
  expect(detailOf({ message: '😀 \\u0000 سلام' })).toEqual({ message: '😀 \\u0000 سلام' })
})

test('a bigint within a detail is written as text', () => {
  expect(detailOf({ price: { microcredits: 5n } })).toEqual({ price: { microcredits: '5' } })
})
