/**
 * A backup takes the place of the data of a database. It is unpacked beside it and started there once, while the database still answers; then
 * both change places while nobody can wake it, and what was there is kept until the new data has answered in its place. Wherever a process is
 * killed, the next run finds either data or the other, whole.
 */

import { execFile } from 'node:child_process'
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { Failure } from '#platform/errors'
import { holdLock } from '#platform/jail'
import type { RestoreOptions } from '../databases.ts'
import { type Layout, type LocalDatabase, layoutOf, makeFolders, removeFolders } from './layout.ts'
import type { LocalContext } from './local.ts'
import { isDiskShort } from './machine-watch.ts'
import { end } from './remove.ts'
import { unpack } from './unpack.ts'
import { stop, wake } from './wake.ts'

/** What was written while the backup was made is applied at its first start. */
const maxStartMs = 15 * 60 * 1000
const lockWaitMs = 2_000
const noRoomMs = 60_000
/** Somebody may wake the database between its stop and the lock. */
const maxStops = 15

/** False where another process is at it. Throws where the backup cannot be used; then the database is what it was. */
export async function restoreDatabase(
  context: LocalContext,
  database: LocalDatabase,
  options: RestoreOptions,
): Promise<boolean> {
  const layout = layoutOf(context.root, database)
  if (!(await isThere(layout.folder)) && !(await makeAgain(layout, database, options))) return false
  const held = await holdLock(context.tools, layout.restoreLockFile, lockWaitMs)
  if (!held) return false
  await using _lock = held
  const draft: LocalDatabase = { ref: `restore.${options.id}`, user: database.user }
  // Once the app writes again, a second exchange would lose what it has written.
  if (await isCompleted(layout, options.id)) await finish(layout, layoutOf(context.root, draft))
  else {
    await undo(context, database, draft)
    try {
      await prepare(context, draft, options)
      await exchange(context, database, draft, options.id)
    } catch (error) {
      await undo(context, database, draft)
      throw isOfFullDisk(error) ? noRoom(error) : error
    }
  }
  await removeFolders(layoutOf(context.root, draft))
  return true
}

/**
 * Of a database that was lost with its disk. A deletion may just have removed it, too: it ends the restoring before that, so what is made
 * before this is asked is taken away here, and what is made after it there.
 */
async function makeAgain(
  layout: Layout,
  { user }: LocalDatabase,
  { isWanted }: RestoreOptions,
): Promise<boolean> {
  await makeFolders(layout, user)
  const wanted = await isWanted()
  if (!wanted) await removeFolders(layout)
  return wanted
}

const isCompleted = async ({ restoredFile }: Layout, id: string): Promise<boolean> =>
  (await readFile(restoredFile, 'utf8').catch(() => '')) === id

/** After restoring was given up: the database is what it was before, or what it has become if that was complete. */
export async function endRestore(context: LocalContext, database: LocalDatabase, id: string): Promise<void> {
  const layout = layoutOf(context.root, database)
  // It was not made yet: nothing of it can have been restored.
  if (!(await isThere(layout.folder))) return
  const held = await holdLock(context.tools, layout.restoreLockFile, lockWaitMs)
  if (!held) throw new Error('Another process still restores this database.')
  await using _lock = held
  await undo(context, database, { ref: `restore.${id}`, user: database.user })
}

async function undo(context: LocalContext, database: LocalDatabase, draft: LocalDatabase): Promise<void> {
  const layout = layoutOf(context.root, database)
  if (await isThere(layout.dataBefore)) {
    await using _lock = await stopAndHold(context, database)
    await rm(layout.restoredFile, { force: true })
    await rm(layout.data, { recursive: true, force: true })
    await rename(layout.dataBefore, layout.data)
  }
  await rm(layout.restoringFile, { force: true })
  await end(context, draft)
  await removeFolders(layoutOf(context.root, draft))
}

/** The new data, seen to start and to answer, and on the disk. */
async function prepare(
  context: LocalContext,
  draft: LocalDatabase,
  { tar, maxBytes }: RestoreOptions,
): Promise<void> {
  const layout = layoutOf(context.root, draft)
  await requireDisk(context, maxBytes)
  await makeFolders(layout, draft.user)
  await unpack(tar(), { folder: layout.data, owner: draft.user, maxBytes })
  await startOnce(context, draft)
  // PostgreSQL has written what it has changed; the rest was only unpacked.
  await promisify(execFile)('sync', ['--file-system', layout.data])
}

/** Throws DATABASE_NO_ROOM. */
export async function requireDisk(context: LocalContext, bytes: number): Promise<void> {
  if (await isDiskShort(context, context.root, bytes)) throw noRoom()
}

const noRoom = (cause?: unknown): Failure =>
  new Failure('DATABASE_NO_ROOM', {}, { retryAfterMs: noRoomMs, cause })

/** Others have filled it meanwhile; said by the system, or by PostgreSQL in what it said last. */
const isOfFullDisk = (error: unknown): boolean =>
  error instanceof Error && /ENOSPC|No space left|EDQUOT|quota exceeded/i.test(error.message)

async function startOnce(context: LocalContext, database: LocalDatabase): Promise<void> {
  try {
    const awake = await wake(context, database, { withinMs: maxStartMs, isRestoring: true })
    await awake.leave()
  } catch (error) {
    // To the last byte: then PostgreSQL cannot even say so in its log.
    throw (await isDiskShort(context, context.root)) ? noRoom(error) : error
  }
}

async function exchange(
  context: LocalContext,
  database: LocalDatabase,
  draft: LocalDatabase,
  id: string,
): Promise<void> {
  const layout = layoutOf(context.root, database)
  const fresh = layoutOf(context.root, draft)
  await writeFile(layout.restoringFile, '')
  await place(context, database, layout, fresh)
  await startOnce(context, database)
  // From here on it is restored: what was there before only waits to be deleted.
  await writeFile(layout.restoredFile, id)
  await finish(layout, fresh)
}

async function finish(layout: Layout, fresh: Layout): Promise<void> {
  if (await isThere(layout.dataBefore)) {
    await mkdir(fresh.folder, { recursive: true, mode: 0o700 })
    await rename(layout.dataBefore, path.join(fresh.folder, 'before'))
  }
  await rm(layout.restoringFile, { force: true })
}

async function place(
  context: LocalContext,
  database: LocalDatabase,
  layout: Layout,
  fresh: Layout,
): Promise<void> {
  await using _lock = await stopAndHold(context, database)
  await rename(layout.data, layout.dataBefore)
  await rename(fresh.data, layout.data)
}

async function stopAndHold(context: LocalContext, database: LocalDatabase): Promise<AsyncDisposable> {
  const { lockFile } = layoutOf(context.root, database)
  for (let nth = 1; nth <= maxStops; nth++) {
    await stop(context, database)
    const held = await holdLock(context.tools, lockFile, lockWaitMs)
    if (held) return held
  }
  throw new Error('The database could not be stopped.')
}

const isThere = (place: string): Promise<boolean> =>
  access(place).then(
    () => true,
    () => false,
  )
