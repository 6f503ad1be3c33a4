import { expect, test } from 'vitest'
import { pick, queryOf, readView, requestsSearch } from './filters.ts'

const id = '019ad2f1-6c1e-7b52-9a44-2f0d61c9e186'
const here = '019ad2f1-0000-7b52-9a44-2f0d61c9e186'
const view = (search: string) => {
  const params = new URLSearchParams(search)
  return readView((name) => params.get(name) ?? '')
}

test('what is no filter in an address is as if it were not there', () => {
  expect(view('')).toEqual({
    ...{ filters: {}, project: undefined, split: 'model', interval: undefined, isCompared: true },
  })
  expect(view('key=1&person=x&project=mine&split=reference&by=hour&compare=0')).toEqual(view(''))
  expect(view(`split=time&by=week&compare=none&project=all&key=${id}&model=a`)).toEqual({
    ...{
      filters: { key: id, model: 'a' },
      project: 'all',
      split: 'time',
      interval: 'week',
      isCompared: false,
    },
  })
  expect(view(`customer=${'x'.repeat(100_000)}`).filters).toEqual({})
  expect(view(`customer=${'x'.repeat(120)}`).filters.customer).toHaveLength(120)
})

test('a dimension that is divided keeps its other groups; all other filters hold', () => {
  const one = view(`model=acme/fast&key=${id}&split=model`)
  expect(queryOf(one, here)).toEqual({ project_id: here, model: 'acme/fast', key_id: id })
  expect(queryOf(one, here, 'model')).toEqual({ project_id: here, key_id: id })
  expect(queryOf(view(`project=${id}`), here)).toEqual({ project_id: id })
  expect(queryOf(view(`project=${id}`), here, 'project')).toEqual({ project_id: 'all' })
  expect(queryOf(view(''), here, 'project')).toEqual({ project_id: 'all' })
})

test('a second click takes back what the first has picked, and Requests opens with the same', () => {
  expect(pick(view(''), 'customer', '4.0')).toEqual({ customer: '4.0' })
  expect(pick(view('customer=4.0'), 'customer', '4.0')).toEqual({ customer: '' })
  expect(pick(view(`project=${id}`), 'project', id)).toEqual({ project: 'all' })
  expect(requestsSearch(view('model=a%26b&split=key'), { from: '2026-11-22', to: '2026-11-30' })).toEqual({
    ...{ model: 'a&b', from: '2026-11-22', to: '2026-11-30' },
  })
})
