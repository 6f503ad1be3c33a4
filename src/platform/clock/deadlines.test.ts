import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Deadlines } from './deadlines.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 0 })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** A reproducible sequence of whole numbers below `limit`. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
}

test('no deadline rings early, and none more than 10 ms late', () => {
  const deadlines = new Deadlines()
  const below = numbers(7)
  const wrong: unknown[] = []
  let rung = 0
  const set = (ms: number): void => {
    const startMs = performance.now()
    deadlines.in(ms, () => {
      rung++
      const lateMs = performance.now() - startMs - ms
      if (lateMs < 0 || lateMs > 10) wrong.push([ms, lateMs])
    })
  }
  for (const limit of [20, 500, 513, 40_000, 3_000_000, 2 * dayMs, 120 * dayMs])
    for (let count = 0; count < 200; count++) {
      set(below(limit))
      vi.advanceTimersByTime(below(40))
    }
  vi.advanceTimersByTime(121 * dayMs)
  expect(wrong).toEqual([])
  expect(rung).toBe(1_400)
})

test('a deadline that is moved counts from then, to a later time, a sooner one, and after it rang', () => {
  const deadlines = new Deadlines()
  const rung: number[] = []
  const deadline = deadlines.in(1_000, () => rung.push(performance.now()))
  vi.advanceTimersByTime(900)
  deadline.restart()
  vi.advanceTimersByTime(995)
  expect(rung).toEqual([])
  deadline.restart(minuteMs)
  deadline.restart(100)
  vi.advanceTimersByTime(110)
  expect(rung).toHaveLength(1)
  deadline.restart()
  vi.advanceTimersByTime(110)
  expect(rung).toHaveLength(2)
  vi.advanceTimersByTime(minuteMs)
  expect(rung).toHaveLength(2)
})

test('a cancelled deadline does not ring, even when one of the same moment cancels it', () => {
  const deadlines = new Deadlines()
  const rung: string[] = []
  deadlines.in(100, () => {
    rung.push('first')
    second.cancel()
    deadlines.in(0, () => rung.push('third'))
  })
  const second = deadlines.in(100, () => rung.push('second'))
  const before = deadlines.in(50, () => rung.push('before'))
  before.cancel()
  before.cancel()
  vi.advanceTimersByTime(200)
  expect(rung).toEqual(['first', 'third'])
})

test('what one throws is reported, and the others ring', () => {
  const reported: unknown[] = []
  const deadlines = new Deadlines((error) => reported.push(error))
  const rung: number[] = []
  const broken = new Error('broken')
  deadlines.in(10, () => {
    throw broken
  })
  deadlines.in(10, () => rung.push(1))
  deadlines.in(20, () => rung.push(2))
  vi.advanceTimersByTime(30)
  expect(reported).toEqual([broken])
  expect(rung).toEqual([1, 2])
})

test('one timer serves a hundred thousand, none is left after them, and a long one wakes nobody meanwhile', () => {
  const deadlines = new Deadlines()
  expect(vi.getTimerCount()).toBe(0)
  let rung = 0
  const long = deadlines.in(dayMs, () => rung++)
  const timer = vi.spyOn(globalThis, 'setTimeout')
  vi.advanceTimersByTime(dayMs / 2)
  expect(timer.mock.calls.length).toBeLessThan(10)
  for (let count = 0; count < 100_000; count++) deadlines.in(5_000 + (count % 1_000), () => rung++)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(6_010)
  expect(rung).toBe(100_000)
  long.cancel()
  vi.advanceTimersByTime(dayMs)
  expect(rung).toBe(100_000)
  expect(vi.getTimerCount()).toBe(0)
})

test('a pending deadline does not keep the process alive', () => {
  const unref = vi.fn(() => timer)
  const timer = { unref } as unknown as NodeJS.Timeout
  vi.spyOn(globalThis, 'setTimeout').mockReturnValue(timer)
  new Deadlines().in(1_000, () => undefined)
  expect(unref).toHaveBeenCalledOnce()
})
