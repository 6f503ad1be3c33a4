import { expect, test } from 'vitest'
import type { Settlement } from '#platform/ledger'
import { storedLine } from './line.ts'

const facts = { stepId: 'step', beganMs: 0 }
const settled = (usage_source?: string): Settlement => ({
  microcredits: 3n,
  state: 'completed',
  statusCode: 200,
  ...(usage_source !== undefined && { detail: { usage_source } }),
})
const lineOf = (settlement?: Settlement) => storedLine(facts, { quantities: {} }, settlement, 3n)

test('a step whose tokens were estimated says so on the receipt, and no other step does', () => {
  expect(lineOf(settled('estimated'))).toEqual({ quantities: {}, usage_source: 'estimated' })
  for (const other of [settled('upstream'), settled(), undefined])
    expect(lineOf(other)).toEqual({ quantities: {} })
})

test('counts on a receipt are whole numbers above zero', () => {
  const quantities = { seconds: 1.2, searches: 0, odd: Number.NaN, endless: Number.POSITIVE_INFINITY }
  expect(storedLine(facts, { quantities }, undefined, 0n)).toEqual({ quantities: { seconds: 2 } })
})
