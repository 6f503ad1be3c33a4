import { type AppFileRow, findAppFile } from '#cloud/app-files'
import { errorBody, Failure, fail } from '#platform/errors'
import { attachment, isNotModified, requestedRange } from '#platform/http'
import { isUuid } from '#platform/ids'
import { failLost } from '#platform/storage'
import type { AppCall, AppReply } from '../area.ts'
import { ownerOf } from './owner.ts'

/** Sends the bytes as a download, never as a page of this origin. */
export async function readFile(call: AppCall, fileId: string): Promise<AppReply> {
  const { headers, method } = call
  const { appFiles } = call.app
  const row = await requireFile(call, fileId)
  const size = Number(row.bytes)
  // A file never changes; its id names these bytes for good.
  const etag = `"${row.file_id}"`
  const always = headersOf(row, etag)
  if (isNotModified(headers, etag)) return { status: 304, headers: always }
  const part = method === 'GET' ? requestedRange(headers, etag, size) : 'whole'
  if (part === 'beyond') return beyond(call, size)
  const range = part === 'whole' ? undefined : part
  const length = range ? range.end - range.start + 1 : size
  const partly = range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }
  const answer = { ...always, ...partly, 'content-length': String(length) }
  const status = range ? 206 : 200
  if (method === 'HEAD' || size === 0) return { status, headers: answer }
  const body = await appFiles.storage.get(row.storage_key, range)
  if (body) return { status, headers: answer, body }
  // The file is not found where it was deleted since its row was read.
  await requireFile(call, fileId)
  return failLost(appFiles, row.storage_key)
}

function beyond({ requestId, language }: AppCall, bytes: number): AppReply {
  const failure = new Failure('RANGE_NOT_SATISFIABLE', { bytes }, {})
  const headers = { 'content-range': `bytes */${bytes}` }
  return { status: failure.status, headers, body: errorBody(failure, requestId, language) }
}

/** Throws APP_FILE_NOT_FOUND, also for files of other users. */
export async function requireFile(call: AppCall, fileId: string): Promise<AppFileRow> {
  const owner = ownerOf(call)
  const { db } = call.app.appFiles
  const row = isUuid(fileId) ? await findAppFile(db, owner, fileId.toLowerCase()) : undefined
  return row ?? fail('APP_FILE_NOT_FOUND', {})
}

const headersOf = (row: AppFileRow, etag: string): Record<string, string> => ({
  etag,
  'content-type': row.media_type,
  'content-disposition': attachment(row.name),
  'accept-ranges': 'bytes',
  'cache-control': 'private, max-age=0, must-revalidate',
  // Where two users share a browser, the second never gets what the first has fetched.
  vary: 'authorization, apikey',
})
