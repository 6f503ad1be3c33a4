import { expect, test } from 'vitest'
import type { Consumption } from '#platform/jail'
import { starterLimits } from './limits.ts'
import { Watch, type WatchedCall } from './watch.ts'

const startMs = starterLimits.startCpuMs + 50

/** A process whose consumption a test sets, past its start. */
function watched() {
  const now: Consumption = { cpuMs: startMs, residentBytes: 0, threads: 2, isWaiting: true }
  const watch = new Watch({ read: () => ({ ...now }), [Symbol.dispose]() {} }, starterLimits, 1)
  const calls = new Set<WatchedCall>()
  watch.look(calls, 0)
  const use = (cpuMs: number, more: Partial<Consumption> = {}) => {
    Object.assign(now, { isWaiting: true, ...more, cpuMs: now.cpuMs + cpuMs })
    return watch.look(calls, 0)
  }
  return { watch, calls, use }
}

function callOf(calls: Set<WatchedCall>, more: Partial<WatchedCall> = {}) {
  const late: number[] = []
  const call = {
    cpuMs: 0,
    startedMs: 0,
    waitedMs: () => 0,
    timeOut: (seconds: number) => void late.push(seconds),
    ...more,
  }
  calls.add(call)
  return { call, late }
}

test('a call may use exactly its CPU time, and not a tick more', () => {
  const { calls, use } = watched()
  callOf(calls)
  expect(use(1_000)).toBeUndefined()
  expect(use(10)).toBe('cpu')
})

test('calls at the same time share what their process uses', () => {
  const { calls, use } = watched()
  for (let count = 0; count < 4; count++) callOf(calls)
  for (let count = 0; count < 4; count++) expect(use(1_000)).toBeUndefined()
  expect(use(40)).toBe('cpu')
})

test('what is used in one go is that of one call, however many stand beside it', () => {
  const { watch, calls, use } = watched()
  for (let count = 0; count < 4; count++) callOf(calls)
  expect(use(1_000, { isWaiting: false })).toBeUndefined()
  watch.answered()
  expect(use(1_000, { isWaiting: false })).toBeUndefined()
  expect(use(10, { isWaiting: false })).toBe('cpu')
})

test('a process that nobody calls may not calculate either', () => {
  const { use } = watched()
  expect(use(1_000)).toBeUndefined()
  expect(use(10)).toBe('cpu')
})

test('waiting for requests counts against the wall alone', () => {
  const { watch, calls } = watched()
  const own = callOf(calls)
  const waiting = callOf(calls, { waitedMs: () => 140_000 })
  watch.look(calls, 10_000)
  expect([own.late, waiting.late]).toEqual([[], []])
  watch.look(calls, 10_001)
  expect([own.late, waiting.late]).toEqual([[10], []])
  watch.look(calls, 150_000)
  expect(waiting.late).toEqual([])
  watch.look(calls, 150_001)
  expect(waiting.late).toEqual([150])
})

test('memory and threads are held at their edges', () => {
  const { residentBytes, threads } = starterLimits
  const { use } = watched()
  expect(use(0, { residentBytes, threads })).toBeUndefined()
  expect(use(0, { residentBytes: residentBytes + 1 })).toBe('memory')
  expect(use(0, { residentBytes, threads: threads + 1 })).toBe('threads')
})
