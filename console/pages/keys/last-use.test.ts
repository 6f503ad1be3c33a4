import { expect, test } from 'vitest'
import { daysToEnd, lastUseOf } from './last-use.ts'

const now = new Date('2026-11-30T21:00:00Z')
const key = (last_used_on: string | null, created_at = '2026-01-01T00:00:00Z') => ({
  last_used_on,
  created_at,
})

test('the last use is a day of Tehran, and a young key without one is not yet used', () => {
  expect(lastUseOf(key('2026-12-01'), now)).toBe('today')
  expect(lastUseOf(key('2026-11-30'), now)).toBe('yesterday')
  expect(lastUseOf(key('2026-11-29'), now)).toBe('day')
  expect(lastUseOf(key(null), now)).toBe('longUnused')
  expect(lastUseOf(key(null, '2026-11-20T00:00:00Z'), now)).toBe('notUsed')
})

test('days to the end are counted with the one that has begun', () => {
  expect(daysToEnd('2026-12-07T20:29:59Z', now)).toBe(7)
  expect(daysToEnd('2026-11-30T21:00:01Z', now)).toBe(1)
  expect(daysToEnd('2026-11-30T21:00:00Z', now)).toBeUndefined()
  expect(daysToEnd(null, now)).toBeUndefined()
})
