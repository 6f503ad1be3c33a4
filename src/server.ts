/** One process of the platform: its App, served by HTTP, and its background work. */

import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { App } from '#app'
import { metricsRoutes } from '#capabilities/health'
import { type FirstStart, makeFirst } from '#capabilities/identity'
import type { Discovery } from '#engine/models'
import type { Config } from '#platform/config'
import { duringStart } from '#platform/db'
import { openServer, type Server, type Violation } from '#platform/http'
import { startWorkers } from '#platform/jobs'
import { background, everywhere, jobs, routes } from './capabilities.ts'
import { type AppOptions, openApp } from './open-app.ts'

export interface Kherad extends AsyncDisposable {
  readonly app: App
  readonly server: Server
  /** Where the metrics have a port of their own. */
  readonly metricsServer: Server | undefined
  /** Set on the first start of an empty database. */
  readonly first: FirstStart | undefined
  readonly discovered: Discovery
}

export interface StartOptions extends AppOptions {
  /** See `ServerOptions`. */
  onViolation?: (violation: Violation) => void
}

/** Starts one process of the platform. Disposing it drains open answers, settles what is left and closes the database last. */
export async function startKherad(options: StartOptions): Promise<Kherad> {
  const { config } = options
  await using opening = new AsyncDisposableStack()
  const { app, discovered } = await openApp(options, opening)
  const first = await duringStart(app.db, () => makeFirst(app, config.bootstrapKey))
  const { server, own: metricsServer } = await openServers(options, app)
  const workers = startBackground(app)
  const serving = [server, ...(metricsServer ? [metricsServer] : []), ...workers]
  opening.defer(() => drain(app, serving))
  const open = opening.move()
  return { app, server, metricsServer, first, discovered, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Requests and jobs have the same time to finish; calls whose result is stored have more, also those whose caller has left. */
async function drain({ config, ledger }: App, serving: readonly AsyncDisposable[]): Promise<void> {
  const endMs = performance.now() + config.timing.storedDrainMs
  await Promise.all(serving.map((one) => one[Symbol.asyncDispose]()))
  await ledger.stored(Math.max(0, endMs - performance.now()))
}

const startBackground = (app: App): AsyncDisposable[] => [
  ...(app.config.roles.worker ? [startWorkers({ app, jobs }), ...background.map((start) => start(app))] : []),
  ...everywhere.map((start) => start(app)),
]

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

/** Throws if the port is taken, before anything is created: the key of a first start is shown only once, by a server that runs. */
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
