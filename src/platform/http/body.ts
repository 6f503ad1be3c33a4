import type { IncomingMessage } from 'node:http'
import { freeBytes, shortLivedBuffer } from '#platform/bytes'
import { Failure, fail } from '#platform/errors'
import { boundsOf, NotJson, readJson } from '#platform/json'
import type { Route } from './http.ts'
import { type BodyMemory, type BodySlot, tooMuchInFlight } from './intake.ts'
import { jsonTrouble, reasons } from './phrases.ts'

/** Bytes that are read and discarded beyond the limit, so that the connection stays usable; after that it is closed. */
export const drainBytes = 256 * 1024 * 1024
/** The size of the first buffer for a body without Content-Length. */
const firstBytes = 16 * 1024
/** A body up to this size is not announced: it needs no reservation, or hardly any. */
const smallBytes = 16 * 1024

/** The client disconnected before its request was complete, so no answer can be sent. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

/** A complete body. It keeps its reserved memory until it is released. */
export interface ReceivedBody {
  readonly bytes: Buffer
  readonly slot: BodySlot
}

/**
 * Reads a whole body of at most `limit` bytes into one buffer. A body that is larger, or for which there is no room, is read to its end but not kept,
 * then refused with BODY_TOO_LARGE or TOO_MUCH_IN_FLIGHT, so that the client gets its answer and the connection serves the next request.
 */
export async function readBody(
  message: IncomingMessage,
  limit: number,
  intake: BodyMemory,
): Promise<ReceivedBody> {
  refuseEncoded(message)
  const body = new BodyBuffer(limit, intake)
  try {
    const length = Number(message.headers['content-length'] ?? 0)
    if (length > smallBytes) await body.announce(length)
    await readAll(message, body)
    return { bytes: body.bytes(), slot: body.slot }
  } catch (error) {
    body.slot.release()
    throw error
  }
}

function readAll(message: IncomingMessage, body: BodyBuffer): Promise<void> {
  return new Promise((resolve, reject) => {
    // The client disconnected before the body was read, so nothing of it can be read any more.
    if (message.destroyed && !message.readableEnded) return reject(new ClientGone())
    message.on('data', (chunk: Buffer) => {
      body.add(chunk)
      if (body.size > drainBytes) message.destroy()
    })
    message.on('end', resolve)
    message.on('error', () => reject(new ClientGone()))
    message.on('close', () => {
      if (!message.readableEnded) reject(new ClientGone())
    })
  })
}

/** One growing buffer, which is freed as soon as the body is refused. */
class BodyBuffer {
  size = 0
  readonly slot: BodySlot
  readonly #limit: number
  #bytes: Buffer = Buffer.alloc(0)
  /** Bytes that are reserved; the buffer may be larger. */
  #reservedBytes = 0
  #refusal: unknown

  constructor(limit: number, intake: BodyMemory) {
    this.#limit = limit
    this.slot = intake.enter(() => this.#refuse(tooMuchInFlight()))
  }

  /** Reserves the announced length before the bytes arrive: of thirty concurrent bodies only those that do not fit are refused. */
  async announce(length: number): Promise<void> {
    if (length <= 0 || length > this.#limit) return
    try {
      await this.slot.announce(length)
    } catch (error) {
      return this.#refuse(error)
    }
    // The reservation may have been lost again meanwhile.
    if (this.#refusal !== undefined) return this.slot.release()
    this.#reserve(length)
  }

  add(chunk: Buffer): void {
    const start = this.size
    this.size += chunk.length
    if (this.size > this.#limit) this.#refuse(undefined)
    else if (this.#refusal === undefined) this.#keep(chunk, start)
  }

  #keep(chunk: Buffer, start: number): void {
    this.slot.arrived(chunk.length)
    // Most bodies are one small chunk, which is kept as it is.
    if (start === 0 && this.#reservedBytes === 0 && chunk.length <= smallBytes) {
      this.#bytes = chunk
      return
    }
    if (this.size > this.#reservedBytes)
      this.#reserve(Math.min(this.#limit, Math.max(firstBytes, this.size, 2 * this.#reservedBytes)))
    if (this.#refusal === undefined) chunk.copy(this.#bytes, start)
  }

  bytes(): Buffer {
    if (this.size > this.#limit) fail('BODY_TOO_LARGE', { limitBytes: this.#limit })
    if (this.#refusal !== undefined) throw this.#refusal
    this.slot.complete()
    return this.#bytes.subarray(0, this.size)
  }

  #reserve(bytes: number): void {
    try {
      this.slot.reserve(bytes)
    } catch (error) {
      this.#refuse(error)
      return
    }
    this.#reservedBytes = bytes
    if (bytes <= this.#bytes.length) return
    const grown = shortLivedBuffer(bytes)
    this.#bytes.copy(grown, 0, 0, Math.min(this.size, this.#bytes.length))
    freeBytes(this.#bytes)
    this.#bytes = grown
  }

  #refuse(refusal: unknown): void {
    this.#refusal ??= refusal
    freeBytes(this.#bytes)
    this.#bytes = Buffer.alloc(0)
    this.slot.release()
  }
}

/** Refuses compressed bodies: one could expand to any size, and no client of this API sends one unasked. */
export function refuseEncoded(message: IncomingMessage): void {
  const encoding = message.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return
  fail('INVALID_REQUEST', { why: reasons.encoded(encoding.slice(0, 40)) }, { param: 'Content-Encoding' })
}

/**
 * Parses a JSON body of a route that accepts `limit` bytes, and frees its bytes. An empty body is `undefined`. Numbers keep every digit for `exactly`
 * unless `exact` is false. Throws INVALID_JSON.
 */
export async function parseJson(
  bytes: Buffer,
  limit: number,
  { exact = true }: { exact?: boolean } = {},
): Promise<unknown> {
  if (bytes.length === 0) return undefined
  try {
    return await readJson(bytes, { ...boundsOf(limit), exact })
  } catch (error) {
    throw asInvalidJson(error)
  } finally {
    freeBytes(bytes)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The JSON value of a text body (`Route.textBody`). Throws INVALID_REQUEST if the text is not UTF-8. */
export function textBodyOf({ textBody }: Pick<Route, 'textBody'>, bytes: Buffer): unknown {
  const { field } = textBody!
  try {
    return { [field]: utf8.decode(bytes) }
  } catch {
    return fail('INVALID_REQUEST', { why: reasons.notUtf8 }, { param: field })
  }
}

/** Turns `NotJson` into INVALID_JSON; returns any other error as it is. */
export const asInvalidJson = (error: unknown): unknown =>
  error instanceof NotJson ? new Failure('INVALID_JSON', { why: jsonTrouble(error.trouble) }, {}) : error
