import type { IncomingMessage } from 'node:http'
import { refuseSocket } from './refuse-socket.ts'

/** The timers that end requests which do not arrive completely in time. */
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Node has one timeout for all requests, which must be long enough for uploads; every other request gets this shorter one. */
export function limitRequestTime(message: IncomingMessage, requestMs: number): void {
  const { headers } = message
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return
  const late = setTimeout(() => {
    if (!message.complete) refuseSocket(new LateRequest(), message.socket)
  }, requestMs).unref()
  timers.set(message, late)
  message.once('close', () => clearTimeout(late))
}

/** From here on only the longer timeout of uploads applies to this request. */
export const allowUploadTime = (message: IncomingMessage): void => clearTimeout(timers.get(message))

class LateRequest extends Error {
  override name = 'LateRequest'
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}
