/**
 * Puts a backup in place of the data of a database. The backup is unpacked beside the data and started there once, while the database still answers;
 * then both change places while nobody can wake the database, and the old data is kept until the new data has answered in its place. Wherever a
 * process is killed, the next run finds the old data or the new, whole.
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
import { killServer } from './remove.ts'
import { unpack } from './unpack.ts'
import { stop, wake } from './wake.ts'

/** The first start also applies what was written while the backup was made. */
const maxStartMs = 15 * 60 * 1000
const lockWaitMs = 2_000
const noRoomMs = 60_000
/** The most attempts to stop the database: somebody may wake it between its stop and the lock. */
const maxStops = 15

/**
 * Restores a database. False where another process is at it, or a lost database is no longer wanted. Throws where the backup cannot be used; then the
 * database is what it was.
 */
export async function restoreDatabase(
  context: LocalContext,
  database: LocalDatabase,
  options: RestoreOptions,
): Promise<boolean> {
  const layout = layoutOf(context.root, database)
  if (!(await isThere(layout.folder)) && !(await recreateFolders(layout, database, options))) return false
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
 * Makes the folders of a database that was lost with its disk. A deletion may also have just removed them; it ends the restore before it removes
 * anything. So the folders are removed here where `isWanted` already sees that end, and otherwise by the deletion.
 */
async function recreateFolders(
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

/** Ends a restore that was given up: the database is what it was before, or the restored one if the restore was complete. */
export async function endRestore(context: LocalContext, database: LocalDatabase, id: string): Promise<void> {
  const layout = layoutOf(context.root, database)
  // The database was not made yet, so nothing can have been restored.
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
  await killServer(context, draft)
  await removeFolders(layoutOf(context.root, draft))
}

/** Unpacks the new data, checks that it starts and answers, and flushes it to the disk. */
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
  // PostgreSQL has flushed what it has changed; the rest was only unpacked.
  await promisify(execFile)('sync', ['--file-system', layout.data])
}

/** Throws DATABASE_NO_ROOM where the disk has no room for this many bytes. */
export async function requireDisk(context: LocalContext, bytes: number): Promise<void> {
  if (await isDiskShort(context, context.root, bytes)) throw noRoom()
}

const noRoom = (cause?: unknown): Failure =>
  new Failure('DATABASE_NO_ROOM', {}, { retryAfterMs: noRoomMs, cause })

/** Whether others have filled the disk meanwhile, as the system says, or PostgreSQL in its last words. */
const isOfFullDisk = (error: unknown): boolean =>
  error instanceof Error && /ENOSPC|No space left|EDQUOT|quota exceeded/i.test(error.message)

async function startOnce(context: LocalContext, database: LocalDatabase): Promise<void> {
  try {
    const awake = await wake(context, database, { withinMs: maxStartMs, isRestoring: true })
    await awake.leave()
  } catch (error) {
    // On a disk that is full to the last byte, PostgreSQL cannot even say so in its log.
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
  await swapData(context, database, layout, fresh)
  await startOnce(context, database)
  // From here on the database is restored: the old data only waits to be deleted.
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

async function swapData(
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
