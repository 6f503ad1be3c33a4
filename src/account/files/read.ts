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
  attachment,
  type ContentAnswer,
  content,
  HttpAnswer,
  inline,
  isNotModified,
  type RequestContext,
} from '#platform/http'
import { isUuid } from '#platform/ids'
import { plainList } from '#platform/lists'
import type { FileRoutesApp } from './app.ts'
import { docx, plainText } from './data-kind.ts'
import { endingOf } from './kind.ts'
import type { FileListQuery, StoredFile } from './schema.ts'

type FileContext = RequestContext<FileRoutesApp, unknown, unknown, { id: string }>

export const toStoredFile = (row: FileRow): StoredFile => ({
  id: row.file_id,
  name: row.name,
  media_type: row.media_type,
  bytes: Number(row.bytes),
  sha256: row.sha256,
  source: row.source,
  receipt_id: row.receipt_id,
  purpose: row.purpose,
  expires_at: row.expires_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})

export const listFiles = async ({
  app,
  caller,
  query,
}: RequestContext<FileRoutesApp, unknown, FileListQuery>) =>
  plainList.answer(await listRows(app.db, caller, query, new Date(app.clock.nowMs())), toStoredFile)

const notFound = (): never => fail('NOT_FOUND', {}, { param: 'id' })

export async function readFile(context: FileContext): Promise<HttpAnswer | ContentAnswer> {
  const { app, caller, params } = context
  const file = isUuid(params.id)
    ? await findFile(app.db, caller, params.id, new Date(app.clock.nowMs()))
    : undefined
  return file ? answerFile(context, file) : notFound()
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
  return { id, deleted: true }
}

/** Drawings and documents may hold scripts of their uploader, and a text may be taken for a page: a browser downloads them, and opens none here. */
const attachedTypes: readonly string[] = ['image/svg+xml', 'application/pdf', docx, plainText]

/**
 * Headers for a browser that opens the file on the host of the console: no script in the file runs, and no other type is sniffed. A film or a sound
 * that is opened by itself stands in a player of the browser, which fetches the file once more from here.
 */
function safeHeaders({ file_id: id, name, media_type: mediaType }: FileRow): Record<string, string> {
  const disposition = attachedTypes.includes(mediaType) ? attachment : inline
  return {
    'accept-ranges': 'bytes',
    // A page that embeds a drawing can still show it.
    'content-disposition': disposition(name ?? `${id}.${endingOf(mediaType)}`),
    'content-security-policy': `sandbox; default-src 'none'; style-src 'unsafe-inline'${/^(audio|video)\//.test(mediaType) ? "; media-src 'self'" : ''}`,
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
}
