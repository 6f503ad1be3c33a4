/** Bounds what PostgreSQL sends on one connection: notices, errors and rows of an app's code can be as large as it likes. */
import type { Socket } from 'node:net'
import pg from 'pg'

/** The most bytes in one use of a connection, so that a single value of hundreds of megabytes never gets into this process. */
export const maxReceivedBytes = 16 * 1024 * 1024

const programLimitExceeded = '54000'

/** Counts the bytes received from its construction to its disposal. Beyond the bound the connection is closed, and its statement fails with 54000. */
export class ReceiveLimiter implements Disposable {
  /** True once more was sent than is allowed. */
  hasOverflowed = false
  #bytes = 0
  readonly #stream: Socket
  readonly #count: (chunk: Buffer) => void

  constructor(client: pg.ClientBase, maxBytes = maxReceivedBytes) {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    this.#stream = stream
    this.#count = (chunk) => {
      this.#bytes += chunk.length
      if (this.#bytes <= maxBytes || this.hasOverflowed) return
      this.hasOverflowed = true
      stream.destroy(tooMuch(maxBytes))
    }
    stream.on('data', this.#count)
  }

  get bytes(): number {
    return this.#bytes
  }

  reset(): void {
    this.#bytes = 0
  }

  [Symbol.dispose](): void {
    this.#stream.off('data', this.#count)
  }
}

function tooMuch(maxBytes: number): Error {
  const message = `more than ${maxBytes / 1024 / 1024} MiB were sent for one request; ask for less at once`
  const error = new pg.DatabaseError(message, message.length, 'error')
  return Object.assign(error, { severity: 'ERROR', code: programLimitExceeded })
}
