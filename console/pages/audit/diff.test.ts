import { expect, test } from 'vitest'
import { changedNames, differences, shownOf } from './diff.ts'

test('only members that are others are named; of what was made or removed all that are something', () => {
  expect(differences({ a: 1, b: [1], c: null }, { a: 2, b: [1], d: false })).toEqual([
    { name: 'a', before: 1, after: 2 },
    { name: 'c', before: null, after: undefined },
    { name: 'd', before: undefined, after: false },
  ])
  expect(differences(null, { a: 0, b: null })).toEqual([{ name: 'a', before: undefined, after: 0 }])
  expect(differences({ a: 'x' }, null)).toEqual([{ name: 'a', before: 'x', after: undefined }])
  expect(differences(null, null)).toEqual([])
  expect(changedNames({ name: 'x', revoked_at: null }, { revoked_at: 'now' })).toEqual(['revoked_at'])
  expect(changedNames(null, { a: 1 })).toEqual([])
  expect(shownOf('name', undefined)).toEqual({ kind: 'absent' })
})

test('values are shown as what they are: credits of micro-credits, moments, names of people, technical names, lists', () => {
  expect(shownOf('month_cap_microcredits', '2500000')).toEqual({ kind: 'credits', value: 2.5 })
  expect(shownOf('cap_credits', 12)).toEqual({ kind: 'credits', value: 12 })
  expect(shownOf('concurrency', 12)).toEqual({ kind: 'number', value: 12 })
  expect(shownOf('expires_at', '2027-01-01T00:00:00.000Z')).toEqual({
    kind: 'moment',
    at: '2027-01-01T00:00:00.000Z',
  })
  expect(shownOf('name', 'web')).toEqual({ kind: 'text', text: 'web' })
  expect(shownOf('role', 'viewer')).toEqual({ kind: 'id', text: 'viewer' })
  expect(shownOf('slug', 'فروشگاه')).toEqual({ kind: 'text', text: 'فروشگاه' })
  expect(shownOf('models', [])).toEqual({ kind: 'nothing' })
  expect(shownOf('thresholds_percent', [50, 80])).toMatchObject({
    kind: 'list',
    items: [{ kind: 'percent', value: 50 }, {}],
  })
  expect(shownOf('enabled', false)).toEqual({ kind: 'no' })
  expect(shownOf('month_caps', [{ project_id: 'p', month_cap_credits: 3 }])).toEqual({
    kind: 'list',
    items: [{ kind: 'id', text: '{"project_id":"p","month_cap_credits":3}' }],
  })
})
