import { expect, test } from 'vitest'
import { FairQueue } from './queue.ts'

const signal = new AbortController().signal

test('places are given in the order of coming, and given back once', async () => {
  const queue = new FairQueue({ working: 1, waiting: 2 })
  const order: number[] = []
  const first = await queue.enter('one', signal)
  const waiting = [1, 2].map(async (number) => {
    using _place = await queue.enter('one', signal)
    order.push(number)
  })
  expect(await queue.enter('one', signal)).toBeUndefined()
  first![Symbol.dispose]()
  first![Symbol.dispose]()
  await Promise.all(waiting)
  expect(order).toEqual([1, 2])
  using last = await queue.enter('one', signal)
  expect(last).toBeDefined()
  const next = queue.enter('one', signal)
  last![Symbol.dispose]()
  expect(await next).toBeDefined()
})

test('a waiting caller who aborts takes no place', async () => {
  const queue = new FairQueue({ working: 1, waiting: 5 })
  const place = await queue.enter('one', signal)
  const caller = new AbortController()
  const left = queue.enter('one', caller.signal)
  const stays = queue.enter('one', signal)
  caller.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  place![Symbol.dispose]()
  expect(await stays).toBeDefined()
  await expect(queue.enter('one', AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before')
})

/** Records which accounts got places, in order; `end` gives back one place of an account. */
function watched(places: { working: number; waiting: number }) {
  const queue = new FairQueue(places)
  const order: string[] = []
  const refused: string[] = []
  const held: { accountId: string; place: Disposable }[] = []
  const enter = async (accountId: string) => {
    const place = await queue.enter(accountId, signal)
    if (!place) return void refused.push(accountId)
    order.push(accountId)
    held.push({ accountId, place })
  }
  return {
    order,
    refused,
    async come(...accounts: string[]) {
      for (const accountId of accounts) void enter(accountId)
      await settled()
    },
    async end(accountId: string) {
      const at = held.findIndex((one) => one.accountId === accountId)
      held.splice(at, 1)[0]!.place[Symbol.dispose]()
      await settled()
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const times = (count: number, accountId: string): string[] => Array(count).fill(accountId)

test('an account never holds all places: the first of another goes to work at once', async () => {
  const queue = watched({ working: 4, waiting: 64 })
  await queue.come(...times(24, 'many'))
  expect(queue.order).toEqual(times(3, 'many'))
  await queue.come('one')
  expect(queue.order.at(-1)).toBe('one')
})

test('accounts take turns, whoever came first and however many it brought', async () => {
  const queue = watched({ working: 2, waiting: 64 })
  await queue.come(...times(6, 'a'), ...times(3, 'b'), 'c')
  expect(queue.order).toEqual(['a', 'b'])
  for (const ends of ['a', 'b', 'c', 'a', 'b', 'a']) await queue.end(ends)
  expect(queue.order.slice(2)).toEqual(['c', 'a', 'b', 'a', 'b', 'a'])
})

test('with one place accounts take turns too', async () => {
  const queue = watched({ working: 1, waiting: 64 })
  await queue.come('a', 'a', 'a', 'b', 'b')
  for (const ends of ['a', 'b', 'a', 'b']) await queue.end(ends)
  expect(queue.order).toEqual(['a', 'b', 'a', 'b', 'a'])
})

test('an account cannot fill the line: its newest make way for those of others, down to equal lines', async () => {
  const queue = watched({ working: 2, waiting: 4 })
  await queue.come(...times(5, 'many'))
  expect(queue.refused).toEqual([])
  await queue.come('many')
  expect(queue.refused).toEqual(['many'])
  await queue.come(...times(4, 'other'))
  // One caller of `other` works and two wait; with a third one waiting, the line of `other` would be longer than that of `many`.
  expect(queue.order).toEqual(['many', 'other'])
  expect(queue.refused.toSorted()).toEqual(['many', 'many', 'many', 'other'])
})
