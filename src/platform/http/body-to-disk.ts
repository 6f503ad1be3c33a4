/** Bodies that are too large for memory, or that are parsed elsewhere: their bytes go to the spool as they arrive. */
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { Failure } from '#platform/errors'
import { type Spool, type SpoolFile, TooLargeError } from '#platform/spool'
import { ClientGone, drainBytes, refuseEncoded } from './body.ts'

/**
 * Writes a body of at most `limitBytes` to the spool. A refused body is read to its end but not kept, so that the client gets its answer and the
 * connection serves the next request. Throws BODY_TOO_LARGE, SPOOL_FULL, INVALID_REQUEST and ClientGone; then no file is left.
 */
export async function readToDisk(
  message: IncomingMessage,
  limitBytes: number,
  spool: Spool,
): Promise<SpoolFile> {
  refuseEncoded(message)
  // The client disconnected before anything was read.
  if (message.destroyed && !message.readableEnded) throw new ClientGone()
  const arrived = arrivalOf(message, limitBytes)
  // A separate stream: if its reader stops, the message and its connection stay usable.
  const content = new PassThrough()
  // The stream's reader handles its errors; before and after reading, an error must not end the process.
  content.on('error', () => {})
  arrived.catch((gone: Error) => content.destroy(gone))
  try {
    if (Number(message.headers['content-length'] ?? 0) > limitBytes) throw new TooLargeError(limitBytes)
    return await spool.write(message.pipe(content), { maxBytes: limitBytes })
  } catch (error) {
    message.unpipe(content)
    content.destroy()
    message.resume()
    await arrived
    throw error instanceof TooLargeError ? new Failure('BODY_TOO_LARGE', { limitBytes }, {}) : error
  }
}

/** Resolves when the whole message has arrived, kept or not. */
function arrivalOf(message: IncomingMessage, limitBytes: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let size = 0
  message.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limitBytes + drainBytes) message.destroy()
  })
  message.on('end', resolve)
  message.on('error', () => reject(new ClientGone()))
  message.on('close', () => {
    if (!message.readableEnded) reject(new ClientGone())
  })
  return promise
}
