import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogLine } from '../functions.ts'
import { OutputLines } from './output-lines.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const requestId = '01a21886-e8f2-71c9-b667-b45000000000'

function reading(limits = { linesPerSecond: 3, outputBytesPerSecond: 10_000 }) {
  const stream = new PassThrough()
  const lines: LogLine[] = []
  new OutputLines(stream, 'first', { limits, prefix: '', log: (more) => lines.push(...more) })
  const write = async (text: string | Buffer) => {
    stream.write(text)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { stream, lines, write, messages: () => lines.map(({ message }) => message) }
}

test('a marked line bears its level, its call and its function; any other is information', async () => {
  const { write, lines } = reading()
  await write(`\u0001${JSON.stringify({ level: 'error', message: 'a\nb', call: requestId, of: 'second' })}\n`)
  await write('plain\n')
  await write('\u0001{"level":"shout","message":"no level"}\n')
  expect(lines).toMatchObject([
    { name: 'second', level: 'error', message: 'a\nb', requestId },
    // The function that wrote last.
    { name: 'second', level: 'info', message: 'plain', requestId: null },
    { name: 'second', level: 'info', requestId: null },
  ])
})

test('lines and letters in pieces are put together', async () => {
  const { write, messages } = reading()
  const bytes = Buffer.from('سلام دنیا\nدوم\n')
  for (const byte of bytes) await write(Buffer.of(byte))
  expect(messages()).toEqual(['سلام دنیا', 'دوم'])
})

test('so many lines a second are kept, and one line says how many more there were', async () => {
  const { write, messages } = reading()
  await write('1\n2\n3\n4\n5\n')
  await write('6\n7\n')
  expect(messages()).toEqual(['1', '2', '3'])
  vi.advanceTimersByTime(1_000)
  expect(messages()[3]).toMatch(/^4 lines were dropped.*۴ خط/)
  await write('8\n')
  expect(messages().at(-1)).toBe('8')
})

test('a line without an end is kept nowhere', async () => {
  const { write, messages } = reading({ linesPerSecond: 3, outputBytesPerSecond: 1_000_000 })
  for (let count = 0; count < 10; count++) await write('x'.repeat(20_000))
  await write('\nafter\n')
  expect(messages()).toEqual(['after'])
})

test('whoever writes far too much waits until the second is over', async () => {
  const { stream, write } = reading({ linesPerSecond: 3, outputBytesPerSecond: 100 })
  await write('x'.repeat(1_601))
  expect(stream.isPaused()).toBe(true)
  vi.advanceTimersByTime(1_000)
  expect(stream.isPaused()).toBe(false)
})
