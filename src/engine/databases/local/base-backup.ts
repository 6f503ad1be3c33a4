/**
 * The files of a PostgreSQL that runs, as one tar with all that a start from them needs: BASE_BACKUP of the replication protocol
 * (https://www.postgresql.org/docs/18/protocol-replication.html).
 */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import pg from 'pg'
import { clientConfig, type SocketAddress } from '#platform/db'

/** Of the messages of its copy. */
const newArchive = 0x6e
const archiveData = 0x64

/** A part of the connection of pg that its types do not have. */
interface Connection {
  query(text: string): void
  sendCopyFail(why: string): void
  stream: { pause(): void; resume(): void }
}

/** Reads as fast as it is read from. Ends with an error where the copy does. */
export async function* baseBackup(address: SocketAddress): AsyncGenerator<Buffer> {
  const config: pg.ClientConfig & { replication: string } = { ...clientConfig(address), replication: 'true' }
  const client = new pg.Client(config)
  client.on('error', () => undefined)
  await client.connect()
  try {
    // What was written since its beginning is read at its end: a slot keeps it until then, and goes with the connection.
    const slot = `kherad_${randomBytes(6).toString('hex')}`
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL RESERVE_WAL`)
    const copy = new Copy(`BASE_BACKUP (LABEL 'kherad', CHECKPOINT 'fast', WAL true, MANIFEST 'no')`)
    client.query(copy)
    client.once('end', () => copy.destroy(new Error('PostgreSQL ended during the backup.')))
    yield* copy
  } finally {
    await client.end().catch(() => undefined)
  }
}

class Copy extends Readable implements pg.Submittable {
  readonly #command: string
  #connection: Connection | undefined
  #archives = 0

  constructor(command: string) {
    super({ highWaterMark: 1024 * 1024 })
    this.#command = command
  }

  submit(connection: unknown): void {
    this.#connection = connection as Connection
    this.#connection.query(this.#command)
  }

  override _read(): void {
    this.#connection?.stream.resume()
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.destroyed) return
    // A second one would be a tablespace, which nobody here can make.
    if (chunk[0] === newArchive && ++this.#archives > 1)
      this.destroy(new Error('A backup has one archive only.'))
    if (chunk[0] !== archiveData) return
    // pg reads the next messages into the same memory.
    if (!this.push(Buffer.from(chunk.subarray(1)))) this.#connection?.stream.pause()
  }

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('nothing is sent')
  }

  handleError(error: Error): void {
    this.destroy(error)
  }

  handleReadyForQuery(): void {
    this.push(null)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}
