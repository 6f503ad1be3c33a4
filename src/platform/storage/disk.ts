import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isKey, type Storage } from './storage.ts'

/** Where files are written before they are moved to their place; no key is spelled so. */
const draftsName = 'drafts~'
/** No write takes so long: what is older was left by a process that died. */
const abandonedMs = 60 * 60 * 1000

/**
 * Files under one folder; each is written beside them all and moved to its place when it is whole. What writes of dead processes left
 * is tidied at the opening.
 */
export function openDisk(folder: string, nowMs: number = Date.now()): Storage {
  const drafts = path.join(folder, draftsName)
  const place = (key: string): string => {
    assert(isKey(key), 'a key of the storage is made of plain segments')
    return path.join(folder, ...key.split('/'))
  }
  // A folder that cannot be read is told by whoever needs it.
  const tidied = tidy(drafts, nowMs - abandonedMs).catch(() => undefined)
  return {
    async put(key, bytes) {
      const target = place(key)
      const draft = path.join(drafts, randomUUID())
      await Promise.all([makeFolder(path.dirname(target)), makeFolder(drafts)])
      try {
        await write(draft, bytes)
        await rename(draft, target)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      await syncFolder(path.dirname(target))
    },
    async get(key, range) {
      try {
        const file = await open(place(key), 'r')
        return file.createReadStream(range)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async delete(keys) {
      await Promise.all(keys.map((key) => rm(place(key), { force: true })))
    },
    async [Symbol.asyncDispose]() {
      await tidied
    },
  }
}

const makeFolder = (folder: string) => mkdir(folder, { recursive: true, mode: 0o700 })

async function write(draft: string, bytes: Uint8Array): Promise<void> {
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function tidy(drafts: string, beforeMs: number): Promise<void> {
  for (const name of await readdir(drafts)) {
    const draft = path.join(drafts, name)
    if ((await stat(draft)).mtimeMs < beforeMs) await rm(draft, { force: true })
  }
}

/** The name of a new file is durable when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
