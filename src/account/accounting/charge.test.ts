import { expect, test } from 'vitest'
import { costOfLines, costOfStep, foldCost, limitCost, noCost, storedCost, sumCosts } from '#core/models'
import { explainCharge } from './charge.ts'

const model = 'acme/one'
const tokens = (quantity: number, price: bigint) =>
  costOfLines([{ unit: 'input_tokens', quantity, price }], { model })

const row = (charged: bigint, detail: Record<string, unknown> | null, more = {}) => ({
  ...{ state: 'completed' as const, ambiguous: false, model, held: 20n, charged, detail },
  ...more,
})
const explained = (charged: bigint, cost = noCost, detail = {}) =>
  explainCharge(row(charged, { charge: JSON.parse(JSON.stringify(storedCost(cost, model))), ...detail }))

/** What a person reads adds up, to the last digit shown: the lines, the rounding and the adjustment are the charge. */
function expectSum(charge: ReturnType<typeof explainCharge>): void {
  const millionths = (text: string): bigint => {
    const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text)!
    return BigInt(`${sign}${whole}${fraction.padEnd(6, '0')}`)
  }
  const { lines, rounding_microcredits, sum_microcredits, adjustment, charged_microcredits } = charge!
  const shown = lines.reduce((sum, { microcredits }) => sum + millionths(microcredits), 0n)
  expect(shown + millionths(rounding_microcredits)).toBe(millionths(sum_microcredits))
  const adjusted = adjustment ? BigInt(adjustment.microcredits) : 0n
  expect(BigInt(sum_microcredits) + adjusted).toBe(BigInt(charged_microcredits))
}

test('a line is quantity times price, and rounding is what makes the sum whole', () => {
  const charge = explained(2n, tokens(3, 500_000n))
  expect(charge).toEqual({
    lines: [
      {
        ...{ unit: 'input_tokens', quantity: 3, price_microcredits: '500000', per: 1_000_000 },
        ...{ microcredits: '1.5', model },
      },
    ],
    ...{ rounding_microcredits: '0.5', sum_microcredits: '2', charged_microcredits: '2', adjustment: null },
  })
  expectSum(charge)
})

test('thirds are cut at the sixth decimal, and what was cut is in the rounding', () => {
  const cost = costOfLines(
    [
      { unit: 'seconds', quantity: 1, price: 100n },
      { unit: 'milliseconds', quantity: 7, price: 1n },
    ],
    { model },
  )
  const charge = explained(cost.microcredits, cost)
  expect(charge).toMatchObject({
    lines: [{ microcredits: '1.666666' }, { microcredits: '0.000116' }],
    rounding_microcredits: '0.333218',
  })
  expectSum(charge)
})

test('calls that are folded keep the sum of what each was rounded to, and name their step and model', () => {
  const search = costOfLines([{ unit: 'searches', quantity: 2, price: 7n }])
  const cost = foldCost(
    sumCosts([tokens(1, 1n), tokens(2, 1n), tokens(1, 3n), search].map((one) => costOfStep(one, 'answer'))),
  )
  const charge = explained(17n, cost)
  expect(charge?.lines.map(({ unit, quantity, model: of, step }) => [unit, quantity, of, step])).toEqual([
    ['input_tokens', 3, model, 'answer'],
    ['input_tokens', 1, model, 'answer'],
    ['searches', 2, undefined, 'answer'],
  ])
  expect(charge?.sum_microcredits).toBe('17')
  expectSum(charge)
})

test('a step of another model names it, however its receipt was stored', () => {
  const other = costOfLines([{ unit: 'characters', quantity: 1, price: 2_000_000n }], { model: 'acme/two' })
  const charge = explained(4n, sumCosts([tokens(2, 1_000_000n), other]))
  expect(charge?.lines.map((line) => line.model)).toEqual([model, 'acme/two'])
})

test('why less or more than the sum was charged is said, and the figures still add up', () => {
  const cost = tokens(10, 1_000_000n)
  const ambiguous = explainCharge(row(30n, { outcome: 'ambiguous' }, { ambiguous: true, state: 'failed' }))
  const lost = explainCharge(row(0n, { outcome: 'lost' }, { ambiguous: true, state: 'failed' }))
  const all = {
    free: explained(0n),
    within_hold: explained(6n, cost),
    raised: explained(10n, cost, { hold_raised_from: '4' }),
    ambiguous,
    lost,
    corrected: explained(0n, cost),
    nothing_held: explainCharge(row(0n, { charge: storedCost(cost, model) }, { held: 0n })),
  }
  expect(Object.values(all).map((charge) => charge?.adjustment)).toEqual([
    { kind: 'free', microcredits: '0' },
    { kind: 'within_hold', microcredits: '-4' },
    { kind: 'raised', microcredits: '0' },
    { kind: 'ambiguous', microcredits: '30' },
    { kind: 'lost', microcredits: '0' },
    { kind: 'lost', microcredits: '-10' },
    { kind: 'within_hold', microcredits: '-10' },
  ])
  for (const charge of Object.values(all)) expectSum(charge)
  expect(explained(9n, limitCost(9n, { model }))?.lines).toMatchObject([
    { unit: 'limits', microcredits: '9' },
  ])
})

test('a receipt of an earlier release, and one that is not settled, has no explanation', () => {
  expect(explainCharge(row(5n, { outcome: 'completed' }))).toBeNull()
  expect(explainCharge(row(0n, null, { state: 'running' }))).toBeNull()
})
