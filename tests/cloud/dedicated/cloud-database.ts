/** A real database of a cloud without a platform around it: in its jail, with the roles, schemas and connections of every dedicated cloud. */
import type pg from 'pg'
import type { OpenDatabase } from '#engine/databases'
import { makeDatabase } from '../../../src/engine/databases/local/make.ts'
import { LocalDatabases } from '../../../src/engine/databases/local/manager.ts'
import { standardSize } from '../../../src/engine/databases/size.ts'
import { databaseOf, openLocalContext } from './local-databases.ts'

export interface CloudDatabase extends AsyncDisposable {
  open: OpenDatabase
  /** SQL of the app's developer, each script in one transaction. */
  sql(script: string): Promise<pg.QueryResult>
}

export async function openCloudDatabase({ connections = 4 } = {}): Promise<CloudDatabase> {
  await using undone = new AsyncDisposableStack()
  const context = undone.use(await openLocalContext())
  const database = databaseOf('t'.repeat(20))
  await makeDatabase(context, database)
  const sizes = {
    of: async () => ({ ...standardSize, connections }),
    requireTime: async () => {},
    measured: () => {},
    wasAwake: async () => {},
  }
  const databases = undone.use(new LocalDatabases(context, { idleMs: 60_000, sizes }))
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const open = await new Promise<OpenDatabase>((resolve, reject) => {
    const work = async (opened: OpenDatabase) => {
      resolve(opened)
      await ended
    }
    databases.use(database, work).catch(reject)
  })
  undone.defer(end)
  const ends = undone.move()
  return {
    open,
    sql: (script) => open.pool('postgres').query(script),
    [Symbol.asyncDispose]: () => ends.disposeAsync(),
  }
}
