/** A page of the list of requests. */
import { keyMembers, receiptOf } from '#account/accounting'
import { keyNames, sessionPayers } from '#account/people'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { isUuid } from '#platform/ids'
import { cursorTexts, cutPage, writeCursor } from '#platform/lists'
import type { RequestsApp } from './app.ts'
import { readFilter } from './filter.ts'
import { findRequests } from './find.ts'
import { reasons } from './phrases.ts'
import { positionCursors } from './position-cursor.ts'
import type { RequestList, RequestRow, RequestsQuery } from './schema.ts'
import { segmentCache } from './search/cache.ts'
import { type FoundRequest, findEnded, type Place } from './settlements.ts'
import { lastPosition } from './store.ts'

type ListContext = RequestContext<RequestsApp, unknown, RequestsQuery>

/**
 * The requests that match, newest first. A call keeps its place while it runs, ends and is corrected, so that pages have neither gaps nor twins. With
 * `since` those whose end was written after that cursor.
 */
export async function listRequests(context: ListContext): Promise<RequestList> {
  const { app, query } = context
  if (query.since !== undefined) return listEnded(context, query.since)
  const after = query.after === undefined ? undefined : readPlace(query.after)
  const filter = await readFilter(context)
  const positions = await positionCursors(app.secrets, filter.accountId)
  // Read first, so that what ends while the page is read comes with `since`.
  const position = await lastPosition(app.db, filter.accountId)
  const reader = { kysely: app.db.kysely, cache: segmentCache(app.db) }
  const { rows, hasMore } = cutPage(await findRequests(reader, filter, after, query.limit + 1), query.limit)
  const last = rows.at(-1)
  return {
    object: 'list',
    data: await shown(app, filter.accountId, rows),
    has_more: hasMore,
    next_after: hasMore && last ? writePlace(placeOf(last)) : null,
    next_since: positions.write(position),
  }
}

async function listEnded(context: ListContext, since: string): Promise<RequestList> {
  const { app, query } = context
  if (query.after !== undefined) fail('INVALID_REQUEST', { why: reasons.twoCursors }, { param: 'since' })
  const positions = await positionCursors(app.secrets, context.caller.accountId)
  const from = positions.read(since)
  if (from === undefined)
    return fail('INVALID_REQUEST', { why: reasons.otherCursor('since') }, { param: 'since' })
  const filter = await readFilter(context)
  const position = await lastPosition(app.db, filter.accountId)
  const to = position > from ? position : from
  const { rows: found, readTo } = await findEnded(app.db, filter, { from, to, limit: query.limit + 1 })
  const { rows, hasMore } = cutPage(found, query.limit)
  return {
    object: 'list',
    data: await shown(app, filter.accountId, rows),
    has_more: hasMore || readTo < to,
    next_after: null,
    next_since: positions.write(hasMore ? rows.at(-1)!.position! : readTo),
  }
}

/** The rows as answers show them. */
export async function shown(
  { db }: RequestsApp,
  accountId: string,
  rows: readonly FoundRequest[],
): Promise<RequestRow[]> {
  const keyIds = [...new Set(rows.map((row) => row.key_id))]
  const [payers, keys] = await Promise.all([
    sessionPayers(db, accountId, keyIds),
    keyNames(db, accountId, keyIds),
  ])
  return rows.map((row) => ({
    ...receiptOf(row, payers.get(row.key_id)),
    project_id: row.project_id,
    key_id: row.key_id,
    ...keyMembers(keys.get(row.key_id)),
    tokens: row.tokens && {
      input: row.tokens.input ?? 0,
      cached_input: row.tokens.cachedInput ?? 0,
      output: row.tokens.output ?? 0,
      reasoning: row.tokens.reasoning ?? 0,
    },
    quantities: row.quantities,
    attempts: row.attempts,
    failed_attempts: row.failed_attempts,
    steps: row.steps,
  }))
}

export const placeOf = ({ began, receipt_id: id }: FoundRequest): Place => ({ began, id })

const writePlace = ({ began, id }: Place): string => writeCursor([began, id])

function readPlace(cursor: string): Place {
  const [began = '', id = ''] = cursorTexts(cursor, 2)
  if (!isInstant(began) || !isUuid(id))
    return fail('INVALID_REQUEST', { why: reasons.otherCursor('after') }, { param: 'after' })
  return { began, id }
}

/** Whether `writePlace` can have written it: a moment that exists, of a year that the database knows. */
function isInstant(began: string): boolean {
  if (!/^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z$/.test(began)) return false
  const at = Date.parse(began)
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 19) === began.slice(0, 19)
}
