/** Reading and deleting files. */
import {
  deleteFile,
  dropBytes,
  type FileRow,
  type FilesApp,
  findFile,
  listFiles as listRows,
  openFile,
} from '#core/files'
import { fail } from '#platform/errors'
import {
  acceptedQuality,
  acceptsByName,
  attachment,
  type ContentAnswer,
  content,
  HttpAnswer,
  inline,
  isNotModified,
  type RequestContext,
} from '#platform/http'
import { isUuid } from '#platform/ids'
import { typedList } from '#platform/lists'
import type { FileRoutesApp } from './app.ts'
import { docx, json, plainText } from './data-kind.ts'
import { endingOf } from './kind.ts'
import { reasons } from './phrases.ts'
import type { FileListQuery, StoredFile } from './schema.ts'

type FileContext = RequestContext<FileRoutesApp, unknown, unknown, { id: string }>

export const toStoredFile = (row: FileRow): StoredFile => ({
  id: row.file_id,
  object: 'file',
  name: row.name,
  filename: fileNameOf(row),
  media_type: row.media_type,
  bytes: Number(row.bytes),
  sha256: row.sha256,
  source: row.source,
  receipt_id: row.receipt_id,
  purpose: row.purpose,
  status: 'processed',
  expires_at: row.expires_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})

const fileNameOf = ({ file_id: id, name, media_type: mediaType }: FileRow): string =>
  name ?? `${id}.${endingOf(mediaType)}`

export async function listFiles({
  app,
  caller,
  query,
}: RequestContext<FileRoutesApp, unknown, FileListQuery>) {
  const { after, after_id: afterId = after, ...options } = query
  if (after !== undefined && after !== afterId)
    fail('INVALID_REQUEST', { why: reasons.twoCursors }, { param: 'after' })
  const now = new Date(app.clock.nowMs())
  return typedList.answer(
    await listRows(app.db, caller, { ...options, after_id: afterId }, now),
    toStoredFile,
  )
}

const notFound = (): never => fail('NOT_FOUND', {}, { param: 'id' })

async function foundFile({ app, caller, params }: FileContext): Promise<FileRow> {
  const now = new Date(app.clock.nowMs())
  return (isUuid(params.id) ? await findFile(app.db, caller, params.id, now) : undefined) ?? notFound()
}

/** Answers with the bytes; a client that takes JSON and nothing of this type gets the record of the file. */
export async function readFile(context: FileContext): Promise<HttpAnswer | ContentAnswer | StoredFile> {
  const file = await foundFile(context)
  context.setHeader('vary', 'accept')
  return wantsRecord(context.headers, file) ? toStoredFile(file) : answerFile(context, file)
}

export const readContent = async (context: FileContext): Promise<HttpAnswer | ContentAnswer> =>
  answerFile(context, await foundFile(context))

/** Whoever reads a stored JSON by this type alone may mean either; OpenAI's clients mean the record. */
function wantsRecord({ accept }: FileContext['headers'], { media_type: mediaType }: FileRow): boolean {
  const content = mediaType === json ? '*/*' : mediaType
  return acceptsByName(accept, 'application/json') && acceptedQuality(accept, content) === 0
}

/** Answers with the bytes, whole or in part. A file never changes, but can be deleted: caches revalidate. */
export function answerFile(
  context: Pick<RequestContext<FilesApp>, 'app' | 'headers' | 'setHeader'>,
  file: FileRow,
  more: Record<string, string> = {},
): HttpAnswer | ContentAnswer {
  const { media_type: mediaType } = file
  const [etag, bytes] = [`"${file.sha256}"`, Number(file.bytes)]
  const headers = { etag, 'cache-control': 'private, no-cache', ...safeHeaders(file), ...more }
  if (isNotModified(context.headers, etag)) {
    for (const [name, value] of Object.entries(headers)) context.setHeader(name, value)
    return new HttpAnswer(304, '', mediaType)
  }
  return content({
    mediaType,
    bytes,
    etag,
    headers,
    // `openFile` returns nothing if the file is deleted at this moment.
    open: async (range) => (await openFile(context.app, file, range)) ?? notFound(),
  })
}

export async function removeFile({ app, caller, params }: FileContext) {
  const now = new Date(app.clock.nowMs())
  // The key of the bytes has the id in lower case, however the caller spells it.
  const id = params.id.toLowerCase()
  const gone = isUuid(id) && (await app.db.tx((tx) => deleteFile(tx, caller, id, now)))
  if (!gone) return notFound()
  await dropBytes(app, caller.accountId, id)
  return { id, object: 'file', deleted: true }
}

/** Drawings and documents may hold scripts of their uploader, and a text may be taken for a page: a browser downloads them, and opens none here. */
const attachedTypes: readonly string[] = ['image/svg+xml', 'application/pdf', docx, plainText]

/**
 * Headers for a browser that opens the file on the host of the console: no script in the file runs, and no other type is sniffed. A film or a sound
 * that is opened by itself stands in a player of the browser, which fetches the file once more from here.
 */
function safeHeaders(file: FileRow): Record<string, string> {
  const { media_type: mediaType } = file
  const disposition = attachedTypes.includes(mediaType) ? attachment : inline
  return {
    'accept-ranges': 'bytes',
    // A page that embeds a drawing can still show it.
    'content-disposition': disposition(fileNameOf(file)),
    'content-security-policy': `sandbox; default-src 'none'; style-src 'unsafe-inline'${/^(audio|video)\//.test(mediaType) ? "; media-src 'self'" : ''}`,
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
}
