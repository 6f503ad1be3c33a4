/** What is sent for a file, prepared once: a visitor's request then writes two arrays that stand ready. */
import { essenceOf } from '#platform/schema'
import type { SiteFile } from '#sites/hosting'
import { isHashed } from '#sites/hosting'
import { type ContentEncoding, encodingsFor } from './encoding.ts'

/** One of the forms of a file. */
export interface Representation {
  readonly storageKey: string
  readonly bytes: number
  readonly etag: string
  readonly encoding: ContentEncoding
  /** The headers of an answer with the whole file: names and values in turn. */
  readonly headers: readonly string[]
  /** The headers of a 304. */
  readonly shortHeaders: readonly string[]
  readonly headerBytes: number
  readonly shortHeaderBytes: number
}

export interface PreparedFile {
  readonly identity: Representation
  readonly br?: Representation
  readonly gzip?: Representation
  /** Whether it is HTML, which a client may refuse to take. */
  readonly isPage: boolean
  /** The approximate bytes that it occupies in memory. */
  readonly weight: number
}

export interface FileAnswer {
  file: SiteFile
  /** What the site's `_headers` say of the path. */
  ruled: ReadonlyMap<string, string>
  /** The `Cache-Control` in place of what the name of the file and the rules say. */
  cacheControl?: string
  /** Request headers that choose the answer, beside the encoding. */
  vary?: string
  isPreview: boolean
  /** The date of the version; undefined for a fallback and an error page, about which it says nothing. */
  modified: string | undefined
  hasEtag: boolean
}

const revalidatePolicy = 'public, max-age=0, must-revalidate'
const immutablePolicy = 'public, max-age=31536000, immutable'

export function prepareFile(answer: FileAnswer): PreparedFile {
  const { file } = answer
  const identity = prepare(answer, 'identity', file)
  const br = file.brotli && prepare(answer, 'br', file.brotli)
  const gzip = file.gzip && prepare(answer, 'gzip', file.gzip)
  const forms = [identity, ...(br ? [br] : []), ...(gzip ? [gzip] : [])]
  const weight = forms.reduce((sum, { headerBytes }) => sum + 2 * headerBytes + 500, 300)
  const isPage = essenceOf(file.mediaType) === 'text/html'
  return { identity, ...(br && { br }), ...(gzip && { gzip }), isPage, weight }
}

/** The form for this visitor. A range is always one of the bytes of the file itself. */
export function chooseRepresentation(
  prepared: PreparedFile,
  accepted: string | string[] | undefined,
): Representation {
  if (!prepared.br && !prepared.gzip) return prepared.identity
  for (const encoding of encodingsFor(accepted)) {
    const form = prepared[encoding]
    if (form) return form
  }
  return prepared.identity
}

function prepare(
  answer: FileAnswer,
  encoding: ContentEncoding,
  { storageKey, bytes }: { storageKey: string; bytes: number },
): Representation {
  const { file, ruled, isPreview, modified, hasEtag } = answer
  const etag = `"${file.sha256.slice(0, 32)}${encoding === 'identity' ? '' : `-${encoding}`}"`
  const common: string[] = []
  if (hasEtag) common.push('ETag', etag)
  if (modified !== undefined) common.push('Last-Modified', modified)
  const cacheControl =
    answer.cacheControl ??
    ruled.get('Cache-Control') ??
    (isHashed(file.path) ? immutablePolicy : revalidatePolicy)
  common.push('Cache-Control', cacheControl)
  const varies = [
    ...(file.brotli || file.gzip ? ['Accept-Encoding'] : []),
    ...(answer.vary ? [answer.vary] : []),
  ]
  if (varies.length > 0) common.push('Vary', varies.join(', '))
  common.push('X-Content-Type-Options', 'nosniff')
  for (const [name, value] of ruled) if (!own.has(name)) common.push(name, value)
  const robots = isPreview ? 'noindex' : ruled.get('X-Robots-Tag')
  if (robots !== undefined) common.push('X-Robots-Tag', robots)
  const headers = ['Content-Type', file.mediaType, 'Content-Length', String(bytes), ...common]
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding)
  if (hasEtag) headers.push('Accept-Ranges', 'bytes')
  return {
    ...{ storageKey, bytes, etag, encoding, headers },
    shortHeaders: common,
    headerBytes: sizeOf(headers),
    shortHeaderBytes: sizeOf(common),
  }
}

/** The headers of `_headers` that are used above. */
const own = new Set(['Cache-Control', 'X-Content-Type-Options', 'X-Robots-Tag'])

/** Status line, date and connection are about a hundred bytes; each header has four beside its name and value. */
export const sizeOf = (headers: readonly string[]): number =>
  headers.reduce((sum, text) => sum + text.length + 2, 100)
