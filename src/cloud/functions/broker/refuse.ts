/** Answers of the broker itself. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { asFailure, errorBody, errorHeaders, Failure } from '#platform/errors'
import { languageOf } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { FetchRefused, streamRefusal } from '#platform/net'
import { refusalHeader } from './headers.ts'

/** Reasons that lie in the request: nothing was sent. */
const ofRequest = new Set(['bad_url', 'bad_request', 'protocol'])
const forbidden = new Set(['address_not_public', 'port'])

/** Anything thrown while a request was sent, as a failure. */
export function refusalOf(error: unknown, { host, seconds }: { host: string; seconds: number }): Failure {
  if (error instanceof Failure) return error
  if ((error as Error | undefined)?.name === 'TimeoutError')
    return new Failure('FUNCTION_FETCH_TIMEOUT', { seconds }, {})
  const refused = streamRefusal(error, host)
  if (!(refused instanceof FetchRefused)) return asFailure(error)
  const { reason, why } = refused
  if (ofRequest.has(reason)) return new Failure('FUNCTION_FETCH_INVALID', { why }, {})
  return new Failure(forbidden.has(reason) ? 'FUNCTION_FETCH_REFUSED' : 'FUNCTION_FETCH_FAILED', { why }, {})
}

/** Sends a refusal in place of the answer; an answer that has begun is broken off, so that nobody takes it for whole. */
export function answerRefusal(message: IncomingMessage, response: ServerResponse, failure: Failure): void {
  if (response.headersSent) return void response.destroy()
  const id = uuidv7()
  const body = JSON.stringify(errorBody(failure, id, languageOf(message.headers)))
  // The rest of the request's body is not read.
  if (!message.complete) response.setHeader('connection', 'close')
  response.writeHead(failure.status, {
    ...errorHeaders(failure),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    [refusalHeader]: failure.code,
  })
  response.end(message.method === 'HEAD' ? undefined : body)
}

/** Sends a refusal where no request was understood, and ends the connection. */
export function writeRefusal(socket: Duplex, failure: Failure): void {
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify(errorBody(failure, uuidv7(), 'en'))
  socket.end(
    `HTTP/1.1 ${failure.status} Refused\r\ncontent-type: application/json; charset=utf-8\r\n${refusalHeader}: ${failure.code}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
