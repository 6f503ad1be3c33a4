import { expect, test } from 'vitest'
import { until } from '../../../tests/harness/until.ts'
import { type JailState, openJail } from './jail.ts'

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const why = { en: 'why', fa: 'چرا' }
const uncertain: JailState = { kind: 'refused', why, isSure: false }
const certain: JailState = { kind: 'refused', why, isSure: true }
const tools = { bwrap: '', prlimit: '', setpriv: '', unshare: '', flock: '', libraries: [] }
const holds: JailState = { kind: 'jailed', tools }

/** A jail whose tests have these results, one after another. */
function jailThatSays(said: (JailState | Promise<JailState>)[], maxWaitMs = 60_000) {
  let tests = 0
  const test = async (): Promise<JailState> => said[tests++]!
  const jail = openJail(silent, { test, waits: { maxWaitMs, pauseMs: 1 } })
  return { jail, tests: () => tests }
}

test('a test that did not end well refuses, and is done again by itself until one does', async () => {
  const last = Promise.withResolvers<JailState>()
  const { jail, tests } = jailThatSays([uncertain, uncertain, last.promise])
  expect(await jail.state()).toBe(uncertain)
  await until(() => tests() === 3)
  // The caller does not wait for the next test: the last result is returned.
  expect(await jail.state()).toBe(uncertain)
  last.resolve(holds)
  await until(async () => (await jail.state()) === holds)
  expect(tests()).toBe(3)
})

test('what is certain stays', async () => {
  const { jail, tests } = jailThatSays([certain, holds])
  expect(await jail.state()).toBe(certain)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await jail.state()).toBe(certain)
  await expect(jail.start({} as never, undefined)).rejects.toThrow('why')
  expect(tests()).toBe(1)
})

test('who asks at the same time waits for one test, and while it lasts long nobody waits for its end', async () => {
  const first = Promise.withResolvers<JailState>()
  const { jail, tests } = jailThatSays([first.promise], 1)
  for (const state of await Promise.all(Array.from({ length: 5 }, () => jail.state())))
    expect(state).toMatchObject({ kind: 'refused', isSure: false })
  first.resolve(holds)
  expect(await jail.state()).toBe(holds)
  expect(tests()).toBe(1)
})

test('a jail that is closed is tested no more', async () => {
  const { jail, tests } = jailThatSays([uncertain, holds])
  await jail.state()
  jail[Symbol.dispose]()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(tests()).toBe(1)
})
