/** A real database of a cloud without a platform around it: in its jail, with the roles, schemas and connections of every dedicated cloud. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { LocalProvider, type OpenDatabase } from '#cloud/databases'
import { openLog } from '#platform/log'
import { openMetrics } from '#platform/metrics'
import { makeSeries } from '../../../src/metrics.ts'
import { jail } from '../../cloud/jail/needs-jail.ts'
import { endDatabases } from '../../harness/end-databases.ts'
import { fastRoot } from '../../harness/fast-root.ts'

export interface CloudDatabase extends AsyncDisposable {
  open: OpenDatabase
  /** SQL of the app's developer, each script in one transaction. */
  sql(script: string): Promise<pg.QueryResult>
}

const mebibyte = 1024 * 1024
const nothing = async (): Promise<void> => {}

export async function openCloudDatabase({ connections = 4 } = {}): Promise<CloudDatabase> {
  await using undone = new AsyncDisposableStack()
  const root = await mkdtemp(path.join(fastRoot, 'kherad-db-'))
  undone.defer(async () => {
    await endDatabases(root)
    await rm(root, { recursive: true, force: true })
  })
  const size = { memoryBytes: 128 * mebibyte, diskBytes: 1024 * mebibyte, connections }
  const provider = undone.use(
    new LocalProvider({
      ...{
        root,
        owner: { id: randomUUID(), isAdopted: false },
        idleMs: 60_000,
        jail,
        log: openLog('silent'),
      },
      ...{ memoryShare: 1, leastFreeDisk: 0, metrics: openMetrics(makeSeries) },
      sizes: {
        sizeOf: async () => size,
        requireTime: nothing,
        recordMeasurement: () => {},
        recordAwakeTime: nothing,
      },
    }),
  )
  const database = {
    ...{ accountId: randomUUID(), cloudId: randomUUID(), ref: 't'.repeat(20), provider: 'local' as const },
    ...{ ...(await provider.place([]))!, secretsSealed: null },
  }
  await provider.make(database)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const open = await new Promise<OpenDatabase>((resolve, reject) => {
    const work = async (opened: OpenDatabase) => {
      resolve(opened)
      await ended
    }
    provider.use(database, work).catch(reject)
  })
  undone.defer(end)
  const ends = undone.move()
  return {
    open,
    sql: (script) => open.pool('postgres').query(script),
    [Symbol.asyncDispose]: () => ends.disposeAsync(),
  }
}
