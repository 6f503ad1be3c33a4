import { expect, test } from 'vitest'
import type { Deployment } from '#core/models'
import { orderDeployments } from './candidates.ts'

const deployment = (provider: string, weight: number, priority = 0): Deployment => ({
  id: `${provider}/m`,
  provider,
  model: 'm',
  weight,
  priority,
})

/** Returns a generator of the same numbers in every run (Park and Miller, 1988). */
function seeded(seed = 42): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return (state - 1) / 2_147_483_646
  }
}

test('the first is drawn in proportion to weight, and so is the second among the rest', () => {
  const random = seeded()
  const all = [deployment('a', 6), deployment('b', 3), deployment('c', 1)]
  const draws = 20_000
  const first = { a: 0, b: 0, c: 0 }
  let bBeforeC = 0
  for (let draw = 0; draw < draws; draw++) {
    const order = orderDeployments(all, random).map(({ provider }) => provider as 'a' | 'b' | 'c')
    first[order[0]!]++
    if (order.indexOf('b') < order.indexOf('c')) bBeforeC++
  }
  expect(first.a / draws).toBeCloseTo(0.6, 1.7)
  expect(first.b / draws).toBeCloseTo(0.3, 1.7)
  expect(first.c / draws).toBeCloseTo(0.1, 1.7)
  expect(bBeforeC / draws).toBeCloseTo(0.75, 1.7)
})

test('a lower priority goes first whatever the weights, and none is left out', () => {
  const random = seeded()
  const all = [deployment('last', 1_000, 7), deployment('first', 0.001, 0), deployment('second', 5, 1)]
  for (let draw = 0; draw < 100; draw++)
    expect(orderDeployments(all, random).map(({ provider }) => provider)).toEqual(['first', 'second', 'last'])
})
