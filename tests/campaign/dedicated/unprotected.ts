/** A PostgreSQL as somebody might hand it out: a superuser over the simple protocol. What is an attack is shown to work here first. */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '#platform/postgres'
import { fastRoot } from '../../harness/fast-root.ts'

const quiet = { info() {}, warn() {} }

export interface Unprotected extends AsyncDisposable {
  connect(): Promise<pg.Client>
}

export async function startUnprotected(): Promise<Unprotected> {
  const dataDir = await mkdtemp(path.join(fastRoot, 'kherad-open-'))
  await chmod(dataDir, 0o711)
  const embedded = await startEmbedded({ dataDir, log: quiet, settings: { fsync: 'off' } })
  const admin = new URL(embedded.url)
  admin.username = 'kherad'
  admin.pathname = '/postgres'
  admin.password = (await readFile(path.join(dataDir, 'postgres.password'), 'utf8')).trim()
  const open: pg.Client[] = []
  return {
    async connect() {
      const client = new pg.Client(admin.href)
      client.on('error', () => undefined)
      await client.connect()
      open.push(client)
      return client
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(open.map((client) => client.end().catch(() => undefined)))
      await embedded[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
