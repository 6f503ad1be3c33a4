/** What a worker process does after each test and each file that it has run, and at its own end. */
import assert from 'node:assert/strict'

type Check = () => Promise<void>

const checks: Check[] = []
const testChecks: Check[] = []

/** Called after this file and every later one of this process. */
export const afterFile = (check: Check): void => void checks.push(check)

/** Called after every test of this process, from now on, except while another test of its file runs. */
export const afterTest = (check: Check): void => void testChecks.push(check)

let running = 0

export function beginTest(): void {
  running += 1
}

export async function checkTest(): Promise<void> {
  running -= 1
  if (running > 0) return
  for (const check of testChecks) await check()
}

export async function checkFile(): Promise<void> {
  for (const check of checks) await check()
}

/** Called when Vitest stops this process, which waits for the end. */
export function atWorkerEnd(end: () => Promise<void>): void {
  const { __vitest_worker__: worker } = globalThis as {
    __vitest_worker__?: { onCleanup?: (end: () => unknown) => void }
  }
  assert(worker?.onCleanup, 'this Vitest has no place for what is done at the end of its processes')
  worker.onCleanup(end)
}
