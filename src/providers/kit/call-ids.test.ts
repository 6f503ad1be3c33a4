import { expect, test } from 'vitest'
import { CallIds } from './call-ids.ts'

const strict = { accepted: /^[\w-]{1,64}$/, maxLength: 64, isUnique: true }
const long = { accepted: /^.{1,64}$/su, maxLength: 64 }

/** The ids of calls and of their results, in the order of the conversation. */
const idsOf = (
  rule: typeof strict | typeof long,
  conversation: readonly (readonly ['call' | 'result', string])[],
) => {
  const ids = new CallIds(rule)
  return conversation.map(([what, id]) => (what === 'call' ? ids.callId(id) : ids.resultId(id)))
}

test('an id that the vendor takes stays; of others the refused signs are replaced, in a call and its result alike', () => {
  expect(
    idsOf(strict, [
      ['call', 'toolu_01A-b'],
      ['call', 'functions.get_weather:0'],
      ['result', 'functions.get_weather:0'],
      ['result', 'toolu_01A-b'],
    ]),
  ).toEqual(['toolu_01A-b', 'functions_get_weather_0', 'functions_get_weather_0', 'toolu_01A-b'])
})

test('two ids that would become one stay two, and each is the same in every later turn', () => {
  const first = [
    ['call', 'a.b'],
    ['call', 'a:b'],
    ['result', 'a:b'],
    ['result', 'a.b'],
  ] as const
  const [one, other, ofOther, ofOne] = idsOf(strict, first)
  expect(other).not.toBe(one)
  expect([ofOne, ofOther]).toEqual([one, other])
  const later = idsOf(strict, [...first, ['call', 'a/b'], ['result', 'a/b'], ['call', 'a b']])
  expect(later.slice(0, 4)).toEqual([one, other, ofOther, ofOne])
  expect(new Set(later).size).toBe(4)
})

test('long ids are shortened and stay apart, whatever they begin with', () => {
  const begin = 'é'.repeat(70)
  const ids = idsOf(long, [
    ['call', `${begin}1`],
    ['call', `${begin}2`],
    ['result', `${begin}2`],
    ['call', '😀'.repeat(64)],
  ])
  expect(ids[0]).toMatch(/^[\w-]{64}$/)
  expect(ids[1]).not.toBe(ids[0])
  expect(ids[2]).toBe(ids[1])
  expect(ids[3]).toBe('😀'.repeat(64))
  expect(idsOf(strict, [['call', '']])[0]).toMatch(/^[\w-]{1,64}$/)
})

test('a vendor that wants each id once gets a repeated one with a number, and results find their calls', () => {
  const again = [
    ['call', 'c'],
    ['call', 'c'],
    ['result', 'c'],
    ['result', 'c'],
  ] as const
  expect(idsOf(strict, [...again, ...again])).toEqual(['c', 'c_2', 'c', 'c_2', 'c_3', 'c_4', 'c_3', 'c_4'])
  // The first call was given up.
  expect(
    idsOf(strict, [
      ['call', 'c'],
      ['result', 'x'],
      ['call', 'c'],
      ['result', 'c'],
    ]),
  ).toEqual(['c', 'x', 'c_2', 'c_2'])
  expect(idsOf(long, again)).toEqual(['c', 'c', 'c', 'c'])
})

test('an id of a million signs is one of 64', () => {
  expect(idsOf(strict, [['call', '.'.repeat(1_000_000)]])[0]).toMatch(/^_{51}_[0-9a-f]{12}$/)
})
