import type { IncomingMessage } from 'node:http'
import { refuseSocket } from './refuse-socket.ts'

/** What ends requests that are not whole in their time. */
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Node keeps one time for all requests, which has to be that of uploads; every other has to be whole in less. */
export function limitRequestTime(message: IncomingMessage, requestMs: number): void {
  const { headers } = message
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return
  const late = setTimeout(() => {
    if (!message.complete) refuseSocket(new LateRequest(), message.socket)
  }, requestMs).unref()
  timers.set(message, late)
  message.once('close', () => clearTimeout(late))
}

/** From here on this request has the time of an upload. */
export const allowUploadTime = (message: IncomingMessage): void => clearTimeout(timers.get(message))

class LateRequest extends Error {
  override name = 'LateRequest'
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}
