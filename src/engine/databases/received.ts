/** What PostgreSQL sends on one connection is bounded: notices, errors and rows of an app's code can be as large as it likes. */
import type { Socket } from 'node:net'
import pg from 'pg'

/** For one use of a connection: a single value of hundreds of megabytes never gets into this process. */
export const mostReceivedBytes = 16 * 1024 * 1024

const programLimitExceeded = '54000'

/** Counts from now on. Beyond the bound the connection is closed, and its statement fails with 54000. */
export class Received {
  /** More was sent than is allowed. */
  overflowed = false
  #bytes = 0

  constructor(client: pg.ClientBase) {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    stream.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length
      if (this.#bytes <= mostReceivedBytes || this.overflowed) return
      this.overflowed = true
      stream.destroy(tooMuch())
    })
  }

  beginAgain(): void {
    this.#bytes = 0
  }
}

function tooMuch(): Error {
  const message = `more than ${mostReceivedBytes / 1024 / 1024} MiB were sent for one request`
  const error = new pg.DatabaseError(message, message.length, 'error')
  return Object.assign(error, { severity: 'ERROR', code: programLimitExceeded })
}
