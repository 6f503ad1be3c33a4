/** Removes everything of a database: processes, files and sockets. */
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { holdLock } from '#platform/jail'
import { type LocalDatabase, layoutOf } from './layout.ts'
import type { LocalContext } from './local.ts'
import { signalIfThere } from './processes.ts'
import { serverPid, stop } from './wake.ts'

/** The folder of a database that `makeDatabase` has not completed. */
const draft = /^[a-z0-9]{20}\.[0-9a-f]{12}$/
/** A draft of this age is abandoned: making takes seconds. */
const oldestDraftMs = 60 * 60 * 1000
const killMs = 10_000

/** Ends the server without writing its data, which is to be deleted. Throws where a process of it goes on. */
export async function killServer(context: LocalContext, database: LocalDatabase): Promise<void> {
  const layout = layoutOf(context.root, database)
  const pid = await serverPid(layout)
  // The process is the first of its namespace: with it the kernel ends all others there.
  if (pid !== undefined) signalIfThere(pid, 'SIGKILL')
  if (!(await stop(context, database, killMs))) throw new Error(`PostgreSQL of ${database.ref} does not end.`)
}

/** Removes the files of a database, and of attempts to make it. */
export async function removeAll(root: string, { ref }: Pick<LocalDatabase, 'ref'>): Promise<void> {
  for (const folder of [root, path.join(root, 'awake')])
    for (const name of await readdir(folder).catch(() => []))
      if (name.startsWith(`${ref}.`)) await rm(path.join(folder, name), { recursive: true, force: true })
  await rm(path.join(root, ref), { recursive: true, force: true })
}

/** Removes the drafts of processes that were killed. */
export async function sweepDrafts(context: LocalContext): Promise<void> {
  for (const ref of (await readdir(context.root)).filter((name) => draft.test(name))) {
    const { folder, lockFile } = layoutOf(context.root, { ref })
    const stats = await stat(folder).catch(() => undefined)
    if (!stats || Date.now() - stats.mtimeMs < oldestDraftMs) continue
    const held = await holdLock(context.tools, lockFile, 0)
    if (held) await rm(folder, { recursive: true, force: true })
    await held?.[Symbol.asyncDispose]()
  }
}
