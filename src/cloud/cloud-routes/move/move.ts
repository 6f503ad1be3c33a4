/**
 * Moves a Starter cloud to a database of its own; it keeps its id, ref, keys and users (docs/decisions/cloud/lifecycle.md). The database is made
 * while the app goes on; while rows and users are copied the app only reads; then one transaction switches to the copy. Files, functions and secrets
 * stay where they are. Each step may run any number of times, in whatever process.
 */
import { sql } from 'kysely'
import { auditRequest } from '#account/audit'
import { changeUsers, copyUsers, deleteCopiedUsers, dropCopiedUsers } from '#cloud/app-users'
import {
  beginMove,
  beginMoveAttempt,
  type CloudKey,
  type CloudRow,
  endMove,
  endUndoing,
  freezeCloud,
  giveUpMove,
  type MoveRow,
  moveOf,
  newRef,
  switchCloud,
  uncountMoveAttempt,
} from '#cloud/clouds'
import { copyToTables, deleteRowsPortion as deleteCollections, dropCopiedTables } from '#cloud/collections'
import { acceptOnce, requireUnclaimed } from '#core/calls'
import type { Tx } from '#platform/db'
import type { JsonText } from '#platform/http'
import { delayIfUnavailable, type JobDelay, type JobRun } from '#platform/jobs'
import { type CloudMoveApp, job, type MoveRoutesApp } from '../app.ts'
import { type CloudContext, cloudTarget } from '../clouds/create.ts'
import { toCloud } from '../clouds/show.ts'
import { lockReadyCloud, requireCloud } from '../require-cloud.ts'
import type { MoveBody } from './schema.ts'

const accepted = 202

export async function move(context: CloudContext<MoveRoutesApp, MoveBody>): Promise<JsonText> {
  const { app, body, caller, language, params } = context
  await requireUnclaimed(context)
  const found = await requireCloud(app, caller, params.id, { ready: true })
  const noRoom = await app.databases.requireRoom().catch((error: unknown) => error ?? new Error('no room'))
  const now = new Date(app.clock.nowMs())
  return acceptOnce(context, { endpoint: '/v1/cloud/move', statusCode: accepted, now }, async (tx) => {
    const row: CloudRow = await lockReadyCloud(tx, found)
    if (await beginMove(app, tx, row, body.package)) {
      if (noRoom) throw noRoom
      await enqueue(app, tx, row)
    }
    const change = { before: { plan: row.plan }, after: { plan: 'dedicated', package: body.package ?? null } }
    await auditRequest(tx, context, { target: cloudTarget(row), ...change })
    return toCloud(app, language, row)
  })
}

interface MoveWork {
  cloudId: string
}

const maxAttempts = 5

export const moveJob = job<MoveWork>({
  name: 'clouds.move',
  writes: ['database', 'wal', 'files'],
  limits: () => ({ perAccount: 1, perProcess: 2 }),
  handle: ({ app, accountId, data, ...run }) => continueMove(app, { accountId, ...data }, run),
  setAside: ({ app, accountId, data }) => setMoveAside(app, { accountId, ...data }),
})

const setAsideMs = 10 * 60 * 1000

/** A move that ends the process again and again must not keep an app from writing; what is left of a copy has to be deleted some day. */
async function setMoveAside(app: CloudMoveApp, cloud: CloudKey): Promise<JobDelay | undefined> {
  const current = await moveOf(app.db.kysely, cloud)
  if (current?.state === 'moving') await giveUpMove(app, current)
  if (current?.state === 'moving' || current?.state === 'undoing') return undoMove(app, cloud, current)
  return current?.state === 'cleaning' ? { laterMs: setAsideMs } : undefined
}

const enqueue = ({ jobs }: CloudMoveApp, tx: Tx, { account_id, cloud_id }: CloudRow): Promise<void> =>
  jobs.enqueue(tx, moveJob, { accountId: account_id, data: { cloudId: cloud_id }, singletonKey: cloud_id })

type JobControl = Pick<JobRun<never, never>, 'stopping' | 'progressed'>

/** Runs all steps of a move from the present one on. */
export async function continueMove(
  app: CloudMoveApp,
  cloud: CloudKey,
  run: JobControl,
): Promise<JobDelay | undefined> {
  const current = await beginMoveAttempt(app, cloud)
  if (!current) return undefined
  if (current.state === 'undoing') return undoMove(app, cloud, current)
  if (current.state === 'moving') {
    if (current.attempts > maxAttempts) {
      await giveUpMove(app, current)
      return undoMove(app, cloud, current)
    }
    const later = await retryIfUnavailable(app, current, () => makeAndFillDatabase(app, cloud, current))
    if (later) return later
    await run.progressed()
    if (!(await switchCloud(app, current))) return undefined
    await app.clouds.refresh(cloud)
  }
  return deleteOriginals(app, cloud, current, run)
}

/** Runs `work`, which does not count as an attempt where it has to wait for room or for another machine. */
async function retryIfUnavailable(
  app: CloudMoveApp,
  current: MoveRow,
  work: () => Promise<void>,
): Promise<JobDelay | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    const later = delayIfUnavailable(error)
    if (!later) throw error
    await uncountMoveAttempt(app, current)
    return later
  }
}

/** Makes and fills the database. It has a name of its own: a late process that removes that of an earlier move never removes this one. */
async function makeAndFillDatabase(app: CloudMoveApp, cloud: CloudKey, current: MoveRow): Promise<void> {
  await app.databases.make({ ...cloud, ref: newRef() })
  if (await freezeCloud(app, current)) await copy(app, cloud, current)
}

/** A move that was given up leaves nothing behind. */
async function undoMove(app: CloudMoveApp, cloud: CloudKey, current: MoveRow): Promise<undefined> {
  await app.databases.remove(cloud)
  await endUndoing(app, current)
  return undefined
}

async function copy(app: CloudMoveApp, cloud: CloudKey, { move_id }: MoveRow): Promise<void> {
  await changeUsers(app, { ...cloud, plan: 'dedicated' }, (tx) =>
    onceForMove(tx, 'app_users', move_id, async () => {
      await dropCopiedUsers(tx)
      await copyUsers(app, cloud, tx)
    }),
  )
  await app.databases.use(cloud, (open) =>
    open.db('postgres').tx((tx) =>
      onceForMove(tx, 'public', move_id, async () => {
        await dropCopiedTables(tx)
        await copyToTables(app.collections, cloud, tx)
      }),
    ),
  )
}

/**
 * Runs `work` once for each move: a process that was paused in the middle of it must not copy again when others have switched to the copy. The
 * comment of the schema, written in the same transaction, names the move that has copied; ids of later moves are greater.
 */
async function onceForMove(
  tx: Tx,
  schema: 'app_users' | 'public',
  moveId: string,
  work: () => Promise<void>,
): Promise<void> {
  await sql`set local search_path = pg_catalog`.execute(tx)
  await sql`select pg_advisory_xact_lock(hashtext(${`copy of ${schema}`}))`.execute(tx)
  const { rows } = await sql<{ comment: string | null }>`
    select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = ${schema}`.execute(
    tx,
  )
  const before = /^Copied from Starter: ([0-9a-f-]{36})$/.exec(rows[0]?.comment ?? '')?.[1]
  if (before !== undefined && before >= moveId) return
  await work()
  await sql`comment on schema ${sql.ref(schema)} is ${sql.lit(`Copied from Starter: ${moveId}`)}`.execute(tx)
}

/** Deletes from the platform what was copied. */
async function deleteOriginals(
  app: CloudMoveApp,
  cloud: CloudKey,
  current: MoveRow,
  run: JobControl,
): Promise<JobDelay | undefined> {
  for (const portion of [
    () => deleteCollections(app.collections, cloud),
    () => deleteCopiedUsers(app, cloud),
  ])
    while (!(await portion())) {
      if (run.stopping.aborted) return { laterMs: 0 }
      await run.progressed()
    }
  await endMove(app, current)
  return undefined
}
