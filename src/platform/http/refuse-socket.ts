import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errorBody, errorHeaders, Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { languageOf } from './language.ts'
import { reasons } from './phrases.ts'

/** A socket of Node's HTTP server, which keeps the answer in progress there. */
export type HttpSocket = Socket & { _httpMessage?: ServerResponse<IncomingMessage> | null }

/** Sockets that were already refused: nothing more is read from them. */
const refused = new WeakSet<Socket>()
/** How long a refused client may read: closing a socket with unread data may discard what was sent. */
const lingerMs = 1_000

/** Answers invalid requests (headers too large, timeouts, syntax errors) on the bare socket, then closes it. */
export function refuseSocket(error: Error & { code?: string }, socket: HttpSocket): void {
  if (refused.has(socket)) return
  const pending = socket._httpMessage
  // Bytes written now would end up inside the answer to an earlier request.
  const taken = pending && (pending.headersSent || pending.req.complete)
  if (error.code === 'ECONNRESET' || taken || !socket.writable) return void socket.destroy()
  refused.add(socket)
  const failure = failureOf(error)
  const late = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(late))
  socket.end(answerOf(failure, languageOf(pending?.req.headers ?? {})), () => {
    // A request that timed out could still be completed and run on a socket that is only half closed.
    if (failure.code === 'REQUEST_TIMEOUT') socket.destroy()
  })
}

function failureOf({ code }: { code?: string }): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') return new Failure('HEADERS_TOO_LARGE', {}, {})
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Failure('REQUEST_TIMEOUT', {}, {})
  return new Failure('INVALID_REQUEST', { why: reasons.notHttp }, {})
}

const phrases: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

function answerOf(failure: Failure, language: 'en' | 'fa'): string {
  const id = uuidv7()
  const body = JSON.stringify(errorBody(failure, id, language))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
    'request-id': id,
    ...errorHeaders(failure),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${failure.status} ${phrases[failure.status] ?? 'Refused'}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
