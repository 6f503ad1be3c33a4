/**
 * Temporary files: uploads before they are stored, and stored files while a confined process reads them. They are in a folder of this process, with a
 * total limit, and are deleted with it; files of a process that died are deleted at the next start.
 */
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { type DiskSpace, isDiskFullError, writeFailure } from '#platform/disk-space'
import { fail } from '#platform/errors'
import { processName, sweep } from './sweep.ts'
import './errors.ts'

export { isAbandoned, processName } from './sweep.ts'

export interface Spool extends AsyncDisposable {
  /** Throws SPOOL_FULL (503) if the disk has too little room, for a caller who can still refuse a request. */
  requireDisk(): void
  /**
   * Writes the source to a file at the speed of the disk; a slow source delays only itself. Throws `TooLargeError`, SPOOL_FULL (503), and errors of the
   * source; then no file is left.
   */
  write(source: AsyncIterable<Uint8Array>, bounds: { maxBytes: number }): Promise<SpoolFile>
  /** Makes an empty folder whose bytes are reserved from now on. Throws SPOOL_FULL (503). */
  folder(bytes: number): Promise<SpoolFolder>
}

/** A file that is deleted on disposal. The file itself is readable by all; its folder is closed to other users of the machine. */
export interface SpoolFile extends AsyncDisposable {
  path: string
  bytes: number
  /** The hash in hexadecimal digits. */
  sha256: string
}

/** A folder that is deleted with everything in it on disposal. */
export interface SpoolFolder extends AsyncDisposable {
  path: string
  /** The limit that the writer must keep. */
  bytes: number
}

/** Thrown when the source exceeds `maxBytes`. */
export class TooLargeError extends Error {
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
  /** If absent, only the disk itself refuses writes. */
  space?: Pick<DiskSpace, 'lacking'>
}

/** Opens the spool of this process below the folder, which all processes of the machine share, and deletes what dead processes left. */
export async function openSpool({ folder, maxBytes, space }: SpoolOptions): Promise<Spool> {
  const own = path.join(folder, `${await processName()}~${randomUUID()}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const sweeping = await sweep(folder, own)
  const room = new SpoolSpace(maxBytes)
  const make = () => mkdir(own, { recursive: true, mode: 0o700 })
  return {
    requireDisk() {
      if (space?.lacking(['spool'])) fail('SPOOL_FULL', { of: 'disk' }, { retryAfterMs })
    },
    async write(source, bounds) {
      const file = path.join(own, randomUUID())
      await withSpoolFailures(make())
      using reservation = room.open()
      try {
        const written = await withSpoolFailures(
          write(file, source, bounds.maxBytes, (more) => reservation.more(more)),
        )
        return { path: file, ...written, ...deletedWith(file, reservation.keep()) }
      } catch (error) {
        await rm(file, { force: true })
        throw error
      }
    },
    async folder(bytes) {
      const made = path.join(own, randomUUID())
      await withSpoolFailures(make())
      using reservation = room.open()
      reservation.more(bytes)
      await withSpoolFailures(mkdir(made, { mode: 0o700 }))
      return { path: made, bytes, ...deletedWith(made, reservation.keep()) }
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
class SpoolSpace {
  readonly #maxBytes: number
  #used = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  open(): SpaceReservation {
    return new SpaceReservation(this)
  }

  /** Takes bytes of the room. Throws SPOOL_FULL. */
  take(bytes: number): void {
    if (this.#used + bytes > this.#maxBytes) fail('SPOOL_FULL', { of: 'spool' }, { retryAfterMs })
    this.#used += bytes
  }

  giveBack(bytes: number): void {
    this.#used -= bytes
  }
}

/** The part of the room that one file uses; disposing gives it back. */
class SpaceReservation implements Disposable {
  readonly #room: SpoolSpace
  #bytes = 0
  #isKept = false

  constructor(room: SpoolSpace) {
    this.#room = room
  }

  /** Takes more bytes for this file. Throws SPOOL_FULL. */
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
  // The file is readable by all, because a confined process may run as another user.
  const file = await open(place, 'wx', 0o444)
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new TooLargeError(maxBytes)
      more(chunk.length)
      hash.update(chunk)
      await writeAll(file, chunk)
    }
    return { bytes, sha256: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

/** Writes a whole chunk: on a disk that becomes full, one write may write only a part. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
}

/** Turns errors of a full disk into SPOOL_FULL, and errors of an unwritable disk into STORAGE_UNWRITABLE. */
async function withSpoolFailures<Value>(writing: Promise<Value>): Promise<Value> {
  try {
    return await writing
  } catch (error) {
    if (isDiskFullError(error)) fail('SPOOL_FULL', { of: 'disk' }, { retryAfterMs, cause: error })
    throw writeFailure(error, 'spool')
  }
}
