import { expect, test } from 'vitest'
import type { FoundRequest } from '../settlements.ts'
import { FoundRequests } from './found.ts'
import type { RequestSegment } from './store.ts'

const call = (second: number, id: string, state = 'completed') =>
  ({ began: `2026-11-30T10:00:0${second}.000001Z`, receipt_id: id, state }) as FoundRequest
const namesOf = ({ rows }: FoundRequests): string[] => rows.map((row) => `${row.receipt_id} ${row.state}`)
const endingAt = (second: number) =>
  ({ beganLast: Date.parse(`2026-11-30T10:00:0${second}Z`) * 1000 + 1 }) as RequestSegment

test('the first of the list are kept, newest first, those of one moment by id, each once and as it was found first', () => {
  const found = new FoundRequests(3)
  found.add([call(1, 'a'), call(3, 'b'), call(3, 'c')])
  found.add([call(2, 'd'), call(3, 'b', 'running'), call(3, 'b', 'running')])
  expect(namesOf(found)).toEqual(['c completed', 'b completed', 'd completed'])
})

test('a page is full before a segment only where none of its calls can stand on it', () => {
  const found = new FoundRequests(2)
  found.add([call(5, 'a')])
  expect([found.isFullBefore(endingAt(1)), found.isFullBefore(undefined)]).toEqual([false, false])
  found.add([call(4, 'b')])
  expect([3, 4, 5].map((second) => found.isFullBefore(endingAt(second)))).toEqual([true, false, false])
  expect(found.isFullBefore(undefined)).toBe(true)
})
