/** Where a database lies that DATABASE_URL names, and whether it was moved there or copied. */
import pg from 'pg'
import { clientConfig, type Db } from '#platform/db'

/** Of a dump that was restored elsewhere, other things are the same; of a database that stays, these are. */
export interface ServerPlace {
  kind: 'server'
  /** Made by initdb; null where this role may not read it. */
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

/** `before` is what the database itself says of its place, and so the place of what it was copied from, if it was. */
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

/** Asked with our own credentials. Only who surely is not there holds nothing: where nobody can say, what is here is taken for the copy. */
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

/** No such host, port, socket, database or table. */
const gone = new Set(['ENOTFOUND', 'ECONNREFUSED', 'ENOENT', '3D000', '42P01', '3F000'])

function addressOf(
  url: string,
  { host, port, name }: Pick<ServerPlace, 'host' | 'port' | 'name'>,
): pg.ClientConfig {
  const { user, password, ssl } = new pg.Client(clientConfig(url))
  return { user, password: password ?? undefined, ssl, host, port, database: name }
}
