import type { IncomingMessage } from 'node:http'
import { type Deadline, deadlines } from '#platform/clock'
import { refuseSocket } from './refuse-socket.ts'

/** They end requests which do not arrive completely in time. */
const timeouts = new WeakMap<IncomingMessage, Deadline>()

/** Node has one timeout for all requests, which must be long enough for uploads; every other request gets this shorter one. */
export function limitRequestTime(message: IncomingMessage, requestMs: number): void {
  const { headers } = message
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return
  const late = deadlines.in(requestMs, () => {
    if (!message.complete) refuseSocket(new LateRequest(), message.socket)
  })
  timeouts.set(message, late)
  message.once('close', () => late.cancel())
}

/** From here on only the longer timeout of uploads applies to this request. */
export const allowUploadTime = (message: IncomingMessage): void => timeouts.get(message)?.cancel()

class LateRequest extends Error {
  override name = 'LateRequest'
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}
