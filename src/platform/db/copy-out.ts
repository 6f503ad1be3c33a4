import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type pg from 'pg'

/** The part of a connection of pg that its types do not have. */
interface Connection {
  query(text: string): void
  sendCopyFail(why: string): void
  stream: Pick<Socket, 'pause' | 'resume' | 'destroy' | 'on' | 'off'>
}

/** Messages that wait for their reader; of a COPY each is a row. */
const maxWaiting = 64
/** Of one message, which pg holds as a whole, and twice at that. */
const maxMessageBytes = 64 * 1024 * 1024

/**
 * What a statement copies to its client (COPY … TO STDOUT, BASE_BACKUP), message by message and only as fast as it is read. Ends with an error
 * where the statement does, and at a message of more than 64 MiB; whoever stops earlier ends the connection.
 */
export function copyOut(client: pg.ClientBase, text: string): AsyncIterable<Buffer> {
  const copy = new CopyOut(text)
  client.query(copy)
  const cut = () => copy.destroy(new Error('The connection ended during a copy.'))
  client.once('end', cut)
  // There may be one copy after the other on a connection, one for each of a thousand tables.
  copy.once('close', () => client.off('end', cut))
  return copy
}

class CopyOut extends Readable implements pg.Submittable {
  readonly #text: string
  #connection: Connection | undefined
  #isOver = false
  /** Of a message that is not whole yet. */
  #cameBytes = 0

  constructor(text: string) {
    super({ objectMode: true, highWaterMark: maxWaiting })
    this.#text = text
  }

  submit(connection: unknown): void {
    this.#connection = connection as Connection
    this.#connection.stream.on('data', this.#count)
    this.#connection.query(this.#text)
  }

  override _read(): void {
    this.#connection?.stream.resume()
  }

  readonly #count = (bytes: Buffer): void => {
    this.#cameBytes += bytes.length
    if (this.#cameBytes > maxMessageBytes) this.destroy(new Error('A row of a copy has more than 64 MiB.'))
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#cameBytes = 0
    // pg reads the next messages into the same memory.
    if (!this.destroyed && !this.push(Buffer.from(chunk))) this.#connection?.stream.pause()
  }

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('nothing is sent')
  }

  handleError(error: Error): void {
    this.#isOver = true
    this.#connection?.stream.resume()
    this.destroy(error)
  }

  /** The server goes on with a copy that nobody reads any more until its connection is gone. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#connection?.stream.off('data', this.#count)
    if (!this.#isOver) this.#connection?.stream.destroy()
    done(error)
  }

  handleReadyForQuery(): void {
    this.#isOver = true
    // For what comes next on the connection.
    this.#connection?.stream.resume()
    this.push(null)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}
