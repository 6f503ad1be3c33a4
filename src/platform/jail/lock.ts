/**
 * Locks on files. The system holds them for this process and releases them when it ends, however it ends; other processes see them from every
 * namespace.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { alreadyRunningExitCode } from './server.ts'
import type { JailTools } from './start.ts'

/**
 * Locks the file until disposed. Undefined if another process holds the lock for longer than `waitMs`. Node has no flock(2), so the program of that
 * name locks the file that is open here; the lock belongs to the open file, not to the program. It is never held longer than this process lives, and
 * others see it from every namespace.
 */
export async function holdLock(
  { flock }: Pick<JailTools, 'flock'>,
  lockFile: string,
  waitMs: number,
): Promise<AsyncDisposable | undefined> {
  const file = await open(lockFile, 'a', 0o600)
  try {
    const words = [
      '--wait',
      String(waitMs / 1000),
      '--conflict-exit-code',
      String(alreadyRunningExitCode),
      '3',
    ]
    const child = spawn(flock, words, { cwd: '/', env: {}, stdio: ['ignore', 'ignore', 'ignore', file.fd] })
    const [code] = await once(child, 'exit')
    if (code === 0) return file
    if (code !== alreadyRunningExitCode) throw new Error(`${flock} could not lock ${lockFile}.`)
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return undefined
}
