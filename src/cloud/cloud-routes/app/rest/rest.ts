/**
 * `/rest/v1` for an unchanged supabase-js: collections as PostgREST would answer for tables (docs/decisions/cloud/collections.md), and the
 * tables of dedicated clouds (docs/decisions/cloud/database-requests.md).
 */
import {
  queryLimits,
  type RowCaller,
  type RowsFilter,
  type RowsPage,
  type Selection,
  type WriteAnswer,
  type WriteOptions,
} from '#cloud/collections'
import { RestRefused, refuse } from '#cloud/tables'
import type { AppArea, AppCall, AppCaller, AppReply } from '../area.ts'
import { answerTables } from '../tables/tables.ts'
import { changedMembers, newRows } from './body.ts'
import { type CollectionQuery, readCollectionQuery } from './collection-query.ts'
import { describe } from './describe.ts'
import { type Preferences, preferencesOf, type ResponseShape, shapeOf } from './preferences.ts'
import { refusalOf, refusalReply, refusals } from './refusals.ts'
import { type RestTarget, requirePublicSchema, targetOf } from './target.ts'

/** The bytes of all rows of a request together. */
const maxBodyBytes = 1024 * 1024

export const restArea: AppArea = {
  prefix: '/rest/v1',
  name: 'rest',
  async handle(call) {
    try {
      requirePublicSchema(call)
      const target = targetOf(call.path)
      return await (call.cloud.plan === 'dedicated'
        ? answerTables(call, target)
        : answerCollections(call, target))
    } catch (error) {
      if (error instanceof RestRefused) return refusalReply(error.refusal, call.language)
      throw error
    }
  },
  failureReply: (failure, { language }) => refusalReply(refusalOf(failure), language),
}

interface RestRequest {
  call: AppCall
  collection: string
  query: CollectionQuery
  preferences: Preferences
  shape: ResponseShape
}

function answerCollections(call: AppCall, { name, isFunction }: RestTarget): Promise<AppReply> {
  if (isFunction) refuse(refusals.rpc(name))
  if (name === '') return describe(call)
  const preferences = preferencesOf(call.headers)
  const shape = shapeOf(call.headers)
  const request = {
    call,
    collection: name,
    query: readCollectionQuery(call.query, shape.withoutNulls),
    preferences,
    shape,
  }
  if (call.method === 'GET' || call.method === 'HEAD') return read(request)
  if (call.caller.role === 'anon') refuse(refusals.signIn)
  if (call.method === 'POST') return insert(request)
  if (call.method === 'PATCH') return change(request)
  if (call.method === 'DELETE') return remove(request)
  return refuse(refusals.method(call.method))
}

function rowCaller(caller: AppCaller): RowCaller {
  if (caller.role === 'service') return { role: 'all' }
  return caller.role === 'authenticated' ? { role: 'user', userId: caller.userId } : { role: 'anon' }
}

const filterOf = ({ call, collection, query }: RestRequest): RowsFilter => ({
  collection,
  caller: rowCaller(call.caller),
  where: query.where,
  order: query.order,
  limit: query.limit,
  offset: query.offset,
})

async function read(request: RestRequest): Promise<AppReply> {
  const { call, query, preferences, shape } = request
  // A collection has few rows: counting them is as cheap as an estimate.
  const counted = preferences.count !== undefined
  const rowsQuery = { ...filterOf(request), selection: query.selection, counted }
  const { collections } = call.app
  if (shape.kind === 'table') {
    const { names, text, ...page } = await collections.readTable(call.cloud, rowsQuery)
    const lines = [names.map(cell).join(','), ...(page.rows > 0 ? [text] : [])]
    return pageReply(request, page, 'text/csv', lines.join('\n'))
  }
  // A single object is answered only where exactly one row is found.
  const isSingle = shape.kind === 'single'
  const page = await collections.read(call.cloud, rowsQuery)
  if (isSingle && page.rows !== 1) refuse(refusals.single(page.rows))
  return isSingle
    ? pageReply(request, page, 'application/vnd.pgrst.object+json', page.text)
    : pageReply(request, page, 'application/json', `[${page.text}]`)
}

const cell = (name: string): string => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)

/** Answers a page. 206 says that there are more rows than these, where they were counted. */
function pageReply(
  { query, preferences, call }: RestRequest,
  { rows, total }: Pick<RowsPage, 'rows' | 'total'>,
  type: string,
  text: string,
): AppReply {
  if (total !== undefined && query.offset > 0 && query.offset >= total)
    refuse(refusals.range(query.offset, total))
  const isPart = total !== undefined && rows < total
  return {
    status: isPart ? 206 : 200,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'content-range': `${span(query.offset, rows)}/${total ?? '*'}`,
      ...appliedHeaders(preferences),
    },
    ...(call.method === 'GET' && { body: Buffer.from(text) }),
  }
}

const span = (offset: number, rows: number): string => (rows === 0 ? '*' : `${offset}-${offset + rows - 1}`)

const appliedHeaders = ({ applied }: Preferences): Record<string, string> =>
  applied.length === 0 ? {} : { 'preference-applied': applied.join(', ') }

/** Returns what is answered of the written rows. */
const returnedSelection = ({ preferences, query }: RestRequest): Selection | undefined =>
  preferences.answers === 'representation' ? query.selection : undefined

function optionsOf({ preferences, shape }: RestRequest): WriteOptions {
  const { maxAffected, answers } = preferences
  return {
    rollBack: preferences.rollsBack,
    check({ rows }) {
      if (maxAffected !== undefined && rows > maxAffected) refuse(refusals.maxAffected(rows))
      if (shape.kind === 'single' && answers === 'representation' && rows !== 1) refuse(refusals.single(rows))
    },
  }
}

async function insert(request: RestRequest): Promise<AppReply> {
  const { call, collection, query, preferences } = request
  const { app, cloud, caller } = call
  if (query.onConflict !== undefined && preferences.onConflict !== 'refuse' && query.onConflict !== 'id')
    refuse(refusals.conflictTarget)
  const rows = await newRows(await call.json(maxBodyBytes), {
    caller,
    columns: query.columns,
    leavesOut: preferences.leavesOut,
    nowMs: app.clock.nowMs(),
  })
  const isTwice = new Set(rows.map(({ id }) => id)).size < rows.length
  if (isTwice && preferences.onConflict !== 'ignore') refuse(refusals.twice)
  const insertion = {
    collection,
    caller: rowCaller(caller),
    rows,
    onConflict: preferences.onConflict,
    selection: returnedSelection(request),
  }
  const written = await app.collections.insert(cloud, insertion, optionsOf(request))
  const only = preferences.answers === 'headers-only' && rows.length === 1 ? rows[0] : undefined
  // As in PostgREST: rows that were there already are merged, and nothing is created.
  const status = preferences.onConflict === 'merge' && written.inserted === 0 ? 200 : 201
  const reply = writtenReply(request, written, status, `*/${preferences.count ? written.rows : '*'}`)
  if (!only) return reply
  const location = `/${encodeURIComponent(collection)}?id=eq.${only.id}`
  return { ...reply, headers: { ...reply.headers, location } }
}

async function change(request: RestRequest): Promise<AppReply> {
  const { call, query, preferences } = request
  const { caller, cloud } = call
  const json = changedMembers(await call.json(maxBodyBytes), { caller, columns: query.columns })
  const change = { ...writeFilter(request), json: json ?? '{}', selection: returnedSelection(request) }
  // Where there is nothing to change, no row counts as changed, as in PostgREST.
  const answer = await call.app.collections.change(
    cloud,
    json === undefined ? { ...change, limit: 0 } : change,
    optionsOf(request),
  )
  const counted = preferences.count ? String(answer.rows) : '*'
  return writtenReply(request, answer, 204, `${span(0, answer.rows)}/${counted}`)
}

async function remove(request: RestRequest): Promise<AppReply> {
  const { call, preferences } = request
  const removal = { ...writeFilter(request), selection: returnedSelection(request) }
  const answer = await call.app.collections.remove(call.cloud, removal, optionsOf(request))
  return writtenReply(request, answer, 204, `*/${preferences.count ? answer.rows : '*'}`)
}

/** The filter of a write: one row more than may be written shows that there are too many. */
const writeFilter = (request: RestRequest): RowsFilter => ({
  ...filterOf(request),
  limit: request.query.isLimited ? request.query.limit : queryLimits.rows + 1,
})

function writtenReply(
  { preferences, shape }: RestRequest,
  { text }: WriteAnswer,
  status: number,
  range: string,
): AppReply {
  const headers = { 'content-range': range, ...appliedHeaders(preferences) }
  if (preferences.answers !== 'representation') return { status, headers }
  const isSingle = shape.kind === 'single'
  const type = isSingle ? 'application/vnd.pgrst.object+json' : 'application/json'
  return {
    status: status === 204 ? 200 : status,
    headers: { ...headers, 'content-type': `${type}; charset=utf-8` },
    body: Buffer.from(isSingle ? text : `[${text}]`),
  }
}
