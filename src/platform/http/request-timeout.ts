import type { IncomingMessage } from 'node:http'
import { type Deadline, deadlines } from '#platform/clock'
import { refuseSocket } from './refuse-socket.ts'

/**
 * Node has one timeout for all requests, which must be long enough for uploads; every other request with a body gets this shorter one, until it is
 * cancelled. The deadline is stored with its request: in a WeakMap, whose values the scavenger does not free, each deadline kept its whole call in
 * memory until the next full collection.
 */
export function limitRequestTime(message: IncomingMessage, requestMs: number): Deadline | undefined {
  const { headers } = message
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return undefined
  const late = deadlines.in(requestMs, () => {
    if (!message.complete) refuseSocket(new LateRequest(), message.socket)
  })
  message.once('close', () => late.cancel())
  return late
}

class LateRequest extends Error {
  override name = 'LateRequest'
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}
