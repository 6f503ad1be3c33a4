/** A world whose log, metrics and spans are all seen, down to the last word. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createAccount, createKey, createProject, scopes } from '#platform/auth'
import type { Clock } from '#platform/clock'
import { type Config, readEnv } from '#platform/config'
import { uuidv7 } from '#platform/ids'
import { grant } from '#platform/ledger'
import { openLog } from '#platform/log'
import { loadConfig } from '#settings'
import { startKherad } from '../../../src/server.ts'
import { Client } from '../../harness/client.ts'
import { cloneDatabase } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { type FakeUpstream, fakeUpstream } from '../../harness/upstream.ts'
import { whileHere } from '../../harness/while-here.ts'
import { patience, upstreamConfig } from '../../harness/world.ts'
import { temporaryFolder } from '../db/cluster-world.ts'

/** A span as OTLP's JSON has it. */
export interface SeenSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number }
  attributes: Record<string, unknown>
}

export interface Collector extends AsyncDisposable {
  url: string
  /** Every body, as it came. */
  bodies: string[]
  spans(): SeenSpan[]
  resource(): Record<string, unknown>
}

type Attributes = { key: string; value: Record<string, unknown> }[]

const plain = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))

function plainValue(value: Record<string, unknown>): unknown {
  const list = value['arrayValue'] as { values: Record<string, unknown>[] } | undefined
  if (list) return list.values.map(plainValue)
  return 'intValue' in value ? Number(value['intValue']) : Object.values(value)[0]
}

interface Body {
  resourceSpans: {
    resource: { attributes: Attributes }
    scopeSpans: { spans: (Omit<SeenSpan, 'attributes'> & { attributes: Attributes })[] }[]
  }[]
}

/** A real OTLP receiver over HTTP with JSON. */
export async function otlpCollector(): Promise<Collector> {
  const bodies: string[] = []
  const server = createServer(
    whileHere(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const isSpans = request.method === 'POST' && request.url === '/v1/traces'
      if (isSpans) bodies.push(Buffer.concat(parts).toString('utf8'))
      response.writeHead(isSpans ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const read = () => bodies.flatMap((body) => (JSON.parse(body) as Body).resourceSpans)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans: () =>
      read()
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span) => ({ ...span, attributes: plain(span.attributes) })),
    resource: () => plain(read()[0]?.resource.attributes ?? []),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export interface Watched extends AsyncDisposable {
  url: string
  key: Client
  upstream: FakeUpstream
  second: FakeUpstream
  collector: Collector
  databaseUrl: string
  /** Lines of the log at level trace. */
  lines: string[]
  /** The one line of a request, once it is written. */
  line(requestId: string): Promise<Record<string, unknown>>
  /** What Prometheus would see. */
  metrics(): Promise<string>
  /** Stops the server, which sends the last spans. */
  stop(): Promise<void>
}

/** `test/model` on `fake`, then on `second`; prices in USD per million: 1 in, 2 out. */
export async function bootWatched(
  ask: {
    provider?: string
    credits?: bigint
    traces?: boolean
    clock?: Clock
    timing?: Partial<Config['timing']>
  } = {},
): Promise<Watched> {
  await using stack = new AsyncDisposableStack()
  const collector = stack.use(await otlpCollector())
  const upstream = stack.use(await fakeUpstream())
  const second = stack.use(await fakeUpstream())
  const database = stack.use(await cloneDatabase())
  // Not the folder of a developer, whose files belong to another database.
  const folder = stack.use(await temporaryFolder('watched-'))
  const env = readEnv({
    KHERAD_PORT: '0',
    KHERAD_DATA: path.join(folder.path, 'data'),
    DATABASE_URL: database.url,
    ...(ask.traces !== false && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }),
  })
  const lines: string[] = []
  const log = openLog('trace', { write: (line) => void lines.push(line) })
  const config = upstreamConfig(upstream.url, {
    provider: `${ask.provider ?? ''}
  - { id: second, base_url: "${second.url}", api_key: second-upstream-secret, dialects: [chat] }`,
    model: '',
  }).replace(
    '      - { provider: fake, model: upstream-model }',
    '      - { provider: fake, model: upstream-model }\n      - { provider: second, model: second-model, priority: 1 }',
  )
  const loaded = loadConfig(env, config)
  const kherad = stack.use(
    await startKherad({
      config: { ...loaded, timing: { ...loaded.timing, ...patience, ...ask.timing } },
      log,
      ...(ask.clock && { clock: ask.clock }),
    }),
  )
  const now = new Date()
  const made = await kherad.app.db.tx(async (tx) => {
    const account = await createAccount(tx, { name: 'test' }, now)
    const accountId = account.account_id
    const project = await createProject(tx, { accountId, name: 'test' }, now)
    const microcredits = ask.credits ?? 1_000_000_000n
    await grant(tx, { accountId, transferId: uuidv7(), microcredits, reason: 'test' }, now)
    return createKey(tx, { accountId, projectId: project.project_id, name: 'test', scopes }, now)
  })
  const key = new Client(kherad.server.url, made.secret, made.key_id)
  const owned = stack.move()
  return {
    url: kherad.server.url,
    key,
    upstream,
    second,
    collector,
    databaseUrl: database.url,
    lines,
    line: (requestId) =>
      until(() => {
        const mine = lines
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .filter((line) => line['request_id'] === requestId && line['operation'] !== undefined)
          .filter((line) => line['ms'] !== undefined)
        if (mine.length > 1) throw new Error(`${mine.length} lines for one request`)
        return mine[0]
      }),
    metrics: async () => (await key.get('/metrics')).text,
    stop: async () => kherad[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
