/** Composition: config → App → capabilities mounted on a listening server. */

import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App } from '#app'
import { metricsRoutes } from '#capabilities/health'
import { type FirstStart, makeFirst } from '#capabilities/identity'
import { openDocuments } from '#engine/documents'
import { buildCatalogue, type Discovery, discover } from '#engine/models'
import { openPipelines, type Pipelines } from '#engine/pipelines'
import { openInference } from '#engine/routing'
import { openPageCounter, openReader, openTools } from '#engine/tools'
import { openKeyRing } from '#platform/auth'
import { type Clock, systemClock } from '#platform/clock'
import type { Config } from '#platform/config'
import { openConfinement, openIsolation } from '#platform/confined'
import { type Db, migrate, openDb } from '#platform/db'
import { openServer, type Server, type Violation } from '#platform/http'
import { jobs, startWorkers } from '#platform/jobs'
import { openLedger } from '#platform/ledger'
import { type Log, openLog } from '#platform/log'
import { openMetrics } from '#platform/metrics'
import type { GuardedNet } from '#platform/net'
import { startEmbedded } from '#platform/postgres'
import { joinProcesses } from '#platform/processes'
import { type Outbound, openOutbound } from '#platform/proxy'
import { openSecrets } from '#platform/secrets'
import { openSpool } from '#platform/spool'
import { openStorage } from '#platform/storage'
import { openTracing, type TracingConfig, type TracingOptions } from '#platform/trace'
import { sandboxModels } from '#providers/sandbox'
import { openSearch } from '#providers/search'
import { jobs as allJobs, background, routes } from './capabilities.ts'
import { connect, openNet } from './connect.ts'
import { makeSeries } from './metrics.ts'

export interface Kherad extends AsyncDisposable {
  readonly app: App
  readonly server: Server
  /** Where the metrics have a port of their own. */
  readonly metricsServer: Server | undefined
  /** Set on the first start of an empty database. */
  readonly first: FirstStart | undefined
  readonly discovered: Discovery
}

export interface StartOptions {
  config: Config
  clock?: Clock
  log?: Log
  /** Instead of the guarded client of the config. */
  net?: GuardedNet
  /** Instead of the built-in pipelines. */
  pipelines?: Pipelines
  /** See `ServerOptions`. */
  onViolation?: (violation: Violation) => void
}

/** Starts one process of the platform. Disposing it drains open answers, settles what is left and closes the database last. */
export async function startKherad(options: StartOptions): Promise<Kherad> {
  const { config, clock = systemClock } = options
  const log = options.log ?? openLog(config.logLevel)
  await using opening = new AsyncDisposableStack()

  const db = await openDatabase(config, log, opening)
  const secrets = await openSecrets({
    db,
    log,
    secret: config.secret,
    file: path.join(config.dataDir, 'secret.key'),
  })
  const metrics = openMetrics(makeSeries, { isWorker: cluster.isWorker })
  metrics.pool.from(() => poolStates(db))
  const outbound = openOutbound(config)
  const tracing =
    config.tracing && opening.use(await openTracing(tracingOptions(config.tracing, outbound, log)))
  const discovered = await discover(config.vendors, outbound)
  const models = buildCatalogue(config, discovered, sandboxModels)
  const net = options.net ?? openNet(config, outbound, log)
  const upstreams = connect(models, net, outbound, opening)
  const processes = opening.use(await joinProcesses({ db, log, timing: config.timing }))
  const { thresholdsPercent } = config.budgets
  const ledger = opening.use(openLedger({ db, clock, log, processes, thresholdsPercent, metrics }))
  const keys = opening.use(
    openKeyRing({ db, clock, log, metrics, modelId: (name) => models.find(name)?.id ?? name }),
  )
  const inference = opening.use(openInference({ upstreams, models, clock, metrics, log }))
  const { webSearch } = config.tools
  const search = webSearch && opening.use(openSearch(webSearch, outbound.to(webSearch.baseUrl)))
  const isolation = openIsolation()
  const tools = openTools({ config, search, client: net, log, isolation })
  const storage = opening.use(
    openStorage({ folder: path.join(config.dataDir, 'files'), ...config.storage, egress: outbound.to }),
  )
  const spool = opening.use(
    await openSpool({ folder: path.resolve(config.dataDir, 'spool'), maxBytes: config.files.spoolBytes }),
  )
  const pipelines =
    options.pipelines ??
    openPipelines({
      documents: openDocuments(log, isolation),
      confine: openConfinement(log, undefined, isolation),
      confineData: openConfinement(log, dataPlaces, isolation),
    })
  const app: App = {
    config,
    db,
    clock,
    log,
    metrics,
    tracing,
    keys,
    processes,
    ledger,
    jobs,
    models,
    inference,
    tools,
    countPages: openPageCounter(log, isolation),
    reader: openReader({ client: net, log, isolation }),
    net,
    secrets,
    storage,
    spool,
    pipelines,
  }

  const first = await makeFirst(app, config.bootstrapKey)
  const { server, own: metricsServer } = await openServers(options, app)
  const { worker } = config.roles
  const workers = worker
    ? [startWorkers({ app, jobs: allJobs }), ...background.map((start) => start(app))]
    : []
  // Requests and jobs have the same time to come to an end.
  opening.defer(async () => {
    await Promise.all(
      [server, ...(metricsServer ? [metricsServer] : []), ...workers].map((one) =>
        one[Symbol.asyncDispose](),
      ),
    )
  })
  const open = opening.move()
  return { app, server, metricsServer, first, discovered, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const tracingOptions = (config: TracingConfig, outbound: Outbound, log: Log): TracingOptions => ({
  ...config,
  egress: outbound.to(config.endpoint),
  log,
})

/** The server of everything, and that of the metrics where they have a port of their own. */
async function openServers({ config, onViolation }: StartOptions, app: App) {
  const { metrics } = config
  const listening = { app, isWorker: cluster.isWorker, ...(onViolation && { onViolation }) }
  // A worker-only process still serves health and metrics.
  const served = config.roles.api ? routes : routes.filter(({ scope }) => scope === 'public')
  const server = await openServer({
    ...listening,
    routes: metrics.port === undefined ? served : served.filter(({ path }) => path !== '/metrics'),
    host: config.host,
    port: config.port,
  })
  if (metrics.port === undefined) return { server, own: undefined }
  const { port, host = config.host } = metrics
  return { server, own: await openServer({ ...listening, routes: metricsRoutes, host, port }) }
}

/** Reading a whole file of data takes a core or two and up to 2 GB. */
const dataPlaces = { working: 2, waiting: 64 }

/** Throws for a taken port before anything is made: the key of a first start is shown only once, by a server that runs. */
export async function checkListenable({ host, port, metrics }: Config): Promise<void> {
  await checkPortFree(host, port)
  if (metrics.port !== undefined) await checkPortFree(metrics.host ?? host, metrics.port)
}

async function checkPortFree(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

const poolStates = ({ pool }: Db) =>
  [
    [{ state: 'busy' }, pool.totalCount - pool.idleCount],
    [{ state: 'idle' }, pool.idleCount],
    [{ state: 'waiting' }, pool.waitingCount],
  ] as const

const migrations = fileURLToPath(new URL('../migrations', import.meta.url))

/** The database of the config, migrated: the named one, or our own below the data folder. */
export async function openDatabase(config: Config, log: Log, opening: AsyncDisposableStack): Promise<Db> {
  const url =
    config.databaseUrl ??
    opening.use(await startEmbedded({ dataDir: config.dataDir, pgBin: config.pgBin, log })).address
  const db = opening.use(await openDb({ url, log }))
  await migrate(db, migrations)
  return db
}
