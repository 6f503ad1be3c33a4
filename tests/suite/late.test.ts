import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import '#platform/http'
import { errorBody, Failure } from '#platform/errors'
import { WaitRanOut } from '../harness/until.ts'
import { lateness } from './late.ts'
import { type SeenError, seenError } from './seen-error.ts'

const ofError = (error: unknown): string | undefined => lateness([seenError(error)])
const plain = (message: string): SeenError => ({ name: 'Error', message })

test('waits, leases and the sentences of Vitest are known by their class and from end to end', () => {
  expect(ofError(new WaitRanOut('in vain'))).toBe('a wait that ran out')
  const leases = readFileSync('src/work/runs/store.ts', 'utf8')
  const [, name] = /class LeaseLost extends Error \{\n {2}override name = '(\w+)'/.exec(leases) ?? []
  expect(lateness([{ name: name!, message: '' }])).toBe('a lease that ended')
  const sentence = (kind: string) =>
    `${kind} timed out in 30000ms.\nIf this is a long-running ${kind.toLowerCase()}, pass a timeout value as the last argument or configure it globally with "${kind.toLowerCase()}Timeout".`
  expect(lateness([plain(sentence('Test'))])).toBe('the timeout of the test')
  expect(lateness([plain(sentence('Hook'))])).toBe('the timeout of the hook')
  expect(lateness([plain('Test timed out in 30000ms.')])).toBeUndefined()
  expect(lateness([plain(`expected ${sentence('Test')}`)])).toBeUndefined()
  expect(lateness([plain(`${sentence('Test')} of 3`)])).toBeUndefined()
  expect(lateness([plain('The condition did not come true within 10000 ms')])).toBeUndefined()
  expect(lateness([{ ...plain(sentence('Test')), name: 'AssertionError' }])).toBeUndefined()
})

test('a timeout of fetch, of Playwright and of pg is known, and what only speaks of one is not', async () => {
  const signal = AbortSignal.timeout(1)
  await once(signal, 'abort')
  expect(ofError(signal.reason)).toBe('the timeout of a client')
  const clicked = { name: 'TimeoutError', message: 'page.click: Timeout 30000ms exceeded.\nCall log:\n' }
  expect(lateness([clicked])).toBe('the timeout of a client')
  expect(lateness([{ ...clicked, message: 'too late' }])).toBeUndefined()
  const headers = Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
  expect(ofError(new TypeError('fetch failed', { cause: headers }))).toBe('the timeout of a request')
  expect(
    ofError(new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code: 'ECONNRESET' }) })),
  ).toBeUndefined()
  expect(lateness([plain('Query read timeout')])).toBe('the timeout of a connection to PostgreSQL')
  expect(lateness([plain('Query read timeout of x')])).toBeUndefined()
})

const bodyOf = (why: 'database' | 'stopping' | 'storage', language: 'en' | 'fa' = 'en'): string =>
  JSON.stringify(errorBody(new Failure('SERVICE_UNAVAILABLE', { why }, {}), 'r', language))
const asserted = (text: string, actual = 503, expected = 200): SeenError => ({
  name: 'AssertionError',
  message: `${text}: expected ${actual} to be ${expected} // Object.is equality`,
})

test('a 503 of a database that did not answer is late where the answer says so, in both languages', () => {
  expect(lateness([asserted(bodyOf('database'))])).toBe('a 503 SERVICE_UNAVAILABLE')
  expect(lateness([asserted(bodyOf('database', 'fa'))])).toBe('a 503 SERVICE_UNAVAILABLE')
  expect(ofError(new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, {}))).toBe(
    'a 503 SERVICE_UNAVAILABLE',
  )
  const { error } = JSON.parse(bodyOf('database'))
  expect(ofError(Object.assign(new Error('503 …'), { status: 503, error }))).toBe('a 503 SERVICE_UNAVAILABLE')
  expect(ofError(Object.assign(new Error('503 …'), { status: 503, error: { error } }))).toBe(
    'a 503 SERVICE_UNAVAILABLE',
  )
})

test('every other wrong status is a value', () => {
  expect(lateness([asserted(bodyOf('stopping'))])).toBeUndefined()
  expect(lateness([asserted(bodyOf('storage'))])).toBeUndefined()
  expect(lateness([asserted(bodyOf('database'), 503, 402)]), 'another failure was expected').toBeUndefined()
  expect(lateness([asserted(bodyOf('database'), 200, 503)])).toBeUndefined()
  expect(lateness([asserted(bodyOf('database'), 500)])).toBeUndefined()
  expect(lateness([asserted(`x ${bodyOf('database')}`)])).toBeUndefined()
  expect(
    lateness([{ name: 'AssertionError', message: 'expected 503 to be 200 // Object.is equality' }]),
  ).toBeUndefined()
  const lost = JSON.stringify({ error: { code: 'RESULT_NOT_STORED', message: 'lost' } })
  expect(lateness([asserted(lost)]), 'a lost result').toBeUndefined()
  expect(ofError(new Failure('SERVICE_UNAVAILABLE', { why: 'stopping' }, {}))).toBeUndefined()
  expect(
    ofError(Object.assign(new Error(), { status: 500, error: JSON.parse(bodyOf('database')).error })),
  ).toBeUndefined()
})

test('of several errors each has to be late', () => {
  const wait = new WaitRanOut('in vain')
  const value = new Error('a row in ledger.violations')
  expect(lateness([])).toBeUndefined()
  expect(ofError(new SuppressedError(wait, new WaitRanOut('earlier')))).toBe('a wait that ran out')
  expect(ofError(new SuppressedError(value, wait))).toBeUndefined()
  expect(ofError(new SuppressedError(wait, value))).toBeUndefined()
  expect(ofError(new SuppressedError(wait, new SuppressedError(value, wait)))).toBeUndefined()
  expect(ofError(new AggregateError([wait, wait]))).toBe('a wait that ran out')
  expect(ofError(new AggregateError([wait, value]))).toBeUndefined()
  expect(lateness([seenError(wait), seenError(value)])).toBeUndefined()
  expect(ofError(new Error('wrong', { cause: wait })), 'what came of it is a value').toBeUndefined()
})
