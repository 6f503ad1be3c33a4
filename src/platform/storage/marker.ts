/** The marker says to which database the files of a folder belong. It is in the folder, so that it is moved and restored with them. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Db } from '#platform/db'
import { draftsName } from './drafts-name.ts'

/** The name of the marker. No key is spelled like it, since the keys of rooms have several segments. */
export const markerName = 'database.id'

/** The id by which folders of files name this database; undefined before the migration that created it. */
export async function readStoreId(db: Db): Promise<string | undefined> {
  const [{ here } = { here: false }] = await db.query<{ here: boolean }>(
    { text: `select to_regclass('storage.identity') is not null as here` },
    [],
  )
  if (!here) return undefined
  const [row] = await db.query<{ store_id: string }>({ text: 'select store_id from storage.identity' }, [])
  return row?.store_id
}

/** Reads the marker; undefined if the folder or its marker does not exist. */
export async function readMarker(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(path.join(folder, markerName), 'utf8')).trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whether the folder contains anything beside its marker and files that are being written. */
export async function holdsFiles(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  return names.some((name) => name !== draftsName && !name.startsWith(markerName))
}

/** Replaces the marker of a folder whose files are those of this database. */
export async function writeMarker(folder: string, storeId: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = path.join(folder, `${markerName}.${randomUUID()}.part`)
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${storeId}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, path.join(folder, markerName))
  } finally {
    await rm(draft, { force: true })
  }
}
