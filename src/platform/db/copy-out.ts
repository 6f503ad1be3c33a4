import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type pg from 'pg'

/** The part of pg's connection that its types lack. */
interface Connection {
  query(text: string): void
  sendCopyFail(why: string): void
  stream: Pick<Socket, 'pause' | 'resume' | 'destroy' | 'on' | 'off'>
}

/** The maximum number of messages that wait for their reader; each message of a COPY is a row. */
const maxWaiting = 64
/** The maximum bytes of one message, which pg holds as a whole, and in two copies. */
const maxMessageBytes = 64 * 1024 * 1024

/**
 * The output of a statement that copies to its client (COPY … TO STDOUT, BASE_BACKUP), message by message and only as fast as it is read. Fails when
 * the statement does, and at a message of more than 64 MiB; a reader that stops earlier ends the connection.
 */
export function copyOut(client: pg.ClientBase, text: string): AsyncIterable<Buffer> {
  const copy = new CopyOut(text)
  client.query(copy)
  const abortCopy = () => copy.destroy(new Error('The connection ended during a copy.'))
  client.once('end', abortCopy)
  // A connection may run one copy after another, one for each of a thousand tables.
  copy.once('close', () => client.off('end', abortCopy))
  return copy
}

class CopyOut extends Readable implements pg.Submittable {
  readonly #text: string
  #connection: Connection | undefined
  #isOver = false
  /** The bytes received of a message that is not complete yet. */
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
    // The chunk is copied, because pg reads the next messages into the same memory.
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

  /** Closes the connection of an unfinished copy, because the server would go on sending rows that nobody reads. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#connection?.stream.off('data', this.#count)
    if (!this.#isOver) this.#connection?.stream.destroy()
    done(error)
  }

  handleReadyForQuery(): void {
    this.#isOver = true
    // The next statement on the connection needs the stream running.
    this.#connection?.stream.resume()
    this.push(null)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}
