/**
 * The files of a running PostgreSQL, as one tar with all that a start from them needs: BASE_BACKUP of the replication protocol
 * (https://www.postgresql.org/docs/18/protocol-replication.html).
 */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import pg from 'pg'
import { clientConfig, copyOut, type SocketAddress } from '#platform/db'

/** The longest backup: storage that takes nothing more would keep the database awake, and keep its log. */
const maxMs = 2 * 60 * 60 * 1000

/** The first bytes of messages of the copy. */
const newArchive = 0x6e
const archiveData = 0x64

/** The bytes of the tar, read at the pace of the consumer. Throws where the copy fails. */
export async function* baseBackup(address: SocketAddress): AsyncGenerator<Buffer> {
  const config: pg.ClientConfig & { replication: string } = { ...clientConfig(address), replication: 'true' }
  const client = new pg.Client(config)
  client.on('error', () => undefined)
  await client.connect()
  const { connection } = client as unknown as { connection: { stream: Socket } }
  const late = setTimeout(() => connection.stream.destroy(new Error('A backup takes too long.')), maxMs)
  try {
    // The log written since the beginning of the backup is read at its end: a slot keeps the log until then, and goes with the connection.
    const slot = `kherad_${randomBytes(6).toString('hex')}`
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL RESERVE_WAL`)
    yield* archiveOf(
      copyOut(client, `BASE_BACKUP (LABEL 'kherad', CHECKPOINT 'fast', WAL true, MANIFEST 'no')`),
    )
  } finally {
    clearTimeout(late)
    await client.end().catch(() => undefined)
  }
}

async function* archiveOf(messages: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let archives = 0
  for await (const message of messages) {
    // A second archive would be a tablespace, which nobody here can make.
    if (message[0] === newArchive && ++archives > 1) throw new Error('A backup has one archive only.')
    if (message[0] === archiveData) yield message.subarray(1)
  }
}
