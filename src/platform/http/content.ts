/** Answers of bytes: a stored file or a range of it, or a stream that is produced while it is sent. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { deadlines } from '#platform/clock'
import { fail } from '#platform/errors'
import type { ActiveRequest } from './active-request.ts'
import { isNotModified } from './prepared.ts'
import { stuckMs } from './push-sink.ts'
import { type ByteRange, requestedRange } from './range.ts'
import type { AnswerContext } from './respond.ts'

/** A buffer or a stream; a stream is closed (`return`) when the client disconnects. */
export type ContentSource = Uint8Array | AsyncIterable<Uint8Array>

export interface ContentSpec {
  mediaType: string
  /** The total length. If absent, the answer is sent in chunks until the source ends, without ranges. */
  bytes?: number
  /** The ETag of this version, in quotes. It allows 304 as the answer to `If-None-Match`. */
  etag?: string
  /** Headers that a 304 answer has too. */
  headers?: Record<string, string>
  /** The whole text of JSON that is written while it is sent, for the check against the declaration of the route. */
  json?: () => string
  /** Headers only of answers with bytes. */
  contentHeaders?: Record<string, string>
  /**
   * Called once, after all other checks, and never for HEAD; with the requested range on routes with `ranges`. An error before the first byte is
   * answered as any failure; a later error cuts the connection.
   */
  open(range?: ByteRange): Promise<ContentSource> | ContentSource
}

export class ContentAnswer {
  readonly spec: ContentSpec
  constructor(spec: ContentSpec) {
    this.spec = spec
  }
}

/** An answer of bytes; see `ContentSpec`. */
export const content = (spec: ContentSpec): ContentAnswer => new ContentAnswer(spec)

export async function sendContent(answerContext: AnswerContext, { spec }: ContentAnswer): Promise<void> {
  const { context, route, check } = answerContext
  const { etag, bytes } = spec
  const { vary, ...own } = spec.headers ?? {}
  if (vary !== undefined) context.setHeader('vary', vary)
  const always = { ...(etag !== undefined && { etag }), ...own }
  if (etag !== undefined && isNotModified(context.headers, etag)) {
    Object.assign(context.answerHeaders, always)
    return context.answer(304, spec.mediaType, null)
  }
  const range = route.ranges && bytes !== undefined ? rangeOf(context, etag, bytes) : undefined
  const length = range ? range.end - range.start + 1 : bytes
  const status = range ? 206 : 200
  const headers = {
    ...always,
    ...spec.contentHeaders,
    ...(route.ranges && bytes !== undefined && { 'accept-ranges': 'bytes' }),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${bytes}` }),
    ...(length !== undefined && { 'content-length': String(length) }),
    'content-type': spec.mediaType,
  }
  if (spec.json) check?.reply(status, spec.json())
  else check?.bytes(status)
  if (context.isHead) return void openAnswer(context, status, headers).end()
  const source = await spec.open(range)
  if (!(source instanceof Uint8Array)) return sendStream(answerContext, status, headers, { source, length })
  if (length !== undefined && source.length !== length) throw new WrongLength(length)
  const whole = { ...headers, 'content-length': String(source.length) }
  if (source.length <= sliceBytes) return void openAnswer(context, status, whole).end(source)
  await sendStream(answerContext, status, whole, { source: slicesOf(source), length: source.length })
}

const sliceBytes = 256 * 1024

/** Sends the bytes in slices, so that a client that stops reading is noticed, as with a stream. */
async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes)
}

/** Writes the headers. Throws if a header cannot be sent; then an error answer can still be sent. */
const openAnswer = (
  context: ActiveRequest,
  status: number,
  headers: Record<string, string>,
): ServerResponse => context.response.writeHead(status, { ...context.answerHeaders, ...headers })

/** The requested range; undefined for the whole content. Throws RANGE_NOT_SATISFIABLE. */
function rangeOf(context: ActiveRequest, etag: string | undefined, bytes: number): ByteRange | undefined {
  const part = requestedRange(context.headers, etag, bytes)
  if (part === 'whole') return undefined
  if (part !== 'beyond') return part
  context.setHeader('content-range', `bytes */${bytes}`)
  return fail('RANGE_NOT_SATISFIABLE', { bytes })
}

interface StreamedContent {
  source: AsyncIterable<Uint8Array>
  /** The length of the body in bytes, if it is known. */
  length: number | undefined
}

/** The headers are sent with the first chunk, so that an earlier error still gets an error answer; a later error cuts the connection. */
async function sendStream(
  { app, context }: AnswerContext,
  status: number,
  headers: Record<string, string>,
  { source, length }: StreamedContent,
): Promise<void> {
  const raw = context.response
  const chunks = source[Symbol.asyncIterator]()
  const stop = (): void => stopReading(source, chunks)
  context.gone.addEventListener('abort', stop, { once: true })
  try {
    const first = await chunks.next()
    if (context.gone.aborted) return
    openAnswer(context, status, headers)
    await pumpChunks(chunks, first, raw, length)
  } catch (error) {
    if (context.gone.aborted) return
    if (!raw.headersSent) throw error
    app.log.error({ err: error, request_id: context.requestId }, 'an answer of bytes broke')
    raw.destroy()
  } finally {
    context.gone.removeEventListener('abort', stop)
    stop()
  }
}

/** Sends chunk by chunk, no faster than the client reads. Throws if the length differs from the declared one. */
async function pumpChunks(
  chunks: AsyncIterator<Uint8Array>,
  first: IteratorResult<Uint8Array>,
  raw: ServerResponse,
  length: number | undefined,
): Promise<void> {
  let sent = 0
  for (let next = first; !next.done; next = await chunks.next()) {
    sent += next.value.length
    if (length !== undefined && sent > length) throw new WrongLength(length)
    if (!raw.write(next.value)) await drained(raw)
    if (raw.destroyed) return
  }
  if (length !== undefined && sent < length) throw new WrongLength(length)
  raw.end()
}

/** Resolves when the client has read what was written, or has disconnected. A client that reads nothing is disconnected. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      stuck.cancel()
      raw.off('drain', finish)
      raw.off('close', finish)
      resolve()
    }
    const stuck = deadlines.in(stuckMs, () => raw.destroy())
    raw.on('drain', finish)
    raw.on('close', finish)
    if (raw.destroyed) finish()
  })
}

class WrongLength extends Error {
  override name = 'WrongLength'
  constructor(length: number) {
    super(`The source does not have the ${length} bytes that were promised.`)
  }
}

/** A Node stream can be destroyed at once; a generator that is waiting ends only when it resumes. */
function stopReading(source: AsyncIterable<Uint8Array>, chunks: AsyncIterator<Uint8Array>): void {
  if (source instanceof Readable) return void source.destroy()
  void Promise.resolve(chunks.return?.()).catch(() => undefined)
}
