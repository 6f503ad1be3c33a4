/** Sends bytes of the store no faster than a visitor reads them, and cuts a visitor who reads nothing. */
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { type Deadline, deadlines } from '#platform/clock'

/** A visitor who takes nothing for this long is cut. */
export const stuckMs = 30_000

/** Sends the bytes of a source. Calls `end` once: with the number of bytes that have left, and the error of the source, if it failed. */
export function pipeBytes(
  source: Readable,
  response: ServerResponse,
  bytes: number,
  end: (sent: number, error?: unknown) => void,
): void {
  let sent = 0
  let stuck: Deadline | undefined
  let ended = false
  const finish = (error?: unknown): void => {
    if (ended) return
    ended = true
    stuck?.cancel()
    response.off('drain', onDrain)
    response.off('close', finish0)
    source.destroy()
    if (sent === bytes && error === undefined) response.end()
    else response.destroy()
    end(sent, error)
  }
  const finish0 = (): void => finish()
  const onDrain = (): void => {
    stuck?.cancel()
    source.resume()
  }
  source.on('data', (chunk: Buffer) => {
    // More than was promised would be read as the next answer.
    if (sent + chunk.length > bytes) return void finish(new WrongLengthError(bytes))
    sent += chunk.length
    if (response.write(chunk)) return
    source.pause()
    if (stuck) stuck.restart()
    else stuck = deadlines.in(stuckMs, () => response.destroy())
  })
  source.on('end', () => finish(sent === bytes ? undefined : new WrongLengthError(bytes)))
  source.on('error', finish)
  response.on('drain', onDrain)
  response.on('close', finish0)
}

/** Called after `end`: cuts a visitor who does not read before long what the kernel has not taken yet. */
export function watchEnd(response: ServerResponse): void {
  if ((response.socket?.writableLength ?? 0) === 0) return
  const stuck = deadlines.in(stuckMs, () => response.destroy())
  response.once('close', () => stuck.cancel())
}

class WrongLengthError extends Error {
  override name = 'WrongLength'
  constructor(bytes: number) {
    super(`The store does not have the ${bytes} bytes of this file.`)
  }
}
