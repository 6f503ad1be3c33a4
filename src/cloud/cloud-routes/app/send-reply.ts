/** Writes an area's reply: with its length where it is known, no faster than the app reads, and cut off for an app that reads nothing. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { type Deadline, deadlines } from '#platform/clock'
import type { AppReply } from './area.ts'
import { readableHeaders } from './cors.ts'

/** An app that reads nothing for this long is cut off. */
const stuckMs = 30_000
const jsonType = 'application/json; charset=utf-8'

type HeaderLines = [name: string, value: string][]

/** A reply whose body is bytes where it is not a stream. */
export interface ReadyReply {
  status: number
  headers: HeaderLines
  body: Buffer | Readable | undefined
}

/** Makes a reply ready to send. Of a function's headers about other origins only the names of headers that pages may read are used. */
export function readyReply({ status, headers, body }: AppReply, requestId: string): ReadyReply {
  const stated = linesOf(headers)
  const exposed = stated.filter(([name]) => /^access-control-expose-headers$/i.test(name))
  const lines = stated.filter(([name]) => !/^(?:access-control-.*|x-request-id|content-length)$/i.test(name))
  lines.push(...Object.entries(readableHeaders(exposed.map(([, value]) => value).join(','))))
  lines.push(['x-request-id', requestId])
  if (!has(lines, 'cache-control')) lines.push(['cache-control', 'no-store'])
  const promised = stated.find(([name]) => name.toLowerCase() === 'content-length')?.[1]
  if (body instanceof Readable) {
    if (promised !== undefined) lines.push(['content-length', promised])
    return { status, headers: lines, body }
  }
  const isEmpty = body === undefined || status === 204 || status === 304
  const bytes = isEmpty ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  if (bytes && !Buffer.isBuffer(body) && !has(lines, 'content-type')) lines.push(['content-type', jsonType])
  if (status !== 204 && status !== 304)
    // The answer to HEAD states the length that GET would have had.
    lines.push(['content-length', bytes ? String(bytes.length) : (promised ?? '0')])
  return { status, headers: lines, body: bytes }
}

const has = (lines: HeaderLines, name: string): boolean => lines.some(([one]) => one.toLowerCase() === name)

const linesOf = (headers: AppReply['headers']): HeaderLines =>
  isList(headers) ? headers.map(([name, value]) => [name, value]) : Object.entries(headers ?? {})

const isList = (headers: AppReply['headers']): headers is readonly (readonly [string, string])[] =>
  Array.isArray(headers)

/** The bytes of an answer beside its body: status line and headers as they stand on the wire. */
export const headBytes = ({ headers }: ReadyReply): number =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 30)

/** Sends a whole reply without a stream. */
export function sendWhole(
  response: ServerResponse,
  { status, headers, body }: ReadyReply,
  isHead: boolean,
): void {
  response.writeHead(status, headers.flat())
  response.end(isHead || !Buffer.isBuffer(body) ? undefined : body)
  if ((response.socket?.writableLength ?? 0) === 0) return
  const stuck = deadlines.in(stuckMs, () => response.destroy())
  response.once('close', () => stuck.cancel())
}

/**
 * Sends a stream as it comes. `take` is called before each chunk is sent; where it returns false, or the source fails, the answer is cut, so that
 * nobody takes a part for the whole. Resolves when the answer has ended either way.
 */
export async function sendStream(
  response: ServerResponse,
  { status, headers, body }: ReadyReply,
  take: (bytes: number) => boolean | Promise<boolean>,
): Promise<void> {
  const source = body as Readable
  let hasLeft = false
  const leave = (): void => {
    hasLeft = true
    source.destroy()
  }
  response.once('close', leave)
  try {
    const promised = headers.find(([name]) => name === 'content-length')?.[1]
    let left = promised === undefined ? Number.POSITIVE_INFINITY : Number(promised)
    response.writeHead(status, headers.flat())
    response.flushHeaders()
    for await (const chunk of source as AsyncIterable<Buffer>) {
      left -= chunk.length
      // Bytes beyond the promised length would be read as the next answer.
      if (!(left >= 0)) throw new WrongLength(promised!)
      if (!(await take(chunk.length))) return void response.destroy()
      if (!response.write(chunk)) await drained(response)
      if (response.destroyed) return
    }
    if (left !== 0 && promised !== undefined) throw new WrongLength(promised)
    response.end()
  } catch (error) {
    // It is no failure that a source ends early for an app that has left.
    if (!hasLeft) throw error
  } finally {
    response.off('close', leave)
    source.destroy()
    if (!response.writableEnded) response.destroy()
  }
}

class WrongLength extends Error {
  override name = 'WrongLength'
  constructor(promised: string) {
    super(`The source does not have the ${promised} bytes that were promised.`)
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      stuck.cancel()
      response.off('drain', finish)
      response.off('close', finish)
      resolve()
    }
    const stuck: Deadline = deadlines.in(stuckMs, () => response.destroy())
    response.on('drain', finish)
    response.on('close', finish)
    if (response.destroyed) finish()
  })
}
