/**
 * Bytes that outlive a process, on the local disk or in an S3-compatible store. Rooms choose the keys, such as
 * `work/<account>/<run>/<file>`, and never take one from a caller; a key is written once and then only read or deleted.
 */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Egress } from '#platform/proxy'
import { openDisk } from './disk.ts'
import { openS3 } from './s3.ts'
import type { StorageConfig } from './settings.ts'

export { commitBlob, deletePendingBlobs, markForDeletion, stageBlob, stageUnsized } from './pending-blobs.ts'

export interface Storage extends AsyncDisposable {
  /** Durable once it resolves. The same key again replaces. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** The same for what is too large for memory. Throws where length or hash differ from those of the source; then nothing is stored. */
  putStream(key: string, source: ByteSource): Promise<void>
  /**
   * Bytes of a length that nobody knows yet, read once as they come. Throws what the source throws, and TooLarge beyond `maxBytes`; then
   * nothing is stored.
   */
  putUnsized(key: string, source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBytes>
  /** All of it, or its bytes from `start` to `end`, both included; undefined where there is none. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  /** A key without bytes is no failure. */
  delete(keys: readonly string[]): Promise<void>
  /** Gives up what `putUnsized` of a process that died left in the store under these keys; what is whole stays. */
  endUploads(keys: readonly string[]): Promise<void>
}

/** What was stored of a source. */
export interface StoredBytes {
  bytes: number
  /** Hexadecimal. */
  sha256: string
}

/** Bytes that can be read from their beginning as often as it takes. */
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
  /** Of the local disk, which is used where no store is set up. */
  folder: string
  /** How requests get to the store. */
  egress?: (url: string) => Egress
}

export const openStorage = ({ folder, s3, egress = () => ({}) }: StorageOptions): Storage =>
  s3 ? openS3(s3, egress) : openDisk(folder)

/** Segments of letters, digits, dots, dashes and underscores, none of them `.` or `..`. */
export const isKey = (key: string): boolean =>
  key.length <= 512 && /^(?!.*(^|\/)\.{1,2}(\/|$))[\w.-]+(\/[\w.-]+)*$/.test(key)
