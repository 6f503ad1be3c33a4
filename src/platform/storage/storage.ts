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

export { failLost, reportLost } from './lost.ts'
export { holdsFiles, markerName, readMarker, readStoreId, writeMarker } from './marker.ts'
export { storageSeries } from './metrics.ts'
export {
  announceBlob,
  announceBlobs,
  announceNew,
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
   * For who may still refuse or postpone what is to be stored: throws STORAGE_FULL (503) where the disk has too little room. What is under
   * way, and perhaps paid, is put without asking: the room below the floor is there for it.
   */
  requireRoom(): void
  /** Durable once it resolves. Replaces bytes under the same key. Like all that write it throws STORAGE_FULL and STORAGE_UNWRITABLE. */
  put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<void>
  /** The same for bytes too large for memory. Throws if length or hash differ from those of the source; then nothing is stored. */
  putStream(key: string, source: ByteSource, options?: PutOptions): Promise<void>
  /**
   * Stores bytes of unknown length, reading the source once. Throws errors of the source, and TooLarge beyond `maxBytes`; then nothing is
   * stored.
   */
  putUnsized(key: string, source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBytes>
  /** The bytes, or those from `start` to `end`, both inclusive; undefined if the key does not exist. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  /** Deleting a missing key is no error. */
  delete(keys: readonly string[]): Promise<void>
  /** Aborts unfinished uploads that `putUnsized` of a dead process left under these keys; complete objects stay. */
  endUploads(keys: readonly string[]): Promise<void>
}

export interface PutOptions {
  /** Hash of a buffer, where it is known; hexadecimal. */
  sha256?: string
  /** Ends the attempts of a store; the local disk, which has none, ignores it. */
  signal?: AbortSignal
}

/** The size and hash of the stored bytes. */
export interface StoredBytes {
  bytes: number
  /** Hexadecimal. */
  sha256: string
}

/** Bytes that can be read from the beginning repeatedly. */
export interface ByteSource {
  bytes: number
  /** Hexadecimal. */
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
  /** Folder on the local disk, used if no store is configured. */
  folder: string
  /** The egress of requests to the store. */
  egress?: (url: string) => Egress
  /** Absent: only what the disk itself refuses is refused. */
  space?: Pick<DiskSpace, 'require'>
}

export const openStorage = ({ folder, s3, egress = () => ({}), space }: StorageOptions): Storage =>
  s3 ? openS3(s3, egress) : openDisk(folder, space)

/** Keys consist of segments of letters, digits, dots, dashes and underscores; none is `.` or `..`. */
export const isKey = (key: string): boolean =>
  key.length <= 512 && /^(?!.*(^|\/)\.{1,2}(\/|$))[\w.-]+(\/[\w.-]+)*$/.test(key)
