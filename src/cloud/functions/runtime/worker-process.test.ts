import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { starterLimits } from './limits.ts'
import { WorkerProcess } from './worker-process.ts'

const program = {
  ...{ accountId: 'a', cloudId: 'c', ref: 'r', revision: 1, cloudUrl: 'http://c.invalid', bindings: {} },
  plan: 'starter' as const,
  functions: [{ name: 'f', version: 1, bundle: '' }],
  secretValues: [],
}

afterEach(() => void vi.useRealTimers())

/** A `WorkerProcess` without a real process, whose output the test writes. */
async function started() {
  const stderr = new PassThrough()
  const stdout = new PassThrough()
  const over = Promise.withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>()
  const worker = await WorkerProcess.start(
    program,
    {
      state: async () => ({ kind: 'jailed' }),
      ...{ inJail: true, prefix: '', log() {} },
      folder: () => mkdtemp(path.join(tmpdir(), 'kherad-worker-')),
      user: () => ({ id: undefined, [Symbol.dispose]() {} }),
      async openEgress(_program, socketPath) {
        await writeFile(socketPath, '')
        return {
          begin: () => ({
            open: 0,
            hasBackground: false,
            waitedMs: () => 0,
            onBackground() {},
            stop() {},
            end() {},
          }),
          socketPath,
          async [Symbol.asyncDispose]() {},
        }
      },
      start: async () => ({
        ...{ pid: undefined, stdout, stderr, ended: over.promise },
        kill: () => over.resolve({ code: null, signal: 'SIGKILL' }),
      }),
    },
    starterLimits,
  )
  return {
    worker,
    stderr,
    async [Symbol.asyncDispose]() {
      worker.kill('ended')
      await worker.ended
      stderr.destroy()
      stdout.destroy()
    },
  }
}

test('of a flood of errors the last are kept, and whoever writes it waits until the next second', async () => {
  await using one = await started()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const line = `${'x'.repeat(999)}\n`
  one.stderr.write(line.repeat(4_000))
  await new Promise((resolve) => setImmediate(resolve))
  expect(one.stderr.isPaused()).toBe(false)
  one.stderr.write(line.repeat(400))
  await new Promise((resolve) => setImmediate(resolve))
  expect(one.stderr.isPaused()).toBe(true)
  one.stderr.write('the end\n')
  vi.advanceTimersByTime(1_000)
  vi.useRealTimers()
  await expect.poll(() => one.worker.errors).toMatch(/the end\n$/)
  expect(one.worker.errors.length).toBe(4_096)
})
