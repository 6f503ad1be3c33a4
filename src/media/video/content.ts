/** The bytes of a completed video. */
import type { Readable } from 'node:stream'
import { findFile, openFile } from '#core/files'
import { fail } from '#platform/errors'
import type { VideoApp } from './app.ts'
import { findVideoRow, type VideoQuery } from './read.ts'
import type { VideoOwner } from './store.ts'
import './phrases.ts'

export interface VideoContent {
  mediaType: string
  bytes: number
  /** The hash, in hexadecimal. */
  sha256: string
  /** The bytes, or those of a part, both ends included; undefined if the file has been deleted meanwhile. */
  open(range?: { start: number; end: number }): Promise<Readable | undefined>
}

const retryAfterMs = 5_000

/**
 * The video of a job; undefined where the project has no such job. Throws VIDEO_NOT_READY (409) before it is completed, VIDEO_EXPIRED (410) when its
 * file is gone, VIDEO_FAILED (409) where the job has failed.
 */
export async function openVideo(
  app: Pick<VideoApp, 'clock' | 'db' | 'files'>,
  owner: VideoOwner,
  query: VideoQuery,
): Promise<VideoContent | undefined> {
  const row = await findVideoRow(app, owner, query)
  if (!row) return undefined
  if (row.status === 'failed') fail('VIDEO_FAILED', { code: row.error_code! })
  if (row.status !== 'completed') fail('VIDEO_NOT_READY', {}, { retryAfterMs })
  const file = await findFile(app.db, owner, row.file_id!, new Date(app.clock.nowMs()))
  if (!file) return fail('VIDEO_EXPIRED', {})
  return {
    mediaType: file.media_type,
    bytes: Number(file.bytes),
    sha256: file.sha256,
    open: (range) => openFile(app.files, file, range),
  }
}
