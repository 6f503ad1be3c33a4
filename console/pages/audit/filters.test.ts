import { expect, test } from 'vitest'
import { isFiltered, momentsOf, queryOf, readFilters } from './filters.ts'

const now = new Date('2026-11-30T21:00:00Z')
const read = (address: string) => {
  const params = new URLSearchParams(address)
  return readFilters((name) => params.get(name) ?? '')
}
const id = '019ad2f1-6c1e-7b52-9a44-2f0d61c9e186'

test('filters are read of the address, and what is none is as if it were not there', () => {
  expect(queryOf(read(`what=keys.&who=person&actor=${id}&target=bucket/1&after=${id}`), now)).toEqual({
    operation: 'keys.',
    actor_kind: 'person',
    actor_id: id,
    target_id: 'bucket/1',
    after_id: id,
  })
  expect(queryOf(read('what=nothing&who=me&actor=7&when=never&after=x&from=2026-1-1'), now)).toEqual({})
  expect(isFiltered(read(`after=${id}&from=2026-01-01`))).toBe(false)
  expect(isFiltered(read('when=week'))).toBe(true)
})

test('days are those of Tehran, both ends included', () => {
  const span = (address: string) => momentsOf(read(address), now)
  // It is past midnight in Tehran: the first of December.
  expect(span('when=today')).toEqual({ from: '2026-11-30T20:30:00.000Z' })
  expect(span('when=week')).toEqual({ from: '2026-11-24T20:30:00.000Z' })
  expect(span('when=days&from=2026-11-01&to=2026-11-02')).toEqual({
    from: '2026-10-31T20:30:00.000Z',
    to: '2026-11-02T20:30:00.000Z',
  })
  expect(span('when=days')).toEqual({})
  expect(span('from=2026-11-01')).toEqual({})
})
