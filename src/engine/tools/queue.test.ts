import { expect, test } from 'vitest'
import { openQueue } from './queue.ts'

const signal = new AbortController().signal

test('places are given in the order of coming, and given back once', async () => {
  const queue = openQueue({ working: 1, waiting: 2 })
  const order: number[] = []
  const first = await queue.enter(signal)
  const waiting = [1, 2].map(async (number) => {
    using _place = await queue.enter(signal)
    order.push(number)
  })
  expect(await queue.enter(signal)).toBeUndefined()
  first![Symbol.dispose]()
  first![Symbol.dispose]()
  await Promise.all(waiting)
  expect(order).toEqual([1, 2])
  using last = await queue.enter(signal)
  expect(last).toBeDefined()
  const next = queue.enter(signal)
  last![Symbol.dispose]()
  expect(await next).toBeDefined()
})

test('who leaves the line takes no place', async () => {
  const queue = openQueue({ working: 1, waiting: 5 })
  const place = await queue.enter(signal)
  const caller = new AbortController()
  const left = queue.enter(caller.signal)
  const stays = queue.enter(signal)
  caller.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  place![Symbol.dispose]()
  expect(await stays).toBeDefined()
  await expect(queue.enter(AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before')
})
