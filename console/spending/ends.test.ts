import { expect, test } from 'vitest'
import { firstEndOf } from './ends.ts'

const now = new Date('2026-11-10T20:30:00Z')
const pace = { microcredits: 140_000_000n, days: 14 }
const account = {
  month_cap_credits: null,
  month_spent_credits: 100,
  cap_credits: null,
  spent_credits: 100,
  balance_microcredits: '50000000',
}

test('what is reached first is told, whichever limit it is', () => {
  expect(firstEndOf({ account, pace }, now)).toEqual({
    ...{ name: 'reaches', limit: 'credit', at: new Date('2026-11-15T20:30:00Z') },
  })
  expect(firstEndOf({ account: { ...account, month_cap_credits: 120 }, pace }, now)).toEqual({
    ...{ name: 'reaches', limit: 'accountMonth', at: new Date('2026-11-12T20:30:00Z') },
  })
  const caps = { ...account, cap_credits: 101 }
  expect(firstEndOf({ account, pace, project: { caps, pace } }, now)).toMatchObject({ limit: 'projectTotal' })
  expect(firstEndOf({ account: { ...account, cap_credits: 100 }, pace }, now)).toEqual({
    ...{ name: 'reached', limit: 'accountTotal' },
  })
  expect(firstEndOf({ account: { ...account, balance_microcredits: '-3' }, pace: undefined }, now)).toEqual({
    ...{ name: 'reached', limit: 'credit' },
  })
})

test('without a pace nothing is told of what is not reached, and what lasts a year lasts', () => {
  expect(firstEndOf({ account, pace: undefined }, now)).toEqual({ name: 'unknown' })
  const rich = { ...account, balance_microcredits: '9007199254740993000000' }
  expect(firstEndOf({ account: rich, pace }, now)).toEqual({ name: 'lasts' })
  // Of a project alone, whoever does not see the whole account.
  const project = { caps: { ...account, month_cap_credits: 120 }, pace }
  expect(firstEndOf({ account: rich, pace: undefined, project }, now)).toMatchObject({
    limit: 'projectMonth',
  })
})
