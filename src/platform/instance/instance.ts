/**
 * By what a server and `kherad doctor` know that they work on one data folder: the server answers a hash that only who can read the folder can
 * make (docs/decisions/0092-room-before-orders.md). It is no secret and opens nothing.
 */
import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'

/** Of answers to `/health/ready`. */
export const instanceHeader = 'x-kherad-instance'

const fileOf = (dataDir: string): string => path.join(dataDir, 'instance.id')

/** Makes the file on first use. Undefined where the folder cannot be written: then nobody can tell. */
export async function openInstance(dataDir: string): Promise<string | undefined> {
  try {
    await makeFile(fileOf(dataDir))
    return await readInstance(dataDir)
  } catch {
    return undefined
  }
}

/**
 * What a server of this folder answers; undefined where none has started yet. The number of the file is part of it, so that a copy of the folder
 * is another one.
 */
export async function readInstance(dataDir: string): Promise<string | undefined> {
  const file = fileOf(dataDir)
  try {
    const [id, { ino }] = await Promise.all([readFile(file, 'utf8'), stat(file)])
    return createHash('sha256').update(`kherad instance ${id.trim()} ${ino}`).digest('base64url')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Of several processes that start at once the first one makes it. */
async function makeFile(file: string): Promise<void> {
  if (await isThere(file)) return
  const draft = `${file}.${randomUUID()}.part`
  await mkdir(path.dirname(file), { recursive: true })
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomUUID()}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )
