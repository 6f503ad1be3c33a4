import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { type Flow, Scheduler } from './scheduler.ts'

/** A scheduler whose event loop and clock the test moves by hand. */
class Loop {
  nowMs = 0
  turns = 0
  readonly ran: string[] = []
  #soon: (() => void)[] = []
  #next: (() => void)[] = []
  readonly scheduler = new Scheduler({
    nowMs: () => this.nowMs,
    soon: (run) => void this.#soon.push(run),
    settled: (run) => void this.#soon.push(run),
    nextTurn: (run) => void this.#next.push(run),
  })

  /** A task that takes `ms` milliseconds. */
  task(name: string, ms: number): () => void {
    return () => {
      this.nowMs += ms
      this.ran.push(name)
    }
  }

  /** Runs one turn of the event loop; returns true if there is a next turn. */
  turn(): boolean {
    this.turns++
    for (const run of this.#next.splice(0)) run()
    while (this.#soon.length > 0) this.#soon.shift()!()
    return this.#next.length > 0
  }
}

const fill = (loop: Loop, flow: Flow, name: string, tasks: number, ms: number): void => {
  for (let i = 0; i < tasks; i++) flow.add(loop.task(name, ms))
}
const shareOf = (loop: Loop, name: string, ms: number): number =>
  ms * loop.ran.filter((ran) => ran === name).length

test('a turn has 4 ms for all flows together; the rest goes on in the next ones', () => {
  const loop = new Loop()
  fill(loop, loop.scheduler.flow(), 'a', 10, 1)
  fill(loop, loop.scheduler.flow(), 'b', 10, 1)
  const sizes: number[] = []
  for (let isMore = true; isMore; ) {
    const before = loop.ran.length
    isMore = loop.turn()
    sizes.push(loop.ran.length - before)
  }
  // The last turn has nothing left to do, and requests no other.
  expect(sizes).toEqual([4, 4, 4, 4, 4, 0])
})

test('what comes in a turn whose time is used waits for the next one', () => {
  const loop = new Loop()
  const flow = loop.scheduler.flow()
  flow.add(loop.task('a', 5))
  loop.turn()
  flow.add(loop.task('a', 1))
  expect(loop.ran).toEqual(['a'])
  loop.turn()
  expect(loop.ran).toEqual(['a', 'a'])
})

test('flows have the same time, however long their tasks take and however many wait', () => {
  const loop = new Loop()
  const costs = { short: 0.01, usual: 0.1, long: 3 }
  for (const [name, ms] of Object.entries(costs)) fill(loop, loop.scheduler.flow(), name, 10_000, ms)
  while (loop.nowMs < 300) loop.turn()
  for (const [name, ms] of Object.entries(costs)) {
    expect(shareOf(loop, name, ms)).toBeGreaterThan(100 - 4)
    expect(shareOf(loop, name, ms)).toBeLessThan(100 + 4)
  }
})

test('whoever was idle comes before all that others have waiting', () => {
  const loop = new Loop()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    fill(loop, loop.scheduler.flow(), name, 1_000, 0.1)
  loop.turn()
  loop.turn()
  const voice = loop.scheduler.flow()
  for (let packet = 0; packet < 50; packet++) {
    loop.ran.length = 0
    voice.add(loop.task('voice', 0.1))
    loop.turn()
    expect(loop.ran.indexOf('voice')).toBe(0)
  }
})

test('whoever is idle between two of his tasks has no more than the others', () => {
  const loop = new Loop()
  fill(loop, loop.scheduler.flow(), 'a', 10_000, 0.1)
  const sly = loop.scheduler.flow()
  const again = (): void => {
    loop.task('sly', 2)()
    setTask()
  }
  const setTask = (): void => sly.add(again)
  setTask()
  while (loop.nowMs < 200) loop.turn()
  expect(shareOf(loop, 'sly', 2)).toBeLessThan(108)
})

test('a rest is no saving: who comes late has from then on what the others have', () => {
  const loop = new Loop()
  fill(loop, loop.scheduler.flow(), 'a', 10_000, 0.1)
  while (loop.nowMs < 100) loop.turn()
  loop.ran.length = 0
  fill(loop, loop.scheduler.flow(), 'late', 10_000, 0.1)
  while (loop.nowMs < 140) loop.turn()
  expect(shareOf(loop, 'a', 0.1)).toBeGreaterThan(18)
  expect(shareOf(loop, 'late', 0.1)).toBeGreaterThan(18)
})

test('a flow keeps its order, and takes no more than its bounds', () => {
  const loop = new Loop()
  const flow = loop.scheduler.flow({ tasks: 3, bytes: 100 })
  const offered = [40, 40, 40, 20, 0].map((bytes, i) => flow.offer(loop.task(String(i), 1), bytes))
  expect(offered).toEqual([true, true, false, true, false])
  loop.turn()
  expect(loop.ran).toEqual(['0', '1', '3'])
  expect(flow.offer(loop.task('again', 1), 100)).toBe(true)
  flow[Symbol.dispose]()
  expect(flow.offer(loop.task('late', 1), 100)).toBe(true)
  loop.turn()
  expect(loop.ran).toEqual(['0', '1', '3'])
})

test('a task that throws takes no turn from others', () => {
  const loop = new Loop()
  loop.scheduler.flow().add(() => {
    throw new Error('broken')
  })
  loop.scheduler.flow().add(loop.task('a', 1))
  expect(() => loop.turn()).toThrow('broken')
  loop.turn()
  expect(loop.ran).toEqual(['a'])
})

test('all tasks run, each once, those of a flow in their order', () => {
  const ms = fc.integer({ min: 0, max: 30 }).map((tenths) => tenths / 10)
  fc.assert(
    fc.property(fc.array(fc.array(ms, { maxLength: 20 }), { maxLength: 6 }), (flows) => {
      const loop = new Loop()
      for (const [at, tasks] of flows.entries()) {
        const flow = loop.scheduler.flow()
        for (const [i, took] of tasks.entries()) flow.add(loop.task(`${at} ${i}`, took))
      }
      while (loop.turn());
      for (const [at, tasks] of flows.entries())
        expect(loop.ran.filter((name) => name.startsWith(`${at} `))).toEqual(
          tasks.map((_, i) => `${at} ${i}`),
        )
    }),
  )
})

test('what a task leaves to microtasks is of its time and of its turn', async () => {
  let nowMs = 0
  let turns = 0
  const ranIn: number[] = []
  const scheduler = new Scheduler({
    nowMs: () => nowMs,
    nextTurn: (run) =>
      setImmediate(() => {
        turns++
        run()
      }),
  })
  const flow = scheduler.flow()
  for (let i = 0; i < 8; i++)
    flow.add(async () => {
      for (let part = 0; part < 20; part++) await undefined
      nowMs += 2
      ranIn.push(turns)
    })
  while (ranIn.length < 8) await turn()
  // Two tasks of 2 ms use up the budget of a turn.
  expect(ranIn).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
})
