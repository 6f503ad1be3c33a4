import path from 'node:path'
import { expect, test } from 'vitest'
import { openLog } from '#platform/log'
import { openConfinement } from '../../src/engine/tools/confined.ts'

const confine = openConfinement(openLog('silent'))

const attempt = (name: string, more?: unknown, timeoutMs = 20_000) =>
  confine({
    module: path.join(import.meta.dirname, 'confined/hostile-process.ts'),
    input: { attempt: name, more },
    timeoutMs,
    maxOutputBytes: 100_000,
    signal: new AbortController().signal,
  })

test('a confined process answers', async () => {
  expect(await attempt('echo', 'سلام')).toEqual({ value: { got: 'سلام' } })
})

test.each([
  'read a file of the host',
  'read this repository',
  'write a file',
  'write beside itself',
  'start a program',
  'start a thread',
  'load native code',
])('it cannot %s', async (name) => {
  const outcome = await attempt(name)
  expect(outcome).toEqual({
    value: { refused: expect.stringMatching(/^ERR_(ACCESS_DENIED|DLOPEN_DISABLED)$/) },
  })
})

test('it cannot make code of text', async () => {
  expect(await attempt('make code of text')).toEqual({ value: { refused: 'EvalError' } })
})

test('it knows nothing of the environment', async () => {
  process.env['CANARY_OF_THE_TOOLS'] = 'hunter2'
  expect(JSON.stringify(await attempt('environment'))).not.toMatch(/CANARY|hunter2|DATABASE|HOME/)
})

test.each([
  ['take all memory of JavaScript', 'broken'],
  ['say nonsense', 'broken'],
  ['die at once', 'broken'],
  ['say too much', 'output'],
])('to %s loses nothing but the process', async (name, lost) => {
  expect(await attempt(name)).toEqual({ lost })
})

test.runIf(process.platform === 'linux')(
  'memory outside of JavaScript is bounded by the system',
  async () => {
    const outcome = await attempt('take all memory of buffers')
    expect(outcome).toSatisfy((seen) => 'lost' in seen || 'refused' in (seen.value as object))
  },
)

test('what works for ever is killed at its time', async () => {
  expect(await attempt('work for ever', undefined, 1_500)).toEqual({ lost: 'time' })
})

test('output is bounded to the byte', async () => {
  const wrapped = JSON.stringify({ got: '' }).length
  expect(await attempt('echo', 'x'.repeat(100_000 - wrapped))).toHaveProperty('value')
  expect(await attempt('echo', 'x'.repeat(100_001 - wrapped))).toEqual({ lost: 'output' })
})
