/** What a worker process does after each file that it has run, and at its own end. */
import assert from 'node:assert/strict'

const checks: (() => Promise<void>)[] = []

/** Called after this file and every later one of this process. */
export const afterFile = (check: () => Promise<void>): void => void checks.push(check)

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
