/**
 * Bytes that outlive a process, on the local disk or in an S3-compatible store. Rooms choose the keys, such as
 * `work/<account>/<run>/<file>`, and never take one from a caller; a key is written once and then only read or deleted.
 */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import type { DiskSpace } from '#platform/disk-space'
import type { Egress } from '#platform/proxy'
import { openDisk } from './disk.ts'
import { openS3 } from './s3.ts'
import type { StorageConfig } from './settings.ts'

export type { StorageApp } from './app.ts'
export { failLost, reportLost } from './lost.ts'
export { holdsFiles, markerName, readMarker, readStoreId, writeMarker } from './marker.ts'
export { storageSeries } from './metrics.ts'
export {
  announceBlob,
  announceBlobs,
  announceNewBlob,
  commitBlob,
  commitBlobs,
  deletePendingBlobs,
  markForDeletion,
  stageBlob,
  stageUnsized,
  writeBlob,
} from './pending-blobs.ts'

export interface Storage extends AsyncDisposable {
  /**
   * Throws STORAGE_FULL (503) if the disk has too little room, for a caller who can still refuse or postpone the storing. Work that has begun, and
   * may be paid for, is stored without this check: the room below the floor is reserved for it.
   */
  requireRoom(): void
  /**
   * Stores bytes, which are durable once it resolves. Replaces bytes under the same key. Like all methods that write it throws STORAGE_FULL and
   * STORAGE_UNWRITABLE.
   */
  put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<void>
  /** Stores bytes too large for memory like `put`. Throws if length or hash differ from those of the source; then nothing is stored. */
  putStream(key: string, source: ByteSource, options?: PutOptions): Promise<void>
  /**
   * Stores bytes of unknown length, reading the source once. Throws errors of the source, and TooLarge beyond `maxBytes`; then nothing is
   * stored.
   */
  putUnsized(key: string, source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBytes>
  /** Reads the bytes, or those from `start` to `end`, both inclusive; undefined if the key does not exist. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  /** Deletes the keys. A missing key is no error. */
  delete(keys: readonly string[]): Promise<void>
  /** Aborts unfinished uploads that `putUnsized` of dead processes left under these keys; complete objects stay. */
  endUploads(keys: readonly string[]): Promise<void>
}

export interface PutOptions {
  /** The hash of a buffer if it is known, in hexadecimal digits. */
  sha256?: string
  /** Ends the attempts with a store; the local disk makes no attempts and ignores it. */
  signal?: AbortSignal
}

/** The size and hash of the stored bytes. */
export interface StoredBytes {
  bytes: number
  /** The hash in hexadecimal digits. */
  sha256: string
}

/** Bytes that can be read from the beginning repeatedly. */
export interface ByteSource {
  bytes: number
  /** The hash in hexadecimal digits. */
  sha256: string
  open(): Readable
}

/** A file of the spool as a source. */
export const sourceOf = ({
  path,
  bytes,
  sha256,
}: {
  path: string
  bytes: number
  sha256: string
}): ByteSource => ({
  bytes,
  sha256,
  open: () => createReadStream(path, { highWaterMark: 256 * 1024 }),
})

export interface StorageOptions extends StorageConfig {
  /** The folder on the local disk, which is used if no store is configured. */
  folder: string
  /** The egress of requests to the store. */
  egress?: (url: string) => Egress
  /** If absent, only the disk itself refuses writes. */
  space?: Pick<DiskSpace, 'require'>
}

export const openStorage = ({ folder, s3, egress = () => ({}), space }: StorageOptions): Storage =>
  s3 ? openS3(s3, egress) : openDisk(folder, space)

/** Keys consist of segments of letters, digits, dots, dashes and underscores; none is `.` or `..`. */
export const isKey = (key: string): boolean =>
  key.length <= 512 && /^(?!.*(^|\/)\.{1,2}(\/|$))[\w.-]+(\/[\w.-]+)*$/.test(key)
