/** Exports the database of a dedicated cloud as SQL, while it is kept awake. */
import type pg from 'pg'
import { type CloudKey, type CloudRow, keyOf } from '#cloud/clouds'
import { exportDatabase, requireExportable } from '#cloud/export'
import { type ContentAnswer, content } from '#platform/http'
import type { ExportApp } from '../app.ts'

/** An export is refused before the answer begins; a later failure cuts the answer, which then has no last line. */
export async function exportSql(app: Pick<ExportApp, 'databases'>, cloud: CloudRow): Promise<ContentAnswer> {
  await app.databases.use(keyOf(cloud), (open) => withClient(open.pool('app_reader'), requireExportable))
  return content({
    mediaType: 'application/sql',
    headers: {
      'content-disposition': `attachment; filename="${cloud.ref}.sql"`,
      'cache-control': 'no-store',
    },
    open: () => partsOf(app, keyOf(cloud)),
  })
}

async function* partsOf(app: Pick<ExportApp, 'databases'>, cloud: CloudKey): AsyncGenerator<Buffer> {
  const clientReady = Promise.withResolvers<pg.PoolClient>()
  const exportEnded = Promise.withResolvers<void>()
  const using = app.databases.use(cloud, (open) =>
    withClient(open.pool('app_reader'), (client) => {
      clientReady.resolve(client)
      return exportEnded.promise
    }),
  )
  using.catch(clientReady.reject)
  try {
    yield* exportDatabase(await clientReady.promise)
  } finally {
    exportEnded.resolve()
    await using.catch(() => undefined)
  }
}

async function withClient<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}
