/** What there is to read of runs. */
import { requireScope } from '#platform/auth'
import { fail } from '#platform/errors'
import { baseUrlOf, type RequestContext } from '#platform/http'
import { framedList } from '#platform/lists'
import { latestEvents } from './events/store.ts'
import { manifestOf } from './files/manifest.ts'
import { filesOf } from './files/store.ts'
import type { ListQuery, RunStatus } from './schema.ts'
import { type Reader, shownEvent, shownRun } from './shown.ts'
import { findRun, listRuns, type Place, type RunRow } from './store.ts'

export type RunOptions<Query = unknown> = RequestContext<unknown, Query, { id: string }>

/**
 * A run of the caller's project; anybody else's answers as a missing one. With `agents:write` in place of the scope a key has the runs
 * that it started itself, and is told alike of all others, whether they are there or not (decisions §5).
 */
export async function ownRun(
  { app, caller, params }: RunOptions,
  scope: 'files:read' | 'work:write' = 'files:read',
): Promise<RunRow> {
  const run = await findRun(app.db, caller, params.id)
  if (run?.key_id !== caller.keyId) requireScope(caller, scope)
  return run ?? notFound()
}

export const notFound = (param = 'id'): never => fail('NOT_FOUND', {}, { param })

export const placeOf = ({ account_id, run_id }: RunRow): Place => ({ accountId: account_id, runId: run_id })

export const readerOf = (context: RequestContext): Reader => ({
  baseUrl: baseUrlOf(context),
  language: context.language,
})

const shownEvents = 100

export async function readRun(options: RunOptions): Promise<RunStatus> {
  const { app, language } = options
  const run = await ownRun(options)
  const place = placeOf(run)
  const [events, files] = await Promise.all([
    latestEvents(app.db, place, shownEvents),
    filesOf(app.db.kysely, place),
  ])
  return {
    ...shownRun(run, readerOf(options)),
    events: events.map((event) => shownEvent(event, language)),
    files: manifestOf(files, language).listed,
  }
}

export async function listOfRuns(context: RequestContext<unknown, ListQuery>) {
  const { app, caller, query } = context
  return framedList.answer(await listRuns(app.db, caller, query), (run) => shownRun(run, readerOf(context)))
}
