import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { fail, type Told } from '#platform/errors'
import { reasons } from './words.ts'

/** What is read and thrown away after the limit, so that the connection stays usable; beyond it the connection is closed. */
const drainBytes = 256 * 1024 * 1024
/** Deeper JSON than any client sends, shallow enough for every recursion behind it. */
const deepest = 100

/** The client went away before its request was complete: nobody is left to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

/**
 * Reads a whole body of at most `limit` bytes. A larger one is read to its end but not kept, then refused with
 * BODY_TOO_LARGE, so that the client gets its answer and the connection serves the next request.
 */
export function readBody(message: IncomingMessage, limit: number): Promise<Buffer> {
  refuseEncoded(message)
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    message.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else chunks = []
      if (size > drainBytes) message.destroy()
    })
    message.on('end', () => {
      if (size <= limit) return resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      refused(reject, () => fail('BODY_TOO_LARGE', { limitBytes: limit }))
    })
    message.on('error', () => reject(new ClientGone()))
    message.on('close', () => {
      if (!message.complete) reject(new ClientGone())
    })
  })
}

/** A compressed body could unfold to any size; no client of this API sends one unasked. */
function refuseEncoded(message: IncomingMessage): void {
  const encoding = message.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return
  fail('INVALID_REQUEST', { why: reasons.encoded(encoding.slice(0, 40)) }, { param: 'Content-Encoding' })
}

function refused(reject: (error: unknown) => void, refuse: () => never): void {
  try {
    refuse()
  } catch (error) {
    reject(error)
  }
}

/** Parses a JSON body strictly: UTF-8, at most 100 levels deep. An empty body is `undefined`. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) fail('INVALID_JSON', { why: reasons.notUtf8 })
  refuseTooDeep(bytes)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    return fail('INVALID_JSON', { why: position(error as Error) })
  }
}

/** The parser's complaint without the caller's text in it, so that no prompt stands in an error message or a log. */
function position(error: Error): Told {
  const at = /position (\d+)/.exec(error.message)
  if (at?.[1]) return reasons.unexpectedAt(at[1])
  return /end of JSON/i.test(error.message) ? reasons.endsEarly : reasons.unreadable
}

/** Counts open brackets outside strings in one pass over the bytes. */
function refuseTooDeep(bytes: Buffer): void {
  let depth = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === 0x22) {
      i = endOfString(bytes, i)
      if (i < 0) return
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepest) fail('INVALID_JSON', { why: reasons.tooDeep(deepest) })
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
}

/** Index of the quote that closes the string opened at `start`, or -1. Jumps from quote to quote, so that Base64 costs nothing. */
function endOfString(bytes: Buffer, start: number): number {
  let quote = bytes.indexOf(0x22, start + 1)
  while (quote > 0) {
    let slashes = 0
    while (bytes[quote - 1 - slashes] === 0x5c) slashes++
    if (slashes % 2 === 0) return quote
    quote = bytes.indexOf(0x22, quote + 1)
  }
  return -1
}
