/** Locks of files that the system holds for this process and takes away with it, however it ends and wherever it is seen from. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { isRunningAlready } from './server.ts'
import type { JailTools } from './start.ts'

/**
 * Undefined where another one holds it for longer than `waitMs`. Node has no flock(2): the program of that name locks the file that is open
 * here, and the lock is that of the open file, not of the program. So it is held until it is disposed of, and never longer than this
 * process lives; others see it from every namespace.
 */
export async function holdLock(
  { flock }: Pick<JailTools, 'flock'>,
  lockFile: string,
  waitMs: number,
): Promise<AsyncDisposable | undefined> {
  const file = await open(lockFile, 'a', 0o600)
  try {
    const words = ['--wait', String(waitMs / 1000), '--conflict-exit-code', String(isRunningAlready), '3']
    const child = spawn(flock, words, { cwd: '/', env: {}, stdio: ['ignore', 'ignore', 'ignore', file.fd] })
    const [code] = await once(child, 'exit')
    if (code === 0) return file
    if (code !== isRunningAlready) throw new Error(`${flock} could not lock ${lockFile}.`)
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return undefined
}
