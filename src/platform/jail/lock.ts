/** The lock of a server that runs in a jail, held by this process: while it is, nobody starts the server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isRunningAlready } from './server.ts'
import type { JailTools } from './start.ts'

/**
 * Undefined where another one holds it for longer than `waitMs`. It is held until it is disposed of, and never longer than this process
 * lives: the system closes the pipe that its holder reads from.
 */
export async function holdLock(
  { flock }: Pick<JailTools, 'flock'>,
  lockFile: string,
  waitMs: number,
): Promise<AsyncDisposable | undefined> {
  const words = [
    ...['--wait', String(waitMs / 1000), '--conflict-exit-code', String(isRunningAlready), lockFile],
    ...['/bin/sh', '-c', 'echo held; exec cat'],
  ]
  const child = spawn(flock, words, {
    cwd: '/',
    env: { PATH: '/bin:/usr/bin' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const isHeld = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)])
  if (!isHeld) {
    if ((await ended) === isRunningAlready) return undefined
    throw new Error(`${flock} could not lock ${lockFile}.`)
  }
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
