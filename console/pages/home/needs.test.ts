import { expect, test } from 'vitest'
import { needsOf, needsOfKeys, tightestOf } from './needs.ts'

const now = new Date('2026-11-30T12:00:00Z')
const inHours = (hours: number): Date => new Date(now.getTime() + hours * 3_600_000)
const cap = (spent_credits: number, cap_credits: number) =>
  ({ scope: 'project', period: 'month', cap_credits, spent_credits, reserved_credits: 0 }) as const

test('credit that is gone stands before a cap that is near, and a cap of zero is reached', () => {
  expect(needsOf({ balance_credits: 0, budgets: [cap(80, 100), cap(1, 100)] }, undefined, now)).toEqual([
    { name: 'creditGone' },
    { name: 'capNear', period: 'month', part: 0.8 },
  ])
  expect(needsOf({ balance_credits: 5, budgets: [cap(0, 0)] }, inHours(71), now)).toEqual([
    { name: 'creditLow' },
    { name: 'capReached', period: 'month' },
  ])
  expect(needsOf({ balance_credits: 5, budgets: [cap(79, 100)] }, inHours(72), now)).toEqual([])
  const total = { ...cap(100, 100), period: 'total' } as const
  expect(needsOf({ balance_credits: 5, budgets: [cap(10, 100), total] }, inHours(72), now)).toEqual([
    { name: 'capReached', period: 'total' },
  ])
})

test('a cap in all that is reached is named beside a cap of the month with room', () => {
  const total = { ...cap(1, 0), period: 'total' } as const
  expect(needsOf({ balance_credits: 5, budgets: [cap(1, 100), total] }, undefined, now)).toEqual([
    { name: 'capReached', period: 'total' },
  ])
  const roomy = { ...cap(50, 100), period: 'total' } as const
  expect(tightestOf({ budgets: [roomy, cap(1, 100)] })).toEqual(cap(1, 100))
  // What an account has spent is not told to whoever sees only some of its projects.
  const untold = { ...cap(0, 100), scope: 'account', spent_credits: null } as const
  expect(tightestOf({ budgets: [untold, cap(90, 100)] })).toEqual(cap(90, 100))
  expect(needsOf({ balance_credits: 5, budgets: [untold] }, undefined, now)).toEqual([])
})

test('keys that end within seven days are named, the next one first', () => {
  const key = (id: string, expires_at: string | null) => ({ id, name: id, expires_at })
  expect(
    needsOfKeys(
      [
        key('week', '2026-12-07T12:00:00Z'),
        key('later', '2026-12-07T12:00:01Z'),
        key('never', null),
        key('tomorrow', '2026-12-01T11:00:00Z'),
      ],
      now,
    ),
  ).toEqual([
    { name: 'keyEnds', id: 'tomorrow', key: 'tomorrow', days: 1 },
    { name: 'keyEnds', id: 'week', key: 'week', days: 7 },
  ])
})
