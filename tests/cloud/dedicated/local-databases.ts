/** Databases of clouds on this machine, without a platform around them. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { openLog } from '#platform/log'
import { findBinaries } from '#platform/postgres'
import { Claims } from '../../../src/cloud/databases/local/claims.ts'
import { type LocalDatabase, layoutOf } from '../../../src/cloud/databases/local/layout.ts'
import type { LocalContext } from '../../../src/cloud/databases/local/local.ts'
import { findPrograms, singleUser } from '../../../src/cloud/databases/local/program.ts'
import { runServer } from '../../../src/cloud/databases/local/run.ts'
import { type AwakeDatabase, wake } from '../../../src/cloud/databases/local/wake.ts'
import { endDatabases } from '../../harness/end-databases.ts'
import { fastRoot } from '../../harness/fast-root.ts'
import { jail } from '../jail/needs-jail.ts'

const log = openLog('silent')
export const databaseUser = process.getuid?.() === 0 ? 810_000_000 + process.pid : undefined

export const databaseOf = (ref: string): LocalDatabase => ({ ref, user: databaseUser })

export async function localContext(root: string): Promise<LocalContext> {
  const state = await jail.state()
  if (state.kind === 'refused') throw new Error(state.why.en)
  const { postgres } = await findBinaries(undefined, undefined, log)
  const programs = await findPrograms(postgres)
  const { tools } = state
  const claims = new Claims(root, { tools, limitBytes: Number.POSITIVE_INFINITY })
  return { root, tools, programs, log, claims }
}

export async function openLocalContext(): Promise<LocalContext & AsyncDisposable> {
  const context = await localContext(await mkdtemp(path.join(fastRoot, 'kherad-db-')))
  return {
    ...context,
    async [Symbol.asyncDispose]() {
      await context.claims[Symbol.asyncDispose]()
      await endDatabases(context.root)
      await rm(context.root, { recursive: true, force: true })
    },
  }
}

/** A file of SQL run by the superuser, who has no other way in, while the database sleeps. */
export const runAsSuperuser = (
  context: LocalContext,
  database: LocalDatabase,
  file: string,
): Promise<unknown> =>
  runServer(context, singleUser(context.programs, layoutOf(context.root, database), file), database.user)

/** Whatever of its databases runs. */
export async function processesOfUser(user: number): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const owners = await Promise.all(
    pids.map((pid) =>
      stat(`/proc/${pid}`).then(
        ({ uid }) => uid,
        () => undefined,
      ),
    ),
  )
  return pids.filter((_, index) => owners[index] === user)
}

/** What lies there of databases. */
export const databasesIn = async (root: string): Promise<string[]> =>
  (await readdir(root)).filter((name) => !name.startsWith('awake'))

/** Wakes it for as long as `work` takes. */
export async function awakeFor<Result>(
  context: LocalContext,
  database: LocalDatabase,
  work: (awake: AwakeDatabase) => Promise<Result>,
): Promise<Result> {
  const awake = await wake(context, database)
  try {
    return await work(awake)
  } finally {
    await awake.leave()
  }
}

/** Statements of the developer, one after the other; the rows of the last. */
export const query = (context: LocalContext, database: LocalDatabase, ...texts: string[]) =>
  awakeFor(context, database, async (awake) => {
    const { socketFolder, ...address } = awake.address('postgres')
    const client = new pg.Client({ ...address, host: socketFolder })
    client.on('error', () => undefined)
    await client.connect()
    try {
      let rows: Record<string, unknown>[] = []
      for (const text of texts) rows = (await client.query(text)).rows as typeof rows
      return rows
    } finally {
      await client.end()
    }
  })
