/** Log lines of functions: a list, or a stream that goes on as they write. */
import { setTimeout as pause } from 'node:timers/promises'
import { type CloudKey, keyOf } from '#cloud/clouds'
import { readLines, requireFunction, type StoredLine } from '#cloud/functions'
import { isDatabaseAway } from '#platform/db'
import { fail } from '#platform/errors'
import { type EventStream, eventStream, prefersByName } from '#platform/http'
import { bareList } from '#platform/lists'
import { requireCloud } from '../require-cloud.ts'
import type { FunctionContext } from './deploy.ts'
import { reasons } from './phrases.ts'
import type { LogQuery } from './schema.ts'
import { toEntry } from './show.ts'

type LogContext = FunctionContext<unknown, LogQuery>

/** The lines that are requested. */
interface LineQuery {
  functionKey: CloudKey & { name: string }
  level: LogQuery['level']
  since: Date | undefined
  limit: number
}

export async function readLogs(context: LogContext) {
  const { app, headers } = context
  const query = await lineQueryOf(context)
  if (prefersByName(headers.accept, 'text/event-stream', 'application/json'))
    return streamLines(context, query)
  return bareList.answer(await readLines(app.db, query.functionKey, query), toEntry)
}

async function lineQueryOf({ app, caller, params, query }: LogContext): Promise<LineQuery> {
  const cloud = await requireCloud(app, caller, params.id, { ready: true })
  const functionKey = { ...keyOf(cloud), name: params.name }
  await requireFunction(app.db.kysely, functionKey)
  const since = query.since === undefined ? undefined : new Date(query.since)
  if (since && Number.isNaN(since.getTime()))
    fail('INVALID_REQUEST', { why: reasons.noSuchTime }, { param: 'since' })
  return { functionKey, level: query.level, since, limit: query.limit ?? standardLimit }
}

const standardLimit = 100
const pollMs = 500
const unavailablePauseMs = 2_000
const linesAtOnce = 200

/** Streams lines, from the newest ones or after the one that the reader has seen, until the reader leaves or the function is deleted. */
function streamLines({ app, headers }: LogContext, query: LineQuery): EventStream {
  const { functionKey, level, since } = query
  let seen = lastSeen(headers['last-event-id'])
  return eventStream(async (out) => {
    while (!out.gone.aborted) {
      const lines = await next().catch(ignoreUnavailable)
      for (const line of lines ?? []) {
        seen = line.line_id
        await out.send(JSON.stringify(toEntry(line)), 'log', String(line.line_id))
        if (out.gone.aborted) return
      }
      if (lines && lines.length === linesAtOnce) continue
      if (lines?.length === 0 && !(await stands())) return
      seen ??= 0n
      await pause(lines ? pollMs : unavailablePauseMs, undefined, { signal: out.gone }).catch(() => undefined)
    }
  })

  async function next(): Promise<StoredLine[]> {
    if (seen === undefined) return readLines(app.db, functionKey, query)
    return readLines(app.db, functionKey, { level, since, after: seen, limit: linesAtOnce })
  }

  async function stands(): Promise<boolean> {
    return requireFunction(app.db.kysely, functionKey).then(
      () => true,
      (error: unknown) => isDatabaseAway(error),
    )
  }
}

/** Hides from the reader that the database is away for a moment. */
function ignoreUnavailable(error: unknown): undefined {
  if (!isDatabaseAway(error)) throw error
}

/** Returns the line that the reader has seen; for any other header the newest lines are read. */
const lastSeen = (header: string | string[] | undefined): bigint | undefined =>
  typeof header === 'string' && /^\d{1,18}$/.test(header) ? BigInt(header) : undefined
