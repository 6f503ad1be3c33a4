import { expect, test } from 'vitest'
import { isUuid, uuidv7 } from './ids.ts'

test('ids of one moment are in the order in which they were made, also beyond the 4,096 that a millisecond counts', () => {
  const nowMs = 1_800_000_000_000
  const ids = Array.from({ length: 10_000 }, () => uuidv7(nowMs))
  expect(ids).toEqual([...ids].sort())
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every((id) => isUuid(id) && id[14] === '7' && /[89ab]/.test(id[19]!))).toBe(true)
  const moments = ids.map((id) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) - nowMs)
  expect([moments[0], moments[4_095], moments[4_096], moments[9_999]]).toEqual([0, 0, 1, 2])
  expect(uuidv7(nowMs + 5) > ids[9_999]!).toBe(true)
})
