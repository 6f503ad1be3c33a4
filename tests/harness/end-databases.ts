/** Databases of clouds at the end of a test. */
import { access, readdir } from 'node:fs/promises'
import { holdLock } from '#platform/jail'
import { layoutOf } from '../../src/cloud/databases/local/layout.ts'
import { signalIfThere } from '../../src/cloud/databases/local/processes.ts'
import { serverPid } from '../../src/cloud/databases/local/wake.ts'
import { until } from './until.ts'

const lockSliceMs = 50

/** The first process of the server of the database that lies there, if it runs. */
export const serverOfDatabase = (root: string, ref: string): Promise<number | undefined> =>
  serverPid(layoutOf(root, { ref }))

/**
 * Ends the servers whose databases lie there. They outlive a process that is killed, and on a busy machine one that ends and does not wait for them
 * any longer; a folder in which they still write cannot be removed.
 */
export async function endDatabases(root: string): Promise<void> {
  for (const ref of await readdir(root).catch(() => [])) {
    const layout = layoutOf(root, { ref })
    const hasLock = await access(layout.lockFile).then(
      () => true,
      () => false,
    )
    if (!hasLock) continue
    await until(async () => {
      const pid = await serverPid(layout)
      if (pid !== undefined) signalIfThere(pid, 'SIGKILL')
      // All of its processes hold it.
      const held = await holdLock({ flock: 'flock' }, layout.lockFile, lockSliceMs)
      await held?.[Symbol.asyncDispose]()
      return held !== undefined
    })
  }
}
