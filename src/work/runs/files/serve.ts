/** Downloads: one file by its exact path, or all of them in a zip. */
import { buffer } from 'node:stream/consumers'
import { fail } from '#platform/errors'
import { attachment, type ContentAnswer, type ContentSource, content, HttpAnswer } from '#platform/http'
import { failLost } from '#platform/storage'
import { type BundledFile, manifestPath, zip } from '#work/documents'
import type { RunsApp } from '../app.ts'
import { reasons } from '../phrases.ts'
import { notFound, type RunContext, requireRun, runKeyOf } from '../read.ts'
import type { FilesQuery } from '../schema.ts'
import type { RunRow } from '../store.ts'
import { manifestOf } from './manifest.ts'
import { type FileRow, filesOf } from './store.ts'

interface Download {
  /** The file name: the last part of the path, or the title for a bundle. */
  name: string
  mediaType: string
  /** The Content-Type header. Default: derived from `mediaType`. */
  contentType?: string
  /** The ETag, without quotes. */
  tag: string
  bytes?: number
  open: () => Promise<ContentSource>
}

export async function serveFiles(context: RunContext<FilesQuery>): Promise<HttpAnswer | ContentAnswer> {
  const { path, bundle } = context.query
  if ((path === undefined) === (bundle === undefined))
    fail('INVALID_REQUEST', { why: reasons.pathOrBundle }, { param: 'path' })
  const run = await requireRun(context)
  const files = await filesOf(context.app.db.kysely, runKeyOf(run))
  if (path === undefined) return send(context, bundleOf(context, run, files))
  if (path === manifestPath) return send(context, manifestFile(context, files))
  const file = files.find((one) => one.path === path)
  return file ? send(context, oneFile(context, run, file)) : notFound('path')
}

function oneFile({ app }: RunContext, run: RunRow, file: FileRow): Download {
  return {
    name: file.path.split('/').at(-1)!,
    mediaType: file.media_type,
    tag: file.sha256,
    bytes: Number(file.bytes),
    open: async () => (await app.storage.get(file.storage_key)) ?? missing(app, run, file),
  }
}

function manifestFile({ language }: RunContext, files: readonly FileRow[]): Download {
  const { text, entry } = manifestOf(files, language)
  const { media_type: mediaType, sha256: tag, bytes } = entry
  // The manifest is written here in UTF-8; JSON that a model has made may have any encoding.
  const contentType = `${mediaType}; charset=utf-8`
  return { name: manifestPath, mediaType, contentType, tag, bytes, open: async () => Buffer.from(text) }
}

function bundleOf({ app, language }: RunContext, run: RunRow, files: readonly FileRow[]): Download {
  const { text, entry } = manifestOf(files, language)
  const isNamed = /[\p{L}\p{N}]/u.test(run.title ?? '')
  return {
    name: `${isNamed ? run.title : run.kind}.zip`,
    mediaType: 'application/zip',
    tag: `bundle-${entry.sha256}`,
    async open() {
      const packed: BundledFile[] = []
      for (const file of files) {
        const stream = (await app.storage.get(file.storage_key)) ?? (await missing(app, run, file))
        packed.push({ path: file.path, mediaType: file.media_type, bytes: await buffer(stream) })
      }
      packed.push({ path: manifestPath, mediaType: entry.media_type, bytes: Buffer.from(text) })
      return Buffer.from(await zip(packed, run.created_at.getTime()))
    },
  }
}

/** Throws FILE_LOST, or NOT_FOUND if the run was deleted or the file replaced at this moment. */
async function missing(
  app: Pick<RunsApp, 'db' | 'log' | 'metrics'>,
  run: RunRow,
  { path, storage_key: key }: FileRow,
): Promise<never> {
  const still = await filesOf(app.db.kysely, runKeyOf(run))
  return still.some((one) => one.path === path && one.storage_key === key)
    ? failLost(app, key)
    : notFound('path')
}

async function send(context: RunContext, download: Download): Promise<HttpAnswer | ContentAnswer> {
  const { name, mediaType, tag, bytes, open } = download
  const etag = `"${tag}"`
  const headers = { etag, 'cache-control': 'private, no-cache' }
  if (isNotModified(context.headers['if-none-match'], etag)) {
    for (const [header, value] of Object.entries(headers)) context.setHeader(header, value)
    return new HttpAnswer(304, null, mediaType)
  }
  // The length of a zip is known only after packing.
  const packed = bytes === undefined ? await open() : undefined
  return content({
    mediaType: download.contentType ?? typed(mediaType),
    bytes: bytes ?? (packed as Buffer).length,
    etag,
    headers,
    contentHeaders: {
      'content-disposition': attachment(name),
      // Models wrote the content: no browser may take it for a page of this server.
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    },
    open: () => packed ?? open(),
  })
}

/** Whether the client has this file, by weak comparison (RFC 9110 section 13.1.2). */
const isNotModified = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)

/** Text types get `charset=utf-8`. */
const typed = (mediaType: string): string =>
  /^text\/|^image\/svg/.test(mediaType) && !mediaType.includes('charset')
    ? `${mediaType}; charset=utf-8`
    : mediaType
