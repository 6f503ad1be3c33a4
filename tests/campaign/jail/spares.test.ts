/** Confined processes that are started before their work: each does one piece of it, is as confined as any other, and never outlives its server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type ConfinedWork, type Isolation, openConfinement } from '#platform/confined'
import { openLog } from '#platform/log'
import { startMs, until } from '../../harness/until.ts'

const module = path.join(import.meta.dirname, '../../core/tools/confined/hostile-process.ts')

const attemptWith =
  (confine: ReturnType<typeof openConfinement>) =>
  (name: string, more?: unknown, rest: Partial<ConfinedWork> = {}) =>
    confine({
      module,
      accountId: 'somebody',
      input: { attempt: name, more },
      timeoutMs: 20_000,
      maxOutputBytes: 100_000,
      keepsSpare: true,
      signal: new AbortController().signal,
      ...rest,
    })

/** Processes below another one that run the module. */
function running(ancestor = process.pid): number[] {
  const children = (pid: number): number[] => {
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    } catch {
      return []
    }
  }
  const below = (pid: number): number[] => children(pid).flatMap((child) => [child, ...below(child)])
  return below(ancestor).filter((pid) => commandOf(pid).includes(module))
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const isLinux = readdirSync('/').includes('proc')

test('work after work is answered by processes that know nothing of one another, and none can do more than usual', async () => {
  const attempt = attemptWith(openConfinement(openLog('silent')))
  for (let round = 0; round < 3; round++) {
    expect(await attempt('echo', `سلام ${round}`)).toEqual({ value: { got: `سلام ${round}` } })
    for (const name of ['read a file of the host', 'write a file', 'start a program'])
      expect(await attempt(name)).toEqual({ value: { refused: 'ERR_ACCESS_DENIED' } })
  }
  expect(await Promise.all(['a', 'b', 'c', 'd'].map((word) => attempt('echo', word)))).toEqual(
    ['a', 'b', 'c', 'd'].map((got) => ({ value: { got } })),
  )
})

test('what its caller leaves before it begins takes nobody else’s answer', async () => {
  const attempt = attemptWith(openConfinement(openLog('silent')))
  await attempt('echo', 'first')
  const gone = AbortSignal.abort(new Error('left'))
  await expect(attempt('echo', 'second', { signal: gone })).rejects.toThrow('left')
  expect(await attempt('echo', 'third')).toEqual({ value: { got: 'third' } })
})

test('a spare that may read a file is given to work with the same files alone; work with a folder of its own gets none', async () => {
  const attempt = attemptWith(openConfinement(openLog('silent')))
  const passwd = { files: ['/etc/passwd'] }
  for (let round = 0; round < 2; round++) {
    expect(await attempt('read a file of the host', undefined, passwd)).toMatchObject({
      value: { got: expect.stringContaining('root:') },
    })
    for (const more of [{}, { files: ['/etc/hosts'] }])
      expect(await attempt('read a file of the host', undefined, more)).toEqual({
        value: { refused: 'ERR_ACCESS_DENIED' },
      })
  }
  const scratch = { path: '/nowhere', bytes: 1 }
  await expect(attempt('echo', 'x', { scratch })).rejects.toThrow('no spare')
})

test.skipIf(!isLinux)(
  'a spare keeps no server running, and ends with it',
  async () => {
    const program = `
    const { openConfinement } = await import('#platform/confined')
    const { openLog } = await import('#platform/log')
    const signal = new AbortController().signal
    const outcome = await openConfinement(openLog('silent'))({
      module: ${JSON.stringify(module)}, accountId: 'a', input: { attempt: 'echo', more: 'x' },
      timeoutMs: 20_000, maxOutputBytes: 1_000, keepsSpare: true, signal,
    })
    process.stdout.write(JSON.stringify(outcome))
    if (process.argv[1] === 'stay') await new Promise((resolve) => setTimeout(resolve, 60_000))`
    const started = (word: string) =>
      spawn(process.execPath, ['--input-type=module', '-e', program, word], {
        cwd: path.resolve(import.meta.dirname, '../../..'),
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    const leaves = started('leave')
    expect((await once(leaves, 'exit'))[0]).toBe(0)
    const stays = started('stay')
    await until(() => running(stays.pid!).length > 0, startMs)
    await once(stays.stdout, 'data')
    await until(() => running(stays.pid!).length > 0, startMs)
    const spares = running(stays.pid!)
    stays.kill('SIGKILL')
    await until(() => spares.every((pid) => !commandOf(pid).includes(module)), startMs)
  },
  200_000,
)

test('what a killed process leaves behind with its output open is not waited for', async () => {
  const isolation: Isolation = {
    tool: 'none',
    withoutNetwork: false,
    dropsUser: undefined,
    // As a tool that is killed in the midst of starting: what it has begun lives on.
    prefix: () => ['/bin/sh', '-c', 'sleep 60 & exec sleep 60'],
    give: async () => {},
  }
  const confine = openConfinement(openLog('silent'), undefined, async () => isolation)
  const leaving = new AbortController()
  setTimeout(() => leaving.abort(new Error('gone')), 200)
  const work = confine({
    module,
    input: {},
    accountId: 'a',
    timeoutMs: 60_000,
    memoryMb: 64,
    heapMb: 32,
    maxOutputBytes: 1_000,
    signal: leaving.signal,
  })
  await expect(work).rejects.toThrow('gone')
}, 50_000)

test('work of little processor time is not lost to a machine that takes long to start it', async () => {
  const isolation: Isolation = {
    tool: 'none',
    withoutNetwork: false,
    dropsUser: undefined,
    // Longer than three times its processor time.
    prefix: () => ['/bin/sh', '-c', 'sleep 1; exec "$0" "$@"'],
    give: async () => {},
  }
  const confine = openConfinement(openLog('silent'), undefined, async () => isolation)
  const outcome = await confine({
    module: { path: '/bin/true', args: [] },
    input: undefined,
    accountId: 'a',
    timeoutMs: 200,
    maxOutputBytes: 1_000,
    signal: new AbortController().signal,
  })
  expect(outcome).toEqual({ value: undefined })
})
