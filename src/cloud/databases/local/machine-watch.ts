/** Limits what a database takes of its machine beside its own data: the memory of all its processes, the last of the disk, and its log. */
import { stat, statfs, truncate } from 'node:fs/promises'
import { type DatabaseSize, standardSize } from '../size.ts'
import { type LocalDatabase, layoutOf } from './layout.ts'
import type { LocalContext } from './local.ts'
import { processesOf, signalIfThere } from './processes.ts'
import { sharedBytesOf } from './program.ts'
import { serverPid, stop } from './wake.ts'

/** A larger log is emptied: reports of memory that ran out are long, and an app can cause as many as it likes. */
const maxLogBytes = 1024 * 1024
/** The part of the whole disk that stays free; with less free no database is written. */
const usualLeastFree = 0.1
/** A server that is beyond its memory for this long is stopped: the processes that were signalled did not end. */
const maxBeyondMs = 3_000

/** Whether the disk of this folder is short, or would be with this many bytes more. */
export async function isDiskShort(
  { leastFree = usualLeastFree }: Pick<LocalContext, 'leastFree'>,
  folder: string,
  moreBytes = 0,
): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return bavail - moreBytes / bsize < blocks * leastFree
}

export class MachineWatch {
  readonly #context: LocalContext
  readonly #database: LocalDatabase
  #beyondSinceMs: number | undefined

  constructor(context: LocalContext, database: LocalDatabase) {
    this.#context = context
    this.#database = database
  }

  async look(): Promise<{ mustNotWrite: boolean }> {
    const layout = layoutOf(this.#context.root, this.#database)
    const [mustNotWrite, postmaster] = await Promise.all([
      isDiskShort(this.#context, layout.data),
      serverPid(layout),
    ])
    await truncateLog(layout.logFile)
    if (postmaster !== undefined) await this.#holdMemory(postmaster, this.#database.size ?? standardSize)
    return { mustNotWrite }
  }

  /** Ends the largest of the processes that serve a client where all together are too large. */
  async #holdMemory(postmaster: number, size: DatabaseSize): Promise<void> {
    const processes = processesOf(postmaster)
    const bytes = processes.reduce((sum, { ownBytes }) => sum + ownBytes, sharedBytesOf(size))
    if (bytes <= size.memoryBytes) {
      this.#beyondSinceMs = undefined
      return
    }
    const { ref } = this.#database
    this.#beyondSinceMs ??= performance.now()
    if (performance.now() - this.#beyondSinceMs > maxBeyondMs) {
      this.#context.log.warn({ ref, bytes }, 'a database stays beyond its memory and is stopped')
      await stop(this.#context, this.#database)
      return
    }
    const [largest] = processes
      .filter(({ servesClient }) => servesClient)
      .sort((a, b) => b.ownBytes - a.ownBytes)
    if (largest) signalIfThere(largest.pid, 'SIGTERM')
  }
}

async function truncateLog(file: string): Promise<void> {
  const stats = await stat(file).catch(() => undefined)
  // PostgreSQL appends to the log, so it goes on at the new end.
  if (stats && stats.size > maxLogBytes) await truncate(file)
}
