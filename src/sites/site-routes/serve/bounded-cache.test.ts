import { expect, test } from 'vitest'
import { BoundedCache } from './bounded-cache.ts'

const weigh = (value: string): number => value.length

test('values weigh no more than the limit together, to the exact byte, and those in use stay', async () => {
  const cache = new BoundedCache<string>(10)
  const keep = (key: string, value: string) => cache.load(key, async () => value, weigh)
  await keep('a', 'aaaaa')
  await keep('b', 'bbbbb')
  expect([cache.weight, cache.size]).toEqual([10, 2])
  expect(cache.get('a')).toBe('aaaaa')
  await keep('c', 'c')
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['aaaaa', undefined, 'c'])
  // A value that is larger than the whole cache is returned, but not kept.
  expect(await keep('d', 'd'.repeat(11))).toBe('d'.repeat(11))
  expect(cache.get('d')).toBeUndefined()
  expect(await keep('e', 'e'.repeat(10))).toBe('e'.repeat(10))
  expect([cache.weight, cache.size]).toEqual([10, 1])
})

test('a value that grows makes others go, or goes itself', async () => {
  const cache = new BoundedCache<string>(10)
  for (const key of ['a', 'b']) await cache.load(key, async () => key.repeat(4), weigh)
  cache.get('b')
  cache.grow('b', 4)
  expect([cache.get('a'), cache.get('b'), cache.weight]).toEqual([undefined, 'bbbb', 8])
  cache.grow('b', 3)
  expect([cache.get('b'), cache.weight]).toEqual([undefined, 0])
  cache.grow('gone', 3)
  expect(cache.weight).toBe(0)
})

test('what is loaded is loaded once, and neither an error nor an absence is kept', async () => {
  const cache = new BoundedCache<string>(10)
  let loads = 0
  const load = (result: () => Promise<string | undefined>) => () => {
    loads++
    return result()
  }
  const good = load(async () => 'x')
  expect(await Promise.all([cache.load('a', good, weigh), cache.load('a', good, weigh)])).toEqual(['x', 'x'])
  expect(loads).toBe(1)
  await expect(
    cache.load(
      'b',
      load(() => Promise.reject(new Error('broken'))),
      weigh,
    ),
  ).rejects.toThrow('broken')
  expect(
    await cache.load(
      'b',
      load(async () => undefined),
      weigh,
    ),
  ).toBeUndefined()
  expect(await cache.load('b', good, weigh)).toBe('x')
})
