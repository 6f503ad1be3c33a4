/**
 * The move of a Starter cloud to a database of its own: its state on the way, and the freeze that keeps what is copied from being written here
 * (docs/decisions/cloud/lifecycle.md). Copying itself belongs to other rooms.
 */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { CloudsApp } from './app.ts'
import type { CloudKey } from './clouds.ts'
import { announceCloud } from './directory.ts'
import { changePackage, packageOf } from './package-store.ts'
import { takePackage } from './packages.ts'
import type { CloudRow } from './store.ts'
import * as store from './store.ts'

export interface MoveRow {
  account_id: string
  cloud_id: string
  move_id: string
  /** `undoing`: the move was given up, and its database is not removed yet. */
  state: 'moving' | 'cleaning' | 'undoing' | 'failed'
  attempts: number
  updated_at: Date
}

declare module '#platform/db' {
  interface Tables {
    'clouds.moves': MoveRow
  }
}

type MoveDependencies = Pick<CloudsApp, 'db' | 'clock'>

export const moveOf = (
  kysely: Db['kysely'] | Tx,
  { accountId, cloudId }: CloudKey,
): Promise<MoveRow | undefined> =>
  kysely
    .selectFrom('clouds.moves')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .executeTakeFirst()

/** The moves whose job came to no end. */
export const unfinishedMoves = (db: Db, before: Date, limit: number): Promise<CloudKey[]> =>
  db.query(
    {
      text: `select account_id as "accountId", cloud_id as "cloudId" from clouds.moves
        where state <> 'failed' and updated_at < $1 order by updated_at limit $2`,
    },
    [before, limit],
  )

/**
 * Reserves a package for a ready Starter cloud, which is locked. False where the cloud is moving already. Throws CLOUD_DEDICATED, and what
 * `takePackage` throws.
 */
export async function beginMove(
  app: Pick<CloudsApp, 'config' | 'clock'>,
  tx: Tx,
  cloud: CloudRow,
  offer: string | undefined,
): Promise<boolean> {
  const key = store.keyOf(cloud)
  if (cloud.plan === 'dedicated') fail('CLOUD_DEDICATED', {})
  const before = await moveOf(tx, key)
  if (before && before.state !== 'failed') return false
  const now = new Date(app.clock.nowMs())
  const taken = await takePackage(app, tx, key.accountId, offer)
  await changePackage(tx, taken, { cloud_id: key.cloudId, updated_at: now })
  const move = { move_id: uuidv7(now.getTime()), state: 'moving' as const, attempts: 0, updated_at: now }
  await tx
    .insertInto('clouds.moves')
    .values({ account_id: key.accountId, cloud_id: key.cloudId, ...move })
    .onConflict((conflict) => conflict.columns(['account_id', 'cloud_id']).doUpdateSet(move))
    .execute()
  return true
}

/** Counts one more attempt; undefined where the cloud moves no more, or is being deleted. */
export async function beginMoveAttempt(
  { db, clock }: MoveDependencies,
  cloud: CloudKey,
): Promise<MoveRow | undefined> {
  return db.tx(async (tx) => {
    const row = await store.lockCloud(tx, cloud)
    const move = await moveOf(tx, cloud)
    if (row?.state !== 'ready' || !move || move.state === 'failed') return undefined
    const change = { attempts: move.attempts + 1, updated_at: new Date(clock.nowMs()) }
    await changeMove(tx, move, change)
    return { ...move, ...change }
  })
}

/**
 * Freezes a cloud: from here on nobody writes its rows and users here. Every such write locks the same rows (`requireUnfrozen`, and the counts of its
 * collections), so what was begun before has ended when this returns. False where the cloud moves no more.
 */
export async function freezeCloud({ db, clock }: MoveDependencies, move: MoveRow): Promise<boolean> {
  const cloud = keyOf(move)
  // Giving a move up changes its row first, and then what is frozen, so nothing stays frozen of a move that is over.
  const { rows } = await db.tx((tx) =>
    sql`insert into collections.counts (account_id, cloud_id, is_frozen)
      select account_id, cloud_id, true from clouds.moves where account_id = ${cloud.accountId} and cloud_id = ${cloud.cloudId}
        and move_id = ${move.move_id} and state = 'moving' for share
      on conflict (account_id, cloud_id) do update set is_frozen = true returning 1`.execute(tx),
  )
  if (rows.length === 0) return false
  return db.tx(async (tx) => {
    const row = await store.lockCloudAlone(tx, cloud)
    if (!row || !(await isCurrent(tx, row, move))) return false
    await store.changeCloud(tx, cloud, { frozen_since: new Date(clock.nowMs()) })
    return true
  })
}

/** Called in a transaction that writes users of a Starter cloud: they are not written while they are copied, nor afterwards. Throws CLOUD_MOVING. */
export async function requireUnfrozen(tx: Tx, { accountId, cloudId }: CloudKey): Promise<void> {
  const { rows } =
    await sql`select from clouds.clouds where account_id = ${accountId} and cloud_id = ${cloudId}
    and plan = 'starter' and frozen_since is null for key share`.execute(tx)
  if (rows.length === 0) failMoving()
}

export const failMoving = (): never => fail('CLOUD_MOVING', {}, { retryAfterMs: 2_000 })

/** Switches a cloud to what was copied, which answers from here on. False where the cloud moves no more. */
export const switchCloud = ({ db, clock }: MoveDependencies, move: MoveRow): Promise<boolean> =>
  db.tx(async (tx) => {
    const cloud = keyOf(move)
    const row = await store.lockCloudAlone(tx, cloud)
    if (!row || !(await isCurrent(tx, row, move))) return false
    const { offer } = (await packageOf(tx, cloud))!
    const now = new Date(clock.nowMs())
    await store.changeCloud(tx, cloud, { plan: 'dedicated', offer, frozen_since: null, updated_at: now })
    await store.raiseFunctionsRevision(tx, cloud)
    await changeMove(tx, move, { state: 'cleaning', attempts: 0, updated_at: now })
    await announceCloud(tx, cloud, row.ref)
    return true
  })

/** Gives a move up: the Starter cloud goes on as it was, and its package is free. What was made for the move is removed then (`endUndoing`). */
export const giveUpMove = ({ db, clock }: MoveDependencies, move: MoveRow): Promise<void> =>
  db.tx(async (tx) => {
    const cloud = keyOf(move)
    const row = await store.lockCloudAlone(tx, cloud)
    if (!row || !(await isCurrent(tx, row, move))) return
    const now = new Date(clock.nowMs())
    await changeMove(tx, move, { state: 'undoing', attempts: 0, updated_at: now })
    await sql`update collections.counts set is_frozen = false
      where account_id = ${cloud.accountId} and cloud_id = ${cloud.cloudId}`.execute(tx)
    const used = await packageOf(tx, cloud)
    if (used) await changePackage(tx, used, { cloud_id: null, updated_at: now })
    await store.changeCloud(tx, cloud, { frozen_since: null, updated_at: now })
    await announceCloud(tx, cloud, row.ref)
  })

/** Called when nothing is left of a move that was given up; the cloud may be moved again. */
export const endUndoing = (
  { db, clock }: MoveDependencies,
  { account_id, cloud_id, move_id }: MoveRow,
): Promise<void> =>
  db.tx(async (tx) => {
    await tx
      .updateTable('clouds.moves')
      .set({ state: 'failed', updated_at: new Date(clock.nowMs()) })
      .where('account_id', '=', account_id)
      .where('cloud_id', '=', cloud_id)
      .where('move_id', '=', move_id)
      .where('state', '=', 'undoing')
      .execute()
  })

/** Takes back the count of an attempt that waits for room, or for another machine, since it has not failed. */
export const uncountMoveAttempt = (
  { db }: Pick<CloudsApp, 'db'>,
  { account_id, cloud_id, move_id }: MoveRow,
): Promise<void> =>
  db.tx(async (tx) => {
    await sql`update clouds.moves set attempts = greatest(attempts - 1, 0)
      where account_id = ${account_id} and cloud_id = ${cloud_id} and move_id = ${move_id}`.execute(tx)
  })

/** Ends a move: nothing of what was copied is left here. */
export const endMove = (
  { db }: Pick<CloudsApp, 'db'>,
  { account_id, cloud_id, move_id }: MoveRow,
): Promise<void> =>
  db.tx(async (tx) => {
    await tx
      .deleteFrom('clouds.moves')
      .where('account_id', '=', account_id)
      .where('cloud_id', '=', cloud_id)
      .where('move_id', '=', move_id)
      .execute()
  })

const keyOf = ({ account_id: accountId, cloud_id: cloudId }: MoveRow): CloudKey => ({ accountId, cloudId })

async function isCurrent(tx: Tx, row: CloudRow, { move_id }: MoveRow): Promise<boolean> {
  const move = await moveOf(tx, store.keyOf(row))
  return (
    row.state === 'ready' && row.plan === 'starter' && move?.move_id === move_id && move.state === 'moving'
  )
}

async function changeMove(
  tx: Tx,
  { account_id, cloud_id }: MoveRow,
  change: Partial<Pick<MoveRow, 'state' | 'attempts' | 'updated_at'>>,
): Promise<void> {
  await tx
    .updateTable('clouds.moves')
    .set(change)
    .where('account_id', '=', account_id)
    .where('cloud_id', '=', cloud_id)
    .execute()
}
