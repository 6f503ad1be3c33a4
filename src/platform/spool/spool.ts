/**
 * Temporary files: uploads before they are stored, and stored files while a confined process reads them. They are in a folder of this
 * process, with a total limit, and deleted with it; files of a process that died are deleted at the next start.
 */
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { type DiskSpace, isFullDisk, writeFailure } from '#platform/disk-space'
import { fail } from '#platform/errors'
import { processName, sweep } from './sweep.ts'
import './errors.ts'

export { isAbandoned, processName } from './sweep.ts'

export interface Spool extends AsyncDisposable {
  /** For who may still refuse what is to come: throws SPOOL_FULL (503) where the disk has too little room. */
  requireDisk(): void
  /**
   * Writes the source to a file at the speed of the disk; a slow source affects only itself. Throws `TooLarge`, SPOOL_FULL (503), and
   * errors of the source; then nothing is left.
   */
  write(source: AsyncIterable<Uint8Array>, bounds: { maxBytes: number }): Promise<SpoolFile>
  /** An empty folder whose bytes are reserved from now on. Throws SPOOL_FULL (503). */
  folder(bytes: number): Promise<SpoolFolder>
}

/** Deleted on disposal. The file itself is readable by all; its folder is closed to other users of the machine. */
export interface SpoolFile extends AsyncDisposable {
  path: string
  bytes: number
  /** Hexadecimal. */
  sha256: string
}

/** Deleted with all that is in it when it is disposed. */
export interface SpoolFolder extends AsyncDisposable {
  path: string
  /** The limit that the writer has to keep to. */
  bytes: number
}

/** The source exceeds `maxBytes`. */
export class TooLarge extends Error {
  override name = 'TooLarge'
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`There is more than ${maxBytes} bytes.`)
    this.maxBytes = maxBytes
  }
}

/** Retry-After for a request that found no room. */
const retryAfterMs = 30_000

export interface SpoolOptions {
  folder: string
  maxBytes: number
  /** Absent: only what the disk itself refuses is refused. */
  space?: Pick<DiskSpace, 'lacking'>
}

/** Opens the spool of this process below the folder, which all processes of the machine share, and sweeps what dead ones left. */
export async function openSpool({ folder, maxBytes, space }: SpoolOptions): Promise<Spool> {
  const own = path.join(folder, `${await processName()}~${randomUUID()}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const sweeping = await sweep(folder, own)
  const room = new Room(maxBytes)
  const make = () => mkdir(own, { recursive: true, mode: 0o700 })
  return {
    requireDisk() {
      if (space?.lacking(['spool'])) fail('SPOOL_FULL', { of: 'disk' }, { retryAfterMs })
    },
    async write(source, bounds) {
      const file = path.join(own, randomUUID())
      await translated(make())
      using taken = room.open()
      try {
        const written = await translated(write(file, source, bounds.maxBytes, (more) => taken.more(more)))
        return { path: file, ...written, ...deletedWith(file, taken.keep()) }
      } catch (error) {
        await rm(file, { force: true })
        throw error
      }
    },
    async folder(bytes) {
      const made = path.join(own, randomUUID())
      await translated(make())
      using taken = room.open()
      taken.more(bytes)
      await translated(mkdir(made, { mode: 0o700 }))
      return { path: made, bytes, ...deletedWith(made, taken.keep()) }
    },
    async [Symbol.asyncDispose]() {
      sweeping[Symbol.dispose]()
      await rm(own, { recursive: true, force: true })
    },
  }
}

function deletedWith(place: string, giveBack: () => void): AsyncDisposable {
  let deleted: Promise<void> | undefined
  return {
    [Symbol.asyncDispose]() {
      deleted ??= rm(place, { recursive: true, force: true }).finally(giveBack)
      return deleted
    },
  }
}

/** Counts the bytes of all files of the process. */
class Room {
  readonly #maxBytes: number
  #used = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  open(): Share {
    return new Share(this)
  }

  /** Throws SPOOL_FULL. */
  take(bytes: number): void {
    if (this.#used + bytes > this.#maxBytes) fail('SPOOL_FULL', { of: 'spool' }, { retryAfterMs })
    this.#used += bytes
  }

  giveBack(bytes: number): void {
    this.#used -= bytes
  }
}

/** What one file has of the room; given back by disposing it. */
class Share implements Disposable {
  readonly #room: Room
  #bytes = 0
  #isKept = false

  constructor(room: Room) {
    this.#room = room
  }

  /** Throws SPOOL_FULL. */
  more(bytes: number): void {
    this.#room.take(bytes)
    this.#bytes += bytes
  }

  /** Keeps the reservation beyond disposal; the returned function releases it. */
  keep(): () => void {
    this.#isKept = true
    return () => this.#giveBack()
  }

  [Symbol.dispose](): void {
    if (!this.#isKept) this.#giveBack()
  }

  #giveBack(): void {
    this.#room.giveBack(this.#bytes)
    this.#bytes = 0
  }
}

async function write(
  place: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  more: (bytes: number) => void,
): Promise<{ bytes: number; sha256: string }> {
  // A confined process may run as another user.
  const file = await open(place, 'wx', 0o444)
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new TooLarge(maxBytes)
      more(chunk.length)
      hash.update(chunk)
      await writeAll(file, chunk)
    }
    return { bytes, sha256: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

/** A disk that runs full may write only part of a chunk. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
}

/** Turns the errors of a full disk into SPOOL_FULL, and those of one that cannot be written into STORAGE_UNWRITABLE. */
async function translated<Value>(writing: Promise<Value>): Promise<Value> {
  try {
    return await writing
  } catch (error) {
    if (isFullDisk(error)) fail('SPOOL_FULL', { of: 'disk' }, { retryAfterMs, cause: error })
    throw writeFailure(error, 'spool')
  }
}
