import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pipeBytes, stuckMs } from './send-bytes.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A visitor's connection that takes as many pieces as are free, and then none. */
class VisitorConnection extends EventEmitter {
  pieces: Buffer[] = []
  free: number
  end = vi.fn()
  destroyed = false
  constructor(free: number) {
    super()
    this.free = free
  }
  write(piece: Buffer): boolean {
    this.pieces.push(piece)
    return --this.free > 0
  }
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}
const piece = Buffer.alloc(1_000)

test('a visitor who takes nothing for thirty seconds is cut, one who takes a little each time is not', async () => {
  const line = new VisitorConnection(1)
  const source = Readable.from(Array.from({ length: 100 }, () => piece))
  const ended = vi.fn()
  pipeBytes(source, line as unknown as ServerResponse, 100_000, ended)
  for (let count = 0; count < 5; count++) {
    await settled()
    vi.advanceTimersByTime(stuckMs - 20)
    line.free = 1
    line.emit('drain')
  }
  await settled()
  expect(line.destroyed).toBe(false)
  vi.advanceTimersByTime(stuckMs + 20)
  expect(line.destroyed).toBe(true)
  expect(source.destroyed).toBe(true)
  expect(line.end).not.toHaveBeenCalled()
  expect(ended).toHaveBeenCalledExactlyOnceWith(line.pieces.length * 1_000, undefined)
})

test('a source that has more or less than was promised ends in a cut, never in another answer’s bytes', async () => {
  for (const [promised, pieces] of [
    [3_500, 3],
    [2_999, 2],
  ] as const) {
    const line = new VisitorConnection(99)
    const ended = vi.fn()
    pipeBytes(Readable.from([piece, piece, piece]), line as unknown as ServerResponse, promised, ended)
    await settled()
    expect(line.pieces).toHaveLength(pieces)
    expect([line.destroyed, line.end.mock.calls.length]).toEqual([true, 0])
    expect(ended).toHaveBeenCalledExactlyOnceWith(pieces * 1_000, expect.any(Error))
  }
  const line = new VisitorConnection(99)
  const ended = vi.fn()
  pipeBytes(Readable.from([piece, piece]), line as unknown as ServerResponse, 2_000, ended)
  await settled()
  expect([line.destroyed, line.end.mock.calls.length]).toEqual([false, 1])
  expect(ended).toHaveBeenCalledExactlyOnceWith(2_000, undefined)
})
