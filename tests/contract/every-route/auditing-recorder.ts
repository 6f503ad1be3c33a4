/**
 * Of every route that declares `audited`: each request that succeeds has one row of the audit log, with the operation of the route. Where people prove
 * who they are there may be that, and one of the session which begins. No other request has one: refused, sent again under its idempotency key, sent
 * by others, or to a route that declares nothing.
 */
import type pg from 'pg'
import type { Route } from '#platform/http'
import { type Operation, operationFor } from '../../../scripts/answers/document.ts'
import type { RawAnswer, RequestOptions } from '../../../scripts/answers/recorder.ts'
import type { Site } from '../../../scripts/answers/site.ts'
import { routes } from '../../../src/capabilities.ts'
import { RepeatingRecorder } from './repeating-recorder.ts'

export class AuditingRecorder extends RepeatingRecorder {
  readonly #audit: pg.Client
  /** The operations of the requests that must have a row, by the ids of the requests. A replay has the id of the first request. */
  readonly #audited = new Map<string, string>()
  /** The requests that may have one. */
  readonly #deciding = new Set<string>()
  /** The operations of the requests by which somebody may sign in. */
  readonly #entering = new Map<string, string>()

  constructor(site: Site, operations: readonly Operation[]) {
    super(site, operations)
    this.#audit = site.db
  }

  override async send(method: string, target: string, options: RequestOptions): Promise<RawAnswer> {
    const answer = await super.send(method, target, options)
    // Some steps of a group ask routes of another one.
    const route: Route | undefined = operationFor(routes, method, target)
    if (!route || answer.status >= 300) return answer
    const request = answer.headers.get('x-request-id')!
    if (route.audited === 'if_changed') this.#deciding.add(request)
    else if (route.fromOwnPage) this.#entering.set(request, route.operation)
    else if (isAudited(route, options.json)) this.#audited.set(request, route.operation)
    return answer
  }

  /** Requests with no row, with several, with that of another operation, or with one that they must not have. */
  async misaudited(): Promise<string[]> {
    const { rows } = await this.#audit.query<{ request: string; operations: string[] }>(
      `select request_id as request, array_agg(operation) as operations from audit.entries
        where request_id is not null group by request_id`,
    )
    const written = new Map(rows.map(({ request, operations }) => [request, operations.join(' and ')]))
    const lacking = [...this.#audited]
      .filter(([request, operation]) => written.get(request) !== operation)
      .map(([request, operation]) => `${operation} has ${written.get(request) ?? 'no row'}`)
    const others = rows
      .filter(({ request, operations }) => !this.#audited.has(request) && !this.#mayHave(request, operations))
      .map(({ operations }) => `${operations.join(' and ')}, of a request that must have none or another`)
    return [...new Set([...lacking, ...others])]
  }

  #mayHave(request: string, operations: string[]): boolean {
    if (this.#deciding.has(request)) return operations.length === 1
    const own = this.#entering.get(request)
    const isKnown = (operation: string) => operation === own || operation === 'sign_in'
    return own !== undefined && operations.every(isKnown) && new Set(operations).size === operations.length
  }
}

/** Whether a success of this request must write a row. */
const isAudited = ({ audited }: Route, body: unknown): boolean =>
  typeof audited === 'function' ? (audited as (body: unknown) => boolean)(body ?? {}) : audited === true
