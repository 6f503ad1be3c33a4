import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type ConfinedWork, openConfinement, openIsolation } from '#platform/confined'
import { openLog } from '#platform/log'

const find = openIsolation()
const confine = openConfinement(openLog('silent'), undefined, find)
const { withoutNetwork, dropsUser, tool, prefix } = await find()
if (tool !== 'bubblewrap') console.log(`skipped: bubblewrap is not here or may not work; found ${tool}`)

const attempt = (name: string, more?: unknown, timeoutMs = 20_000, rest: Partial<ConfinedWork> = {}) =>
  confine({
    module: path.join(import.meta.dirname, '../../core/tools/confined/hostile-process.ts'),
    accountId: 'somebody',
    input: { attempt: name, more },
    timeoutMs,
    maxOutputBytes: 100_000,
    signal: new AbortController().signal,
    ...rest,
  })

async function folder() {
  const made = await mkdtemp(path.join(tmpdir(), 'kherad-confined-'))
  return { path: made, [Symbol.asyncDispose]: () => rm(made, { recursive: true }) }
}

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

test.runIf(withoutNetwork)('where the machine can forbid it, it can call nobody', async () => {
  await using server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  expect(await attempt('call somebody', port)).toEqual({
    value: { refused: expect.stringMatching(/^E(CONNREFUSED|NETUNREACH)$/) },
  })
})

test.runIf(dropsUser)('started by root, it is nobody', async () => {
  expect(await attempt('tell who it is')).toEqual({ value: { got: 65_534 } })
})

test.runIf(tool === 'bubblewrap')(
  'what breaks out of Node sees no file but its own, and no process of the host',
  async () => {
    await using own = await folder()
    const secret = path.join(own.path, 'secret')
    await writeFile(secret, 'hunter2')
    const see = (script: string, readable: string[]) => {
      const [command, ...words] = [...prefix({ readable, writable: [] }), '/bin/sh', '-c', script]
      const { stdout, stderr } = spawnSync(command!, words, {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] },
      })
      return stdout + stderr
    }
    expect(see(`cat ${secret}`, [secret])).toBe('hunter2')
    expect(see(`cat ${secret}`, [])).toMatch(/No such file/)
    expect(see('cat /etc/passwd', [])).toMatch(/No such file/)
    expect(see(`touch ${secret}`, [secret])).toMatch(/Read-only|Permission denied/)
    expect(see(`kill -0 ${process.pid}`, [])).not.toBe('')
  },
)

test('it reads the files that it is given, and writes none of them', async () => {
  await using own = await folder()
  const file = path.join(own.path, 'data.csv')
  await writeFile(file, 'شهر,فروش', { mode: 0o444 })
  const given = { files: [file] }
  expect(await attempt('read what it is given', file, 20_000, given)).toEqual({ value: { got: 'شهر,فروش' } })
  expect(await attempt('write what it is given', file, 20_000, given)).toHaveProperty('value.refused')
  expect(await attempt('read what it is given', own.path, 20_000, given)).toHaveProperty('value.refused')
})

test('it has a scratch folder where it is given one, and none elsewhere', async () => {
  await using own = await folder()
  const scratch = { path: own.path, bytes: 1024 * 1024 }
  expect(await attempt('write and read its scratch folder', undefined, 20_000, { scratch })).toEqual({
    value: { got: ['kept for a moment', ['note.txt']] },
  })
  expect(await attempt('write and read its scratch folder')).toHaveProperty('value.refused')
})

test.each([
  ['fill its scratch folder with one file', { value: { refused: 'EFBIG' } }],
  ['fill its scratch folder with many files', { lost: 'output' }],
])('it cannot %s', async (name, outcome) => {
  await using own = await folder()
  const scratch = { path: own.path, bytes: 8 * 1024 * 1024 }
  expect(await attempt(name, undefined, 20_000, { scratch })).toEqual(outcome)
})

test.runIf(process.platform === 'linux')('its memory is what its kind of work is given', async () => {
  const enough = await attempt('hold memory', 600, 20_000, { memoryMb: 800 })
  const tooLittle = await attempt('hold memory', 600)
  expect(enough).toEqual({ value: { got: 600 * 1024 * 1024 } })
  expect(tooLittle).not.toHaveProperty('value.got')
})

test('by the clock it may take as long as its kind of work is given', async () => {
  expect(await attempt('work for ever', undefined, 600_000, { wallMs: 1_500 })).toEqual({ lost: 'time' })
})
