/** The place of the database that DATABASE_URL names, and whether it was moved or copied there. */
import pg from 'pg'
import { clientConfig, type Db } from '#platform/db'

/** The place of a database on a server. A database that stays keeps these values; a dump that is restored elsewhere gets others. */
export interface ServerPlace {
  kind: 'server'
  /** The system identifier that initdb made; null if this role may not read it. */
  system: string | null
  /** The oid of the database. */
  database: string
  host: string
  port: number
  name: string
}

const answerMs = 3_000

export async function serverPlace(db: Db, url: string): Promise<ServerPlace> {
  const { host, port, database = '' } = new pg.Client(clientConfig(url))
  const [system] = await db
    .query<{ system: string }>(
      { text: 'select system_identifier::text as system from pg_control_system()' },
      [],
    )
    .catch(() => [])
  const [row] = await db.query<{ oid: string }>(
    { text: 'select oid::text as oid from pg_database where datname = current_database()' },
    [],
  )
  return {
    kind: 'server',
    system: system?.system ?? null,
    database: row?.oid ?? '',
    host,
    port,
    name: database,
  }
}

/**
 * Decides whether the database stayed, was moved or was copied. `before` is the place that the database itself stores, so for a copy it is the place
 * of the original.
 */
export async function judgeServer(
  db: Db,
  url: string,
  { id, before, here }: { id: string; before: ServerPlace; here: ServerPlace },
): Promise<'here' | 'moved' | 'copy'> {
  if (before.system === here.system) {
    if (before.database === here.database) return 'here'
    return (await hasDatabase(db, before.database)) ? 'copy' : 'moved'
  }
  if (before.host === here.host && before.port === here.port && before.name === here.name) return 'moved'
  return (await holds(url, before, id)) ? 'copy' : 'moved'
}

async function hasDatabase(db: Db, oid: string): Promise<boolean> {
  const rows = await db.query({ text: 'select from pg_database where oid = $1::text::oid' }, [oid])
  return rows.length > 0
}

/**
 * Whether the database at that place is the installation `id`, using our own credentials. Only errors that prove that it does not exist mean no: if
 * that is uncertain, the database here counts as the copy.
 */
async function holds(url: string, { host, port, name }: ServerPlace, id: string): Promise<boolean> {
  const client = new pg.Client({ ...addressOf(url, { host, port, name }), connectionTimeoutMillis: answerMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const question = { text: 'select id from platform.installation', query_timeout: answerMs }
    const { rows } = await client.query<{ id: string }>(question)
    return rows[0]?.id === id
  } catch (error) {
    return !gone.has((error as { code?: string }).code ?? '')
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Error codes for a missing host, port, socket, database or table. */
const gone = new Set(['ENOTFOUND', 'ECONNREFUSED', 'ENOENT', '3D000', '42P01', '3F000'])

function addressOf(
  url: string,
  { host, port, name }: Pick<ServerPlace, 'host' | 'port' | 'name'>,
): pg.ClientConfig {
  const { user, password, ssl } = new pg.Client(clientConfig(url))
  return { user, password: password ?? undefined, ssl, host, port, database: name }
}
