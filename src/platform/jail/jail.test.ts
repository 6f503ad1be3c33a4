import { expect, test } from 'vitest'
import { type JailState, openJail } from './jail.ts'

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const why = { en: 'why', fa: 'چرا' }
const uncertain: JailState = { kind: 'refused', why, isSure: false }
const certain: JailState = { kind: 'refused', why, isSure: true }
const tools = { bwrap: '', prlimit: '', setpriv: '', unshare: '', flock: '', libraries: [] }
const holds: JailState = { kind: 'jailed', tools }

/** A jail whose tests end like this, one after another. */
function jailThatSays(...said: JailState[]) {
  let tests = 0
  const jail = openJail(silent, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return said[tests++]!
  })
  return { jail, tests: () => tests }
}

test('a test that did not end well refuses, and is done again for whoever asks next', async () => {
  const { jail, tests } = jailThatSays(uncertain, uncertain, holds)
  expect(await jail.state()).toBe(uncertain)
  expect(await jail.state()).toBe(uncertain)
  expect(await jail.state()).toBe(holds)
  expect(await jail.state()).toBe(holds)
  expect(tests()).toBe(3)
})

test('what is certain stays', async () => {
  const { jail, tests } = jailThatSays(certain, holds)
  expect(await jail.state()).toBe(certain)
  expect(await jail.state()).toBe(certain)
  await expect(jail.start({} as never, undefined)).rejects.toThrow('why')
  expect(tests()).toBe(1)
})

test('who asks at the same time waits for one test', async () => {
  const { jail, tests } = jailThatSays(uncertain, holds)
  // Each asks again as soon as it is refused: the second test is one as well.
  const asked = Array.from({ length: 5 }, async () => [await jail.state(), await jail.state()])
  for (const states of await Promise.all(asked)) expect(states).toEqual([uncertain, holds])
  expect(tests()).toBe(2)
})
