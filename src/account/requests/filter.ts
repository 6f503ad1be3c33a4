/** Reads the filters of a query. */
import { namedProjects, type VisibleProjects } from '#account/people'
import { accountTimeZone, type Caller } from '#platform/auth'
import { addDays, isDay, isTimeZone, TimeZone } from '#platform/calendar'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import type { RequestsApp } from './app.ts'
import { reasons } from './phrases.ts'
import type { RequestFilters } from './schema.ts'
import { keysOfPerson } from './store.ts'

/** What a request must match; every member that is absent matches all. */
export interface Filter {
  accountId: string
  projects: VisibleProjects
  /** Calls that began at this time or later. */
  from?: Date | undefined
  /** Calls that began before this time. */
  to?: Date | undefined
  model?: string | undefined
  keyId?: string | undefined
  /** The keys by which the sessions of a person pay. */
  personKeyIds?: readonly string[] | undefined
  customerId?: string | undefined
  referenceId?: string | undefined
  endpoint?: string | undefined
  state?: 'running' | 'completed' | 'failed' | undefined
  statusCode?: number | undefined
  minMicrocredits?: bigint | undefined
  maxMicrocredits?: bigint | undefined
  idempotencyKey?: string | undefined
}

/** Throws INVALID_REQUEST with the parameter at fault, and NOT_FOUND for a project that the caller may not see. */
export async function readFilter({
  app,
  caller,
  query,
}: Pick<RequestContext<RequestsApp, unknown, RequestFilters>, 'app' | 'caller' | 'query'>): Promise<Filter> {
  const { db } = app
  if (query.time_zone !== undefined && !isTimeZone(query.time_zone))
    fail('INVALID_REQUEST', { why: reasons.zone }, { param: 'time_zone' })
  return {
    accountId: caller.accountId,
    projects: await namedProjects(db, caller, query.project_id ?? caller.projectId),
    from: await timeOf(app, caller, query, 'from'),
    to: await timeOf(app, caller, query, 'to'),
    model: query.model,
    keyId: query.key_id,
    personKeyIds:
      query.person_id === undefined ? undefined : await keysOfPerson(db, caller.accountId, query.person_id),
    customerId: query.customer_id,
    referenceId: query.reference_id,
    endpoint: query.endpoint,
    state: query.state,
    statusCode: query.status_code,
    minMicrocredits: amountOf(query.min_microcredits),
    maxMicrocredits: amountOf(query.max_microcredits),
    idempotencyKey: query.idempotency_key,
  }
}

const amountOf = (text: string | undefined): bigint | undefined =>
  text === undefined ? undefined : BigInt(text)

async function timeOf(
  app: RequestsApp,
  { accountId }: Caller,
  query: RequestFilters,
  param: 'from' | 'to',
): Promise<Date | undefined> {
  const text = query[param]
  if (text === undefined) return undefined
  const day = text.slice(0, 10)
  const time = new Date(text)
  if (!isDay(day) || Number.isNaN(time.getTime()))
    return fail('INVALID_REQUEST', { why: reasons.time(param) }, { param })
  if (text !== day) return time
  const zone = new TimeZone(query.time_zone ?? (await accountTimeZone(app.db, accountId)))
  return new Date(zone.startOf(param === 'to' ? addDays(day, 1) : day))
}
