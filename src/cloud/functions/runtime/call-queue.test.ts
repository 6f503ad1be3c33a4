import { expect, test } from 'vitest'
import { CallQueue } from './call-queue.ts'

const signal = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('so many at once, so many wait, and the next is refused', async () => {
  const queue = new CallQueue({ atOnce: 4, waiting: 16 })
  const first = await Promise.all(Array.from({ length: 4 }, () => queue.enter(signal)))
  const order: number[] = []
  const waiting = Array.from({ length: 16 }, async (_, number) => {
    const place = await queue.enter(signal)
    order.push(number)
    return place
  })
  await expect(queue.enter(signal)).rejects.toMatchObject({ code: 'FUNCTION_BUSY', status: 429 })
  first[0]![Symbol.dispose]()
  first[0]![Symbol.dispose]()
  await settled()
  expect(order).toEqual([0])
  // Exactly one place was free, so exactly one more may wait.
  const last = queue.enter(signal)
  await expect(queue.enter(signal)).rejects.toMatchObject({ code: 'FUNCTION_BUSY' })
  for (const place of first.slice(1)) place[Symbol.dispose]()
  for (const place of waiting) (await place)[Symbol.dispose]()
  ;(await last)[Symbol.dispose]()
  expect(order).toEqual(Array.from({ length: 16 }, (_, number) => number))
  expect(queue.isEmpty).toBe(true)
})

test('a caller who left while it waited takes no place', async () => {
  const queue = new CallQueue({ atOnce: 1, waiting: 2 })
  const held = await queue.enter(signal)
  const caller = new AbortController()
  const left = queue.enter(caller.signal)
  const stays = queue.enter(signal)
  caller.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  held[Symbol.dispose]()
  ;(await stays)[Symbol.dispose]()
  expect(queue.isEmpty).toBe(true)
})
