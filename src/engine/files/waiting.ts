/** Where paid results wait while the store fails: a folder of this machine's data folder, beside an S3-compatible store only. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { openStorage, type Storage } from '#platform/storage'

export interface Waiting extends AsyncDisposable {
  /** The id of the data folder; stands at the files that wait in it. */
  place: string
  storage: Storage
}

/** Opens the folder below the data folder, which names itself on first use: host names change, and volumes move between machines. */
export async function openWaiting(dataDir: string): Promise<Waiting> {
  const folder = path.join(dataDir, 'waiting')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'id')
  await writeFile(file, randomUUID(), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const storage = openStorage({ folder: path.join(folder, 'files') })
  return {
    place: (await readFile(file, 'utf8')).trim(),
    storage,
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}
