/** Reading runs. */
import { requireScope } from '#platform/auth'
import { fail } from '#platform/errors'
import { baseUrlOf, type RequestContext } from '#platform/http'
import { framedList } from '#platform/lists'
import type { RunsApp } from './app.ts'
import { latestEvents } from './events/store.ts'
import { manifestOf } from './files/manifest.ts'
import { filesOf } from './files/store.ts'
import { type RunSummaryOptions, toRunEvent, toRunSummary } from './run-summary.ts'
import type { RunListQuery, RunStatus } from './schema.ts'
import { findRun, listRuns, type RunKey, type RunRow } from './store.ts'

export type RunContext<Query = unknown> = RequestContext<RunsApp, unknown, Query, { id: string }>

/**
 * A run of the caller's project; another project's run is answered as a missing one. A key with `agents:write` instead of the scope may
 * read the runs that it started itself; for all others it gets the same error, whether they exist or not (decisions §5).
 */
export async function requireRun(
  { app, caller, params }: RunContext,
  scope: 'files:read' | 'work:write' = 'files:read',
): Promise<RunRow> {
  const run = await findRun(app.db, caller, params.id)
  if (run?.key_id !== caller.keyId) requireScope(caller, scope)
  return run ?? notFound()
}

export const notFound = (param = 'id'): never => fail('NOT_FOUND', {}, { param })

export const runKeyOf = ({ account_id, run_id }: RunRow): RunKey => ({ accountId: account_id, runId: run_id })

export const summaryOptionsOf = (context: RequestContext<Pick<RunsApp, 'config'>>): RunSummaryOptions => ({
  baseUrl: baseUrlOf(context),
  language: context.language,
})

const maxEvents = 100

export async function readRun(context: RunContext): Promise<RunStatus> {
  const { app, language } = context
  const run = await requireRun(context)
  const runKey = runKeyOf(run)
  const [events, files] = await Promise.all([
    latestEvents(app.db, runKey, maxEvents),
    filesOf(app.db.kysely, runKey),
  ])
  return {
    ...toRunSummary(run, summaryOptionsOf(context)),
    events: events.map((event) => toRunEvent(event, language)),
    files: manifestOf(files, language).listed,
  }
}

export async function listOfRuns(context: RequestContext<RunsApp, unknown, RunListQuery>) {
  const { app, caller, query } = context
  return framedList.answer(await listRuns(app.db, caller, query), (run) =>
    toRunSummary(run, summaryOptionsOf(context)),
  )
}
