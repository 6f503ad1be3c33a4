import { type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { type Page, type PageOptions, readPage } from '#platform/lists'
import type { deliveryStates } from './schema.ts'

declare module '#platform/db' {
  interface Tables {
    'webhooks.connections': ConnectionRow
    'webhooks.deliveries': DeliveryRow
  }
}

export interface ConnectionRow {
  account_id: string
  connection_id: string
  project_id: string
  url: string
  /** Empty for a callback (`callback.ts`), which no caller made and no list shows. */
  events: string[]
  enabled: boolean
  disabled_reason: 'gone' | null
  secret: string
  old_secret: string | null
  old_secret_until: Date | null
  created_at: Date
  updated_at: Date
  process_id: string | null
  strikes: number
  parked_until: Date | null
}

export interface DeliveryRow {
  account_id: string
  delivery_id: string
  project_id: string
  connection_id: string
  event_id: string
  type: string
  state: (typeof deliveryStates)[number]
  most_attempts: number
  attempts: number
  status_code: number | null
  error: string | null
  duration_ms: number | null
  attempted_at: Date | null
  due_at: Date | null
  created_at: Date
  ended_at: Date | null
}

/** Names a connection that a caller made, with its owner; other projects do not find it, and nobody finds a callback. */
export interface ConnectionKey {
  accountId: string
  projectId: string
  connectionId: string
}

const whereConnection = ({ accountId, projectId, connectionId }: ConnectionKey) =>
  sql<SqlBool>`account_id = ${accountId} and project_id = ${projectId} and connection_id = ${connectionId}`

const isSubscription = sql<SqlBool>`events <> '{}'`

const whereSubscription = (key: ConnectionKey) => sql<SqlBool>`${whereConnection(key)} and ${isSubscription}`

/** Locks the project: other requests that make a connection of it wait until the transaction has ended. */
export async function lockProject(tx: Tx, projectId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('webhooks.connections'), hashtext(${projectId}))`.execute(
    tx,
  )
}

/** The values that all new connections have in common. */
export const newConnection = (
  of: Pick<ConnectionKey, 'accountId' | 'projectId'>,
  connectionId: string,
  now: Date,
): Omit<ConnectionRow, 'url' | 'events' | 'secret'> => ({
  account_id: of.accountId,
  connection_id: connectionId,
  project_id: of.projectId,
  enabled: true,
  disabled_reason: null,
  old_secret: null,
  old_secret_until: null,
  created_at: now,
  updated_at: now,
  process_id: null,
  strikes: 0,
  parked_until: null,
})

export const insertConnection = (tx: Tx, row: ConnectionRow) =>
  tx.insertInto('webhooks.connections').values(row).execute()

export async function countConnections(
  tx: Tx,
  of: Pick<ConnectionKey, 'accountId' | 'projectId'>,
): Promise<number> {
  const { all } = await tx
    .selectFrom('webhooks.connections')
    .select((from) => from.fn.countAll<bigint>().as('all'))
    .where('account_id', '=', of.accountId)
    .where('project_id', '=', of.projectId)
    .where(isSubscription)
    .executeTakeFirstOrThrow()
  return Number(all)
}

/** Lists the connections of a project, oldest first. */
export const listConnections = (
  db: Db,
  of: Pick<ConnectionKey, 'accountId' | 'projectId'>,
): Promise<ConnectionRow[]> =>
  db.kysely
    .selectFrom('webhooks.connections')
    .selectAll()
    .where('account_id', '=', of.accountId)
    .where('project_id', '=', of.projectId)
    .where(isSubscription)
    .orderBy('connection_id')
    .execute()

export const findConnection = (db: Db, connectionKey: ConnectionKey): Promise<ConnectionRow | undefined> =>
  db.kysely
    .selectFrom('webhooks.connections')
    .selectAll()
    .where(whereSubscription(connectionKey))
    .executeTakeFirst()

/** Locks the connection: requests that change it, or send to it by hand, wait until the transaction has ended. */
export const lockConnection = (tx: Tx, connectionKey: ConnectionKey): Promise<ConnectionRow | undefined> =>
  tx
    .selectFrom('webhooks.connections')
    .selectAll()
    .where(whereSubscription(connectionKey))
    .forUpdate()
    .executeTakeFirst()

/** Changes the row, notifies the dispatchers and returns the row. */
export async function changeConnection(
  tx: Tx,
  connectionKey: ConnectionKey,
  changes: Partial<ConnectionRow>,
): Promise<ConnectionRow | undefined> {
  const row = await tx
    .updateTable('webhooks.connections')
    .set(changes)
    .where(whereSubscription(connectionKey))
    .returningAll()
    .executeTakeFirst()
  if (row) await notifyDispatchers(tx, row.connection_id)
  return row
}

/** The event that its account has once under this key; undefined where it is not written yet, or its data was deleted. */
export async function findOnce(
  tx: Tx,
  accountId: string,
  onceKey: string,
): Promise<{ event_id: string; type: string } | undefined> {
  const { rows } = await sql<{ event_id: string; type: string }>`select event_id, type from events.outbox
    where account_id = ${accountId} and once_key = ${onceKey} and data <> '{}'`.execute(tx)
  return rows[0]
}

/** Inserts a callback; false if it exists already. */
export async function insertCallback(tx: Tx, row: Omit<ConnectionRow, 'events'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('webhooks.connections')
    .values({ ...row, events: [] })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Deletes the connection; false if there is none. */
export async function deleteConnection(tx: Tx, connectionKey: ConnectionKey): Promise<boolean> {
  const done = await tx
    .deleteFrom('webhooks.connections')
    .where(whereSubscription(connectionKey))
    .executeTakeFirst()
  await notifyDispatchers(tx, connectionKey.connectionId)
  return done.numDeletedRows === 1n
}

/** Cancels the deliveries that wait for the connection. */
export async function cancelPending(
  tx: Tx,
  of: Pick<ConnectionKey, 'accountId' | 'connectionId'>,
  why: 'disabled' | 'deleted' | 'gone',
  now: Date,
): Promise<void> {
  await tx
    .updateTable('webhooks.deliveries')
    .set({ state: 'cancelled', error: why, due_at: null, ended_at: now })
    .where('account_id', '=', of.accountId)
    .where('delivery_id', 'in', (from) =>
      from
        .selectFrom('webhooks.deliveries')
        .select('delivery_id')
        .where('account_id', '=', of.accountId)
        .where('connection_id', '=', of.connectionId)
        .where('state', '=', 'pending')
        .orderBy('delivery_id')
        .forUpdate(),
    )
    .execute()
}

export async function notifyDispatchers(tx: Tx, connectionId: string): Promise<void> {
  await sql`select pg_notify('webhooks', ${connectionId})`.execute(tx)
}

export interface DeliveryFilter {
  connectionId?: string | undefined
  eventId?: string | undefined
  state?: string | undefined
  type?: string | undefined
}

/** Lists deliveries, newest first. */
export function listDeliveries(
  db: Db,
  of: Pick<ConnectionKey, 'accountId' | 'projectId'>,
  { connectionId, eventId, state, type }: DeliveryFilter,
  options: PageOptions,
): Promise<Page<DeliveryRow>> {
  const all = db.kysely
    .selectFrom('webhooks.deliveries')
    .selectAll()
    .where('account_id', '=', of.accountId)
    .where('project_id', '=', of.projectId)
    .$if(connectionId !== undefined, (query) => query.where('connection_id', '=', connectionId!))
    .$if(eventId !== undefined, (query) => query.where('event_id', '=', eventId!))
    .$if(state !== undefined, (query) => query.where('state', '=', state as DeliveryRow['state']))
    .$if(type !== undefined, (query) => query.where('type', '=', type!))
  return readPage(all, 'delivery_id', options)
}

export const findDelivery = (
  tx: Tx,
  { accountId, projectId }: Pick<ConnectionKey, 'accountId' | 'projectId'>,
  deliveryId: string,
): Promise<DeliveryRow | undefined> =>
  tx
    .selectFrom('webhooks.deliveries')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst()

/** Whether the event is on its way to the connection. */
export async function isPending(
  tx: Tx,
  { account_id, connection_id, event_id }: DeliveryRow,
): Promise<boolean> {
  const found = await tx
    .selectFrom('webhooks.deliveries')
    .select('delivery_id')
    .where('account_id', '=', account_id)
    .where('event_id', '=', event_id)
    .where('connection_id', '=', connection_id)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return found !== undefined
}

/** Counts the deliveries of a type to the connection since `since`. */
export async function countSince(
  tx: Tx,
  connectionKey: ConnectionKey,
  type: string,
  since: Date,
): Promise<number> {
  const { rows } = await sql<{ all: bigint }>`select count(*) as all from webhooks.deliveries
    where ${whereConnection(connectionKey)} and delivery_id > webhooks.new_id(${since}) and type = ${type}`.execute(
    tx,
  )
  return Number(rows[0]!.all)
}

/** Inserts an event that concerns one connection only; it is not fanned out. Returns its id. */
export async function insertEvent(
  tx: Tx,
  { accountId, projectId }: ConnectionKey,
  type: string,
  data: object,
  now: Date,
): Promise<string> {
  const { rows } = await sql<{
    event_id: string
  }>`insert into events.outbox (account_id, project_id, type, data, created_at)
    values (${accountId}, ${projectId}, ${type}, ${JSON.stringify(data)}, ${now}) returning event_id`.execute(
    tx,
  )
  return rows[0]!.event_id
}

/** Inserts a delivery of an event to one connection, beside the earlier ones. */
export async function insertDelivery(
  tx: Tx,
  { accountId, projectId, connectionId }: ConnectionKey,
  event: { id: string; type: string; maxAttempts: number },
  now: Date,
): Promise<DeliveryRow> {
  const row = await tx
    .insertInto('webhooks.deliveries')
    .values({
      account_id: accountId,
      delivery_id: uuidv7(now.getTime()),
      project_id: projectId,
      connection_id: connectionId,
      event_id: event.id,
      type: event.type,
      state: 'pending',
      most_attempts: event.maxAttempts,
      attempts: 0,
      status_code: null,
      error: null,
      duration_ms: null,
      attempted_at: null,
      due_at: now,
      created_at: now,
      ended_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await notifyDispatchers(tx, connectionId)
  return row
}

/** Until then nothing is sent to the connections of an account that is being deleted: a time that no target is ever parked until. */
const parkedForGood = new Date('9999-01-01T00:00:00Z')

export async function parkConnections({ kysely }: Pick<Db, 'kysely'>, accountId: string): Promise<void> {
  await sql`update webhooks.connections set parked_until = ${parkedForGood} where account_id = ${accountId}`.execute(
    kysely,
  )
}

/** Deliveries go on to those that `parkConnections` has parked. */
export async function unparkConnections({ kysely }: Pick<Db, 'kysely'>, accountId: string): Promise<void> {
  await sql`update webhooks.connections set parked_until = null
    where account_id = ${accountId} and parked_until = ${parkedForGood}`.execute(kysely)
}
