/** A publication as it was checked: what becomes a version of a site. */
import type { HeaderRule, Redirect } from './manifest.ts'

/** The limits of one publication, which the operator sets. */
export interface PublicationLimits {
  files: number
  /** The most bytes of all files together, as they are served. */
  totalBytes: number
  fileBytes: number
}

/** Every field and every file was checked; nothing of it is stored yet. Disposing deletes its pack. */
export interface CheckedPublication extends AsyncDisposable {
  name: string
  /** The slug as it was sent: whether it may be one is not checked here. */
  slug: string | undefined
  spa: boolean
  cloudId: string | undefined
  /** The files in the order in which they were sent, which is that of their bytes in the pack; `_redirects` and `_headers` are not among them. */
  files: PublishedFile[]
  /** The bytes of all files together. */
  bytes: number
  redirects: readonly Redirect[]
  headers: readonly HeaderRule[]
  /** The bytes of all files that are not known yet, one after another, in the spool for `stageBlob`; undefined where all are known. */
  pack: Pack | undefined
}

export interface PublishedFile {
  path: string
  mediaType: string
  /** Hexadecimal. */
  sha256: string
  bytes: number
  /** Where its bytes begin in the pack; undefined where only its hash was sent. Files of the same content share their bytes. */
  offset: number | undefined
}

export interface Pack {
  /** The path of a file on the disk. */
  path: string
  bytes: number
  /** Hexadecimal. */
  sha256: string
}
