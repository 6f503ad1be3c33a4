/** Creates, lists and deletes collections for a cloud's developer, and reads and writes their rows, with a key of the project. */

import { type AuditTarget, auditRequest } from '#account/audit'
import { type CloudKey, type CloudRow, keyOf, limitsOf } from '#cloud/clouds'
import {
  type CollectionRow,
  change,
  countedCollections,
  createCollection,
  deleteCollection,
  documentOf,
  insert,
  queryLimits,
  type RowsCloud,
  type RowsFilter,
  type RunStatement,
  remove,
  type Selection,
  setPublicRead,
  statementRunner,
  throwRowFailure,
} from '#cloud/collections'
import { acceptOnce } from '#core/calls'
import type { Tx } from '#platform/db'
import { fail, type Localized } from '#platform/errors'
import { JsonText, type RequestContext } from '#platform/http'
import { isUuid, uuidv7 } from '#platform/ids'
import { readExactly } from '#platform/json'
import { bareList } from '#platform/lists'
import type { DatabaseRoutesApp } from '../app.ts'
import { requireCloud } from '../require-cloud.ts'
import { reasons } from './phrases.ts'
import type { Collection, DatabaseBody } from './schema.ts'
import { describeDatabase, runSql } from './sql.ts'

type DatabaseContext<Body = unknown> = RequestContext<DatabaseRoutesApp, Body, unknown, { id: string }>
type Action = NonNullable<DatabaseBody['action']>

const pageSize = 50
const namePattern = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/

/** A row as the API answers it: its document apart from its columns. */
const rowSelection: Selection = {
  all: false,
  fields: [
    { as: 'id', field: { column: 'id' } },
    { as: 'owner_id', field: { column: 'owner_id' } },
    { as: 'data', field: { path: [], asText: false } },
    { as: 'created_at', field: { column: 'created_at' } },
    { as: 'updated_at', field: { column: 'updated_at' } },
  ],
  withoutNulls: false,
}

const invalid = (param: string, why: Localized): never => fail('INVALID_REQUEST', { why }, { param })

const rowsCloud = ({ app }: DatabaseContext, row: CloudRow): RowsCloud => ({
  ...keyOf(row),
  limits: limitsOf(app.config.clouds, row),
})

export async function showDatabase(context: DatabaseContext) {
  const { app, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  return found.plan === 'dedicated'
    ? describeDatabase(context, found)
    : listCollections(context, keyOf(found))
}

async function listCollections({ app }: DatabaseContext, cloud: CloudKey) {
  const found = await app.collections
    .query(cloud, (run) => countedCollections(run, cloud))
    .catch((error: unknown) => throwRowFailure(error, ''))
  return bareList.answer(found, ({ rows, bytes, ...row }) =>
    toCollection(row, { rows: Number(rows), bytes: Number(bytes) }),
  )
}

const toCollection = (
  { name, public_read, created_at }: CollectionRow,
  counts = { rows: 0, bytes: 0 },
): Collection => ({
  object: 'collection',
  name,
  public_read,
  ...counts,
  created_at: created_at.toISOString(),
})

/** The fields that each action takes beside the collection. */
const allowedFields: Record<Action, readonly (keyof DatabaseBody)[]> = {
  create_collection: ['public_read'],
  list: ['offset'],
  insert: ['id', 'data'],
  update: ['id', 'data', 'public_read'],
  delete: ['id'],
}

export async function useDatabase(context: DatabaseContext<DatabaseBody>): Promise<JsonText> {
  const { app, body, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  if (found.plan === 'dedicated') return runSql(context, found)
  for (const param of ['query', 'read_only', 'confirm_write'] as const)
    if (body[param] !== undefined) fail('PLAN_MISMATCH', { plan: 'starter' }, { param })
  const { action } = body
  if (action === undefined) return invalid('action', reasons.action)
  for (const param of ['id', 'data', 'public_read', 'offset'] as const)
    if (body[param] !== undefined && !allowedFields[action].includes(param))
      invalid(param, reasons.unused(action))
  if (action !== 'list' && action !== 'delete') app.space.require(['database', 'wal'])
  const work = { context, cloud: rowsCloud(context, found), name: nameOf(body, action) }
  return actions[action](work)
}

function nameOf({ name, table }: DatabaseBody, action: Action): string {
  if (name !== undefined && table !== undefined && name !== table) invalid('name', reasons.twoNames)
  const named = table ?? name
  if (named === undefined) return invalid(action === 'create_collection' ? 'name' : 'table', reasons.table)
  return named
}

interface CollectionRequest {
  context: DatabaseContext<DatabaseBody>
  cloud: RowsCloud
  name: string
}

const actions: Record<Action, (work: CollectionRequest) => Promise<JsonText>> = {
  create_collection: create,
  list,
  insert: insertRow,
  update,
  delete: removeRow,
}

/** Runs `work` in a transaction on the connections of rows, so that nobody else waits for the locks of a cloud. */
function accept(
  { context, cloud, name }: CollectionRequest,
  work: (run: RunStatement, now: Date, tx: Tx) => Promise<unknown>,
): Promise<JsonText> {
  const { app } = context
  const now = new Date(app.clock.nowMs())
  return app.collections
    .runInLane(cloud, (db) => {
      const own = { ...context, app: { ...app, db } }
      const options = { endpoint: '/v1/cloud/database', statusCode: 200, now }
      return acceptOnce(own, options, (tx) => work(statementRunner(tx), now, tx))
    })
    .catch((error: unknown) => throwRowFailure(error, name))
}

async function create(work: CollectionRequest): Promise<JsonText> {
  const { context, cloud, name } = work
  const param = context.body.name === undefined ? 'table' : 'name'
  if (!namePattern.test(name) || name === 'rpc') invalid(param, reasons.name)
  const publicRead = context.body.public_read ?? false
  return accept(work, async (run, now, tx) => {
    const row = await createCollection(run, cloud, { id: uuidv7(now.getTime()), name, publicRead }, now)
    await auditRequest(tx, context, { target: collectionTarget(work), after: auditedOf(row) })
    return toCollection(row)
  })
}

const collectionTarget = ({ cloud, name }: Omit<CollectionRequest, 'context'>): AuditTarget => ({
  kind: 'collection',
  id: `${cloud.cloudId}/${name}`,
})

const auditedOf = ({ public_read }: Pick<CollectionRow, 'public_read'>) => ({ public_read })

async function list({ context, cloud, name }: CollectionRequest): Promise<JsonText> {
  const offset = context.body.offset ?? 0
  const filter = { ...filterOf(name), limit: pageSize, offset }
  const query = { ...filter, selection: rowSelection, counted: true }
  const { text, rows, total = 0 } = await context.app.collections.read(cloud, query)
  const hasMore = offset + rows < total
  return new JsonText(`{"data":[${text}],"has_more":${hasMore},"offset":${offset},"total":${total}}`)
}

const filterOf = (collection: string): RowsFilter => ({
  collection,
  caller: { role: 'all' },
  where: [],
  order: [],
  limit: queryLimits.rows,
  offset: 0,
})

const oneRow = (name: string, id: string): RowsFilter => ({
  ...filterOf(name),
  where: [{ kind: 'equal', field: { column: 'id' }, texts: [id] }],
})

function insertRow(work: CollectionRequest): Promise<JsonText> {
  const { context, cloud, name } = work
  const { data = invalid('data', reasons.data), id } = context.body
  if (id !== undefined && !isUuid(id)) invalid('id', reasons.id)
  const document = documentOf(data, 'data')
  return accept(work, async (run, now) => {
    const row = { id: id?.toLowerCase() ?? uuidv7(now.getTime()), ownerId: null, ...document }
    const insertion = {
      collection: name,
      caller: { role: 'all' },
      rows: [row],
      onConflict: 'refuse',
      selection: rowSelection,
    } as const
    const { text } = await insert(run, cloud, insertion, contextOf(work, now))
    return rowIn(text)
  })
}

const contextOf = ({ context }: CollectionRequest, now: Date) => ({
  now,
  collation: context.app.collections.collation,
})

function update(work: CollectionRequest): Promise<JsonText> {
  const { context, cloud, name } = work
  const { id, data, public_read: publicRead } = context.body
  if (id === undefined && data === undefined && publicRead !== undefined)
    return accept(work, async (run, _now, tx) => {
      const changed =
        (await setPublicRead(run, cloud, name, publicRead)) ??
        fail('COLLECTION_NOT_FOUND', { name }, { param: 'table' })
      await auditRequest(tx, context, { target: collectionTarget(work), after: auditedOf(changed) })
      return countedOf(run, cloud, changed)
    })
  if (publicRead !== undefined) invalid('public_read', reasons.unused('update'))
  const rowId = requireId(id)
  const { json } = documentOf(data ?? invalid('data', reasons.data), 'data')
  return accept(work, async (run, now) => {
    const wanted = { ...oneRow(name, rowId), json, selection: rowSelection }
    const { rows, text } = await change(run, cloud, wanted, contextOf(work, now))
    return rows === 0 ? fail('ROW_NOT_FOUND', {}, { param: 'id' }) : rowIn(text)
  })
}

/** A row as the database writes it, with every digit of its numbers. */
const rowIn = (text: string): unknown => readExactly(text)

const requireId = (id: string | undefined): string =>
  id !== undefined && isUuid(id) ? id.toLowerCase() : invalid('id', reasons.id)

async function countedOf(run: RunStatement, cloud: RowsCloud, row: CollectionRow): Promise<Collection> {
  const all = await countedCollections(run, cloud)
  const counted = all.find(({ collection_id }) => collection_id === row.collection_id)!
  return toCollection(row, { rows: Number(counted.rows), bytes: Number(counted.bytes) })
}

function removeRow(work: CollectionRequest): Promise<JsonText> {
  const { context, cloud, name } = work
  const id = requireId(context.body.id)
  return accept(work, async (run, now) => {
    const { rows } = await remove(run, cloud, oneRow(name, id), contextOf(work, now))
    return rows === 0 ? fail('ROW_NOT_FOUND', {}, { param: 'id' }) : { id, deleted: true }
  })
}

/** Deletes a collection with its rows, for good. */
export async function dropCollection(
  context: RequestContext<DatabaseRoutesApp, unknown, unknown, { id: string; name: string }>,
) {
  const { app, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  if (found.plan === 'dedicated') fail('PLAN_MISMATCH', { plan: 'dedicated' })
  const cloud = rowsCloud(context, found)
  const { name, rows } = await app.collections
    .runInLane(cloud, (db) =>
      db.tx(async (tx) => {
        const gone = await deleteCollection(statementRunner(tx), cloud, params.name)
        const before = { ...auditedOf(gone), rows: gone.rows }
        await auditRequest(tx, context, { target: collectionTarget({ cloud, name: gone.name }), before })
        return gone
      }),
    )
    .catch((error: unknown) => throwRowFailure(error, params.name))
  return { object: 'collection', name, rows, deleted: true }
}
