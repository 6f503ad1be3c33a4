import { expect, test } from 'vitest'
import { creditsIn, isFiltered, noFilters, queryOf, readFilters, usageAddress } from './filters.ts'

const id = '019ad2f1-6c1e-7b52-9a44-2f0d61c9e186'
const read = (address: string) => {
  const params = new URLSearchParams(address)
  return readFilters((name) => params.get(name) ?? '')
}

test('all filters of the address reach the API', () => {
  const address =
    `model=a/b&key=${id}&person=${id}&customer=c%26d&reference=r&endpoint=/v1/messages` +
    `&idempotency=k:1&state=failed&status=503&min=0.000001&max=12.5&project=all`
  expect(queryOf(read(address), { from: '2026-11-01', to: '2026-11-30' })).toEqual({
    ...{ from: '2026-11-01', to: '2026-11-30', model: 'a/b', key_id: id, person_id: id, customer_id: 'c&d' },
    ...{
      reference_id: 'r',
      endpoint: '/v1/messages',
      idempotency_key: 'k:1',
      state: 'failed',
      status_code: 503,
    },
    ...{ min_microcredits: '1', max_microcredits: '12500000', project_id: 'all' },
  })
  const names = [...new URLSearchParams(address).keys(), 'from', 'to']
  expect(Object.keys(noFilters).toSorted()).toEqual(names.toSorted())
})

test('what is none of the filters is as if it were not there', () => {
  expect(queryOf(read('key=7&person=me&state=lost&status=99&min=-1&max=1e3&project=x'), undefined)).toEqual(
    {},
  )
  expect(isFiltered(read('project=all'))).toBe(false)
  expect(isFiltered(read('state=failed'))).toBe(true)
  expect(queryOf(read(`customer=${'ب'.repeat(400)}`), undefined)).toEqual({ customer_id: 'ب'.repeat(120) })
  const key = `سفارش/12 ${'😀'.repeat(119)}`
  expect(queryOf(read(`idempotency=${encodeURIComponent(key)}`), undefined)).toEqual({ idempotency_key: key })
})

test('a cost is a decimal down to the micro-credit', () => {
  expect(['0', '12', '0.000001'].map(creditsIn)).toEqual(['0', '12', '0.000001'])
  expect(['', '0.0000001', '-1', '1,000', '۱', '9'.repeat(13)].map(creditsIn)).toEqual(
    Array.from({ length: 6 }, () => undefined),
  )
})

test('usage is opened with the same filters', () => {
  expect(usageAddress({ model: 'a/b', customerId: 'c d' })).toBe('/usage?model=a%2Fb&customer=c+d')
  expect(usageAddress({})).toBe('/usage')
})
