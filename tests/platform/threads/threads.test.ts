/** Threads for heavy computations: bounded, and no task takes another with it. */
import { expect, test } from 'vitest'
import { ThreadKilled, type ThreadOptions, Threads } from '#platform/threads'
import { until } from '../../harness/until.ts'
import type { Task } from './tasks-thread.ts'

const open = (more: Partial<ThreadOptions> = {}) =>
  new Threads<Task, number>({
    module: new URL('./tasks-thread.ts', import.meta.url),
    maxThreads: 1,
    timeoutMs: 60_000,
    memoryMb: 32,
    ...more,
  })

/** Tasks that wait at it count themselves and go on when it is opened. */
function gate() {
  const buffer = new SharedArrayBuffer(8)
  const state = new Int32Array(buffer)
  return {
    task: { gate: buffer },
    waiting: () => Atomics.load(state, 1),
    open() {
      Atomics.store(state, 0, 1)
      Atomics.notify(state, 0)
    },
  }
}

test('a thread is used again, and what a task throws reaches its caller and nobody else', async () => {
  await using threads = open()
  const first = await threads.run('name')
  await expect(threads.run('throw')).rejects.toThrow('as told')
  expect(await threads.run('name')).toBe(first)
})

test.each([
  ['takes too long', 'loop'],
  ['takes too much memory', 'fill'],
  ['ends its thread', 'exit'],
] as const)('a task that %s is killed, and the next one is done by another thread', async (_, task) => {
  await using threads = open({ timeoutMs: 2_000 })
  await expect(threads.run(task)).rejects.toBeInstanceOf(ThreadKilled)
  // On a busy machine a thread may take that long to start.
  expect(await until(() => threads.run('name').catch(() => undefined))).toBeGreaterThan(0)
})

test('as many as may be work at once, and others wait for their turn', async () => {
  await using threads = open({ maxThreads: 2 })
  const held = gate()
  const working = [threads.run(held.task), threads.run(held.task)]
  await until(() => held.waiting() === 2)
  expect(threads.isBusy).toBe(true)
  const order: string[] = []
  const waiting = ['a', 'b', 'c'].map((name) => threads.run('name').then(() => order.push(name)))
  expect(order).toEqual([])
  held.open()
  const ids = await Promise.all(working)
  expect(new Set(ids).size).toBe(2)
  await Promise.all(waiting)
  expect(order).toHaveLength(3)
  expect(threads.isBusy).toBe(false)
})

test('an idle thread ends by itself, and what is asked then is done by a new one', async () => {
  await using threads = open({ idleMs: 1 })
  const first = await threads.run('name')
  await until(async () => (await threads.run('name')) !== first)
})

test('a task that comes while an idle thread is being ended does not die with it', async () => {
  await using threads = open({ idleMs: 1 })
  for (let round = 0; round < 10; round++) {
    await threads.run('name')
    // Set after that of the thread, this timer comes right after it.
    await new Promise((resolve) => setTimeout(resolve, 2))
    expect(await threads.run('name')).toBeGreaterThan(0)
  }
})

test('bytes that are transferred are moved and not copied', async () => {
  await using threads = open()
  const bytes = new Uint8Array(1_000)
  expect(await threads.run({ bytes }, [bytes.buffer])).toBe(1_000)
  expect(bytes.length).toBe(0)
})

test('disposing ends a task that is under way', async () => {
  const threads = open()
  const held = gate()
  const failed = expect(threads.run(held.task)).rejects.toBeInstanceOf(ThreadKilled)
  await until(() => held.waiting() === 1)
  await threads[Symbol.asyncDispose]()
  await failed
})
