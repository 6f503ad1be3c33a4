/**
 * Of every route that takes an Idempotency-Key: what succeeds is sent again under its key, and then with another body. The first answer comes
 * again to the byte, or a 409 with its receipt where it cannot be told again; there is one receipt, so one charge; nothing is made or ordered of
 * an upstream a second time; and another body is a conflict. A body that was refused before under the key has not used it.
 */
import type pg from 'pg'
import type { TSchema } from 'typebox'
import { expect } from 'vitest'
import type { Route } from '#platform/http'
import { sampleOf } from '#platform/schema'
import { type Operation, operationFor } from '../../../scripts/answers/document.ts'
import type { Body, RawAnswer, RequestOptions } from '../../../scripts/answers/recorder.ts'
import type { Site } from '../../../scripts/answers/site.ts'
import { routes } from '../../../src/capabilities.ts'
import { mismatch } from '../../../src/platform/http/validate.ts'
import { until } from '../../harness/until.ts'
import { HidingRecorder } from './hiding-recorder.ts'

export class RepeatingRecorder extends HidingRecorder {
  readonly #db: pg.Client
  readonly #upstream: Site['upstream']
  readonly #repeated = new Set<string>()
  readonly #refused = new Set<string>()
  readonly #conflicted = new Set<string>()
  #last: RawAnswer | undefined

  constructor(site: Site, operations: readonly Operation[]) {
    super(site, operations)
    this.#db = site.db
    this.#upstream = site.upstream
  }

  override async send(method: string, target: string, options: RequestOptions): Promise<RawAnswer> {
    this.#last = await super.send(method, target, options)
    return this.#last
  }

  override async ask(
    name: string,
    method: string,
    target: string,
    options: RequestOptions = {},
  ): Promise<Body> {
    const route = this.#routeOf(method, target)
    if (!route?.idempotent) return super.ask(name, method, target, options)
    const key = options.headers?.['idempotency-key'] ?? `repeated ${Object.keys(this.answers).length}`
    const keyed = { ...options, headers: { ...options.headers, 'idempotency-key': key } }
    await this.#refuseFirst(name, route, [method, target, keyed])
    const body = await super.ask(name, method, target, keyed)
    const first = this.#last!
    const action = (options.json as { action?: string } | undefined)?.action
    const kind = [nameOf(route), kindOf(first), action].join(' ')
    // A stream that failed begins with 200, and leaves its key unused.
    const isSuccess = first.status < 300 && !first.bytes.includes('event: error')
    // What lists is answered anew, as a GET is.
    if (!isSuccess || action === 'list' || this.#repeated.has(kind)) return body
    this.#repeated.add(kind)
    if (options.json !== undefined) this.#refused.add(nameOf(route))
    await this.#repeat(name, route, [method, target, keyed], first)
    return body
  }

  /** Routes with an Idempotency-Key of which no success was sent again, or none with another body. */
  unrepeated(): string[] {
    const names = new Set(this.operations.map(({ name }) => name))
    return routes
      .filter((route) => route.idempotent && names.has(nameOf(route)))
      .flatMap((route) => [
        ...([...this.#repeated].some((kind) => kind.startsWith(`${nameOf(route)} `))
          ? []
          : [`no repeat of ${nameOf(route)}`]),
        ...(route.streams && !this.#repeated.has(`${nameOf(route)} stream `)
          ? [`no repeat of a stream of ${nameOf(route)}`]
          : []),
        ...(!this.#conflicted.has(nameOf(route)) && route.body && hasFields(route)
          ? [`no conflict of ${nameOf(route)}`]
          : []),
      ])
  }

  /** What there is of each resource, and how often an upstream was asked to make something. */
  async #effects({ path }: Route, { status }: RawAnswer): Promise<Record<string, unknown>> {
    const { rows } = await this.#db.query(rowsMade)
    // What was accepted is made while its request is repeated, and so are the rows of a batch.
    if (status !== 202 && path !== '/v1/messages/batches')
      return { ...rows[0], orders: this.#upstream.orders }
    const { 'files.files': _files, 'clouds.keys': _keys, ...accepted } = rows[0]
    return accepted
  }

  #routeOf(method: string, target: string): Route | undefined {
    const operation = operationFor(this.operations, method, target)
    return routes.find((one) => one.method === method && one.path === operation?.path)
  }

  /** A refusal under the key of what may succeed, until something of the route has. */
  async #refuseFirst(
    name: string,
    route: Route,
    [method, target, options]: [string, string, RequestOptions],
  ): Promise<void> {
    if (options.json === undefined || this.#refused.has(nameOf(route))) return
    const { status } = await super.send(method, target, { ...options, json: [] })
    expect([name, status >= 400 && status < 500]).toEqual([name, true])
  }

  async #repeat(
    name: string,
    route: Route,
    [method, target, options]: [string, string, RequestOptions],
    first: RawAnswer,
  ): Promise<void> {
    const before = await this.#effects(route, first)
    // A stream may be read to its end a moment before its call is settled.
    const again = await until(async () => {
      const seen = await this.send(method, target, options)
      return codeOf(seen) === 'IDEMPOTENCY_IN_PROGRESS' ? undefined : seen
    })
    if (kindOf(first) === 'json') {
      expect([name, again.status, again.bytes.toString()]).toEqual([
        name,
        first.status,
        first.bytes.toString(),
      ])
      expect([name, again.headers.get('idempotent-replayed')]).toEqual([name, 'true'])
      expect([name, again.headers.get('x-request-id')]).toEqual([name, first.headers.get('x-request-id')])
    } else {
      expect([name, again.status, codeOf(again)]).toEqual([name, 409, 'REQUEST_ALREADY_ACCEPTED'])
      expect([name, receiptOf(again)]).toEqual([name, first.headers.get('x-request-id')])
      expect([name, again.headers.get('x-should-retry')]).toEqual([name, 'false'])
    }
    for (const other of otherBodies(route, options)) {
      const refused = await this.send(method, target, other)
      expect([name, refused.status, codeOf(refused)]).toEqual([name, 409, 'IDEMPOTENCY_CONFLICT'])
      expect([name, refused.headers.get('x-should-retry')]).toEqual([name, 'false'])
      this.#conflicted.add(nameOf(route))
    }
    expect([name, await this.#effects(route, first)]).toEqual([name, before])
    const key = options.headers!['idempotency-key']
    const receipts = await this.#db.query('select from ledger.receipts where idempotency_key = $1', [key])
    expect([name, receipts.rowCount]).toEqual([name, 1])
  }
}

/** Whose rows come to be by requests alone. */
const madeByRequests = [
  ...['agents.agents', 'app_users.one_time_tokens', 'batches.batches', 'clouds.clouds', 'clouds.keys'],
  ...[
    'collections.collections',
    'collections.rows',
    'databases.backups',
    'databases.restores',
    'files.files',
  ],
  ...[
    'functions.functions',
    'functions.secrets',
    'functions.versions',
    'knowledge.projects',
    'knowledge.sources',
  ],
  ...[
    'realtime.calls',
    'realtime.client_secrets',
    'sites.sites',
    'sites.versions',
    'sites.domains',
    'videos.jobs',
  ],
  ...['webhooks.connections', 'work.runs'],
]
const rowsMade = {
  name: 'rows made by requests',
  text: `select ${madeByRequests.map((table) => `(select count(*) from ${table}) as "${table}"`).join(', ')}`,
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`

const kindOf = ({ headers }: RawAnswer): string => {
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('application/json')) return 'json'
  return type.startsWith('text/event-stream') ? 'stream' : 'bytes'
}

const codeOf = ({ bytes }: RawAnswer): string | undefined => JSON.parse(bytes.toString()).error?.code
const receiptOf = ({ bytes }: RawAnswer): string | undefined => JSON.parse(bytes.toString()).error?.receipt_id

/** The request with another body that fits its schema, where there is one. */
function otherBodies(route: Route, options: RequestOptions): RequestOptions[] {
  const { json, raw } = options
  if (raw?.body instanceof FormData) return [{ ...options, raw: { ...raw, body: otherForm(raw.body) } }]
  if (!route.body || raw) return []
  const fits = mismatch(route.body)
  for (const other of changes(json ?? {}, route.body as Shape))
    if (fits(other) === undefined) return [{ ...options, json: other }]
  return []
}

interface Shape {
  properties?: Record<string, Shape>
  enum?: unknown[]
  anyOf?: Shape[]
}

/** The value with one leaf changed, each in turn; then with one field more. */
function* changes(value: unknown, shape: Shape | undefined): Generator<unknown> {
  if (typeof value === 'string')
    yield* [`${value}x`, ...[shape, ...(shape?.anyOf ?? [])].flatMap((one) => one?.enum ?? [])]
  if (typeof value === 'number') yield value + 1
  if (typeof value === 'boolean') yield !value
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value))
    for (const changed of changes(member, shape?.properties?.[name])) {
      if (changed === member) continue
      if (Array.isArray(value)) yield value.with(Number(name), changed)
      else yield { ...value, [name]: changed }
    }
  for (const [name, member] of Object.entries(shape?.properties ?? {}))
    if (!(name in value)) yield { ...value, [name]: sampleOf(member as TSchema) }
}

function otherForm(form: FormData): FormData {
  const other = new FormData()
  for (const [name, value] of form)
    if (typeof value === 'string') other.append(name, value)
    else other.append(name, new Blob([value, 'x'], { type: value.type }), value.name)
  return other
}

const hasFields = ({ body, upload }: Route): boolean =>
  upload !== undefined || Object.keys((body as Shape | undefined)?.properties ?? { oneOf: 1 }).length > 0
