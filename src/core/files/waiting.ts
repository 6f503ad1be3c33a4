/** The place where paid results wait while the store fails: a folder in this machine's data folder, used only with an S3-compatible store. */
import { randomUUID } from 'node:crypto'
import { mkdir, opendir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isKey, openStorage, type Storage } from '#platform/storage'

export interface WaitingFolder extends AsyncDisposable {
  /** The id of the data folder, which the rows of its waiting files name. */
  place: string
  storage: Storage
  /** Keys of the bytes that were written before this moment, in milliseconds of the epoch. */
  keysBefore(ms: number): AsyncIterable<string>
}

/** Opens the folder below the data folder. The folder gets an id of its own on first use: host names change, and volumes move between machines. */
export async function openWaitingFolder(dataDir: string): Promise<WaitingFolder> {
  const folder = path.join(dataDir, 'waiting')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'id')
  await writeFile(file, randomUUID(), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const files = path.join(folder, 'files')
  const storage = openStorage({ folder: files })
  return {
    place: (await readFile(file, 'utf8')).trim(),
    storage,
    keysBefore: (ms) => keysBefore(files, ms),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

async function* keysBefore(folder: string, ms: number): AsyncGenerator<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for await (const entry of await opendir(folder, { recursive: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const key = path.relative(folder, file).split(path.sep).join('/')
    // Drafts are not keys, and the process that writes a draft tidies it.
    if (!entry.isFile() || !isKey(key)) continue
    const written = await stat(file).catch(() => undefined)
    if (written && written.mtimeMs < ms) yield key
  }
}
