import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { type DiskSpace, unwritableDiskFailure, writeFailure } from '#platform/disk-space'
import { isAbandoned, processName, TooLargeError } from '#platform/spool'
import { draftsName } from './drafts-name.ts'
import { MarkerWatch } from './marker-watch.ts'
import { type ByteSource, isKey, type Storage, type StoredBytes } from './storage.ts'

/**
 * Stores files under one folder; each is written to a drafts folder and moved into place when complete. Drafts of dead processes are deleted when the
 * store is opened.
 */
export function openDisk(folder: string, space?: Pick<DiskSpace, 'require'>): Storage {
  const own = processName()
  const drafts = path.join(folder, draftsName)
  const filePath = (key: string): string => {
    assert(isKey(key), 'a key of the storage is made of plain segments')
    return path.join(folder, ...key.split('/'))
  }
  // If the folder cannot be read, the first operation that needs it fails.
  const cleaned = removeAbandoned(drafts).catch(() => undefined)
  const marker = new MarkerWatch(folder)
  async function writeFile<Result>(
    key: string,
    write: (file: FileHandle) => Promise<Result>,
  ): Promise<Result> {
    const target = filePath(key)
    const draft = path.join(drafts, `${await own}~${randomUUID()}`)
    try {
      // Files written while the folder's disk is missing would be hidden once it is back.
      if (await marker.isGone()) throw unwritableDiskFailure('files')
      await Promise.all([makeFolder(path.dirname(target)), makeFolder(drafts)])
      const result = await writeDraft(draft, write)
      await rename(draft, target)
      await syncFolder(path.dirname(target))
      return result
    } catch (error) {
      // On an unwritable disk the draft may stay; it is deleted when the store is opened.
      await rm(draft, { force: true }).catch(() => undefined)
      throw writeFailure(error, 'files')
    }
  }
  return {
    requireRoom() {
      space?.require(['files'])
      if (marker.wasGone) throw unwritableDiskFailure('files')
    },
    put: (key, bytes) => writeFile(key, (file) => file.writeFile(bytes)),
    putStream: (key, source) => writeFile(key, (file) => copy(source, file)),
    putUnsized: (key, source, maxBytes) => writeFile(key, (file) => append(source, file, maxBytes)),
    async get(key, range) {
      try {
        const file = await open(filePath(key), 'r')
        return file.createReadStream(range)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async delete(keys) {
      await Promise.all(keys.map((key) => rm(filePath(key), { force: true }))).catch((error: unknown) => {
        throw writeFailure(error, 'files')
      })
    },
    // Drafts of unfinished uploads are deleted when the store is opened.
    async endUploads() {},
    async [Symbol.asyncDispose]() {
      await cleaned
    },
  }
}

const makeFolder = (folder: string) => mkdir(folder, { recursive: true, mode: 0o700 })

async function writeDraft<Result>(
  draft: string,
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await open(draft, 'wx', 0o600)
  try {
    const result = await write(file)
    await file.sync()
    return result
  } finally {
    await file.close()
  }
}

/** Copies the bytes. Throws if length or hash differ from the declared ones. */
async function copy({ bytes, sha256, open: openSource }: ByteSource, file: FileHandle): Promise<void> {
  const copied = await append(openSource(), file, Number.POSITIVE_INFINITY)
  if (copied.bytes !== bytes || copied.sha256 !== sha256)
    throw new Error('The bytes are not what was promised.')
}

async function append(
  source: AsyncIterable<Uint8Array>,
  file: FileHandle,
  maxBytes: number,
): Promise<StoredBytes> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new TooLargeError(maxBytes)
    hash.update(chunk)
    await file.appendFile(chunk)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Deletes drafts of dead processes at once; each draft is named after its process. */
async function removeAbandoned(drafts: string): Promise<void> {
  for (const name of await readdir(drafts)) {
    const draft = path.join(drafts, name)
    if (await isAbandoned(name, draft)) await rm(draft, { force: true })
  }
}

/** A new file name is durable only after its folder was synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
