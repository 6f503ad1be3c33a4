import { spawnSync } from 'node:child_process'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A disk of this size, as mount says it (512k, 1g), in a folder of its own; undefined where this user may mount none. */
export async function smallDisk(size: string): Promise<(AsyncDisposable & { path: string }) | undefined> {
  const place = await mkdtemp(path.join(tmpdir(), 'kherad-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0711`, 'none', place])
  const disk = {
    path: place,
    async [Symbol.asyncDispose]() {
      // What has just ended there may hold it for a moment.
      spawnSync('umount', ['--lazy', place])
      await rm(place, { recursive: true })
    },
  }
  if (status === 0) return disk
  await rm(place, { recursive: true })
  return undefined
}

/** Takes all that is left of the disk of this file. */
export async function fillDisk(file: string): Promise<void> {
  for (const bytes of [1024 * 1024, 4096]) {
    const block = Buffer.alloc(bytes)
    while (await appendFile(file, block).then(() => true, isFull));
  }
}

function isFull(error: NodeJS.ErrnoException): false {
  if (error.code === 'ENOSPC') return false
  throw error
}
