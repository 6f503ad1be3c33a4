/**
 * Texts that many clients fetch and that do not change while the process runs: they are built and compressed once, and answered with 304 if the
 * client has them already.
 */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { HttpAnswer, type RequestContext } from './http.ts'
import { acceptedEncodings } from './preferences.ts'

const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number] | 'identity'

export interface PreparedText {
  contentType: string
  bodies: Record<Encoding, Buffer>
  /** The SHA-256 of the text. */
  digest: string
}

/** Compresses the text, in Node's thread pool. */
export async function prepareText(text: string, contentType: string): Promise<PreparedText> {
  const plain = Buffer.from(text)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(plain, { level: 9 }),
  ])
  const digest = createHash('sha256').update(plain).digest('base64url')
  return { contentType, bodies: { br, gzip: gz, identity: plain }, digest }
}

/**
 * Answers with the text in an encoding that the client accepts, or with 304 if the client has it. `varies` names the other request headers on which
 * the text depends.
 */
export function answerPrepared(
  context: Pick<RequestContext<unknown>, 'headers' | 'setHeader'>,
  { contentType, bodies, digest }: PreparedText,
  varies: readonly string[] = [],
): HttpAnswer {
  const [encoding = 'identity' as const] = acceptedEncodings(context.headers['accept-encoding'], encodings)
  const etag = `"${digest}${encoding === 'identity' ? '' : `-${encoding}`}"`
  context.setHeader('etag', etag)
  context.setHeader('cache-control', 'no-cache')
  context.setHeader('vary', ['accept-encoding', ...varies].join(', '))
  if (isNotModified(context.headers, etag)) return new HttpAnswer(304, '', contentType)
  if (encoding !== 'identity') context.setHeader('content-encoding', encoding)
  return new HttpAnswer(200, bodies[encoding], contentType)
}

/** Whether the client already has this version (RFC 9110, section 13). */
export function isNotModified({ 'if-none-match': known }: IncomingHttpHeaders, etag: string): boolean {
  if (known === undefined) return false
  return known.trim() === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
