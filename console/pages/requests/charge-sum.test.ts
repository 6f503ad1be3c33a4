import { expect, test } from 'vitest'
import { type ChargeLine, sumOf } from './charge-sum.ts'
import { readDecimal, unitsAt, written } from './decimal.ts'

const line = (unit: string, quantity: number | string, price: string, per: number): ChargeLine => ({
  ...{ unit, quantity, price_microcredits: price, per },
  microcredits: '0',
})
const charge = (lines: ChargeLine[], sum: string, charged = sum, kind?: string) => ({
  lines,
  sum_microcredits: sum,
  charged_microcredits: charged,
  adjustment: kind === undefined ? null : { kind, microcredits: '0' },
})

test('tokens times the price of one are amounts with equal decimals, whose sum is the charge', () => {
  const sum = sumOf(
    charge(
      [
        line('input_tokens', 412, '400000000', 1_000_000),
        line('cached_input_tokens', 120, '100000000', 1_000_000),
        line('output_tokens', 151, '800000000', 1_000_000),
      ],
      '297600',
    ),
  )!
  expect(sum.lines.map(({ price }) => written(unitsAt(price, sum.priceDecimals), sum.priceDecimals))).toEqual(
    ['0.0004', '0.0001', '0.0008'],
  )
  expect(sum.lines.map(({ amount }) => written(amount, sum.decimals))).toEqual(['0.1648', '0.0120', '0.1208'])
  expect(written(sum.charged, sum.decimals)).toBe('0.2976')
  expect(sum).toMatchObject({ rounding: 0n, adjustment: undefined })
})

test('the rounding to a whole micro-credit has a line, and with it the lines are the sum', () => {
  const sum = sumOf(charge([line('input_tokens', 7, '37500000', 1_000_000)], '263'))!
  expect(written(sum.lines[0]!.amount, sum.decimals)).toBe('0.0002625')
  expect(written(sum.rounding, sum.decimals)).toBe('0.0000005')
  expect(sum.lines[0]!.amount + sum.rounding).toBe(sum.sum)
})

test('an amount that does not end is shown rounded, and what is shown still adds up', () => {
  const sum = sumOf(charge([line('seconds', 7, '100000', 60), line('seconds', 10, '100000', 60)], '28334'))!
  expect(sum.lines.map(({ amount }) => written(amount, sum.decimals))).toEqual(['0.011666667', '0.016666667'])
  expect(sum.lines[0]).toMatchObject({ per: 60 })
  expect(sum.lines.reduce((total, { amount }) => total + amount, sum.rounding)).toBe(sum.sum)
})

test('a price with more decimals than one types is shown for the million', () => {
  const [long] = sumOf(charge([line('input_tokens', 3, '1234.5678', 1_000_000)], '1'))!.lines
  expect(long).toMatchObject({ per: 1_000_000, price: { units: 12345678n, decimals: 10 } })
})

test('what was charged other than the sum stands apart with its kind', () => {
  const sum = sumOf(charge([line('pictures', 2, '3000000', 1)], '6000000', '5000000', 'within_hold'))!
  expect(sum.adjustment).toEqual({ kind: 'within_hold', amount: -100n })
  expect(sum.sum + sum.adjustment!.amount).toBe(sum.charged)
})

test('free calls and figures of unknown shape make no wrong sum', () => {
  expect(sumOf(charge([], '0'))).toMatchObject({ lines: [], sum: 0n, charged: 0n })
  expect(sumOf(charge([line('input_tokens', '1e3', '1', 1)], '1'))).toBeUndefined()
  expect(readDecimal('-12.50')).toEqual({ units: -125n, decimals: 1 })
})
