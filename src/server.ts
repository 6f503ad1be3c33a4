/** One process of the platform: its App, served by HTTP, and its background work. */

import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { consolePages } from '#account/console'
import { metricsRoutes } from '#account/health'
import { createFirstAccount, type FirstStart } from '#account/identity'
import { offerFirstLink } from '#account/invitations'
import type { App } from '#app'
import type { Discovery } from '#core/models'
import { type Apps, AppsZone, type HostHandler, openApps, refusingZone, sharedApps } from '#platform/apps'
import { steadyClock } from '#platform/clock'
import type { Config } from '#platform/config'
import { duringStart } from '#platform/db'
import { openServer, type Server, type Violation } from '#platform/http'
import { startWorkers } from '#platform/jobs'
import type { Log } from '#platform/log'
import { startVoiceHost } from '#voice/realtime-routes'
import { apps, background, everywhere, jobs, routes } from './capabilities.ts'
import { type AppOptions, openApp } from './open-app.ts'

export interface Kherad extends AsyncDisposable {
  readonly app: App
  readonly server: Server
  /** The server of the metrics, where they have a port of their own. */
  readonly metricsServer: Server | undefined
  /** The second listener; undefined where this process has none, or where its port was taken. */
  readonly apps: Apps | undefined
  /** Set on the first start of an empty database. */
  readonly first: FirstStart | undefined
  /** The one-time link of the first person, while there is no person; `recent` where another start has just printed one. */
  readonly firstLink: string | 'recent' | undefined
  readonly discovered: Discovery
}

export interface StartOptions extends AppOptions {
  /** See `ServerOptions`. */
  onViolation?: (violation: Violation) => void
  /** Further handlers of hosts on the second listener, beside those of the capabilities. */
  hostHandlers?: (app: App) => HostHandler[]
}

/** Starts one process of the platform. Disposing it drains open answers, settles what is left and closes the database last. */
export async function startKherad(options: StartOptions): Promise<Kherad> {
  const { config } = options
  await using opening = new AsyncDisposableStack()
  const { app, discovered } = await openApp(options, opening)
  const first = await duringStart(app.db, () => createFirstAccount(app, config.bootstrapKey))
  const listeners = await openListeners(options, app)
  const firstLink = isFirstProcess(app) ? await duringStart(app.db, () => offerFirstLink(app)) : undefined
  const voiceHost = await duringStart(app.db, () => startVoiceHost(app))
  const serving = [
    ...listenersOf(listeners, config),
    ...startBackground(app),
    ...(voiceHost ? [voiceHost] : []),
  ]
  opening.defer(() => drain(app, serving))
  const open = opening.move()
  return {
    app,
    ...listeners,
    first,
    firstLink,
    discovered,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Whether this process prints the welcome of a start that people can reach: the only one, or the first of the workers. A copy takes no people in. */
const isFirstProcess = ({ config, installation }: App): boolean =>
  config.roles.api && !installation.copy && (!cluster.isWorker || cluster.worker?.id === 1)

/** How long calls go on at a stop. A process that also answers requests gives calls the same time as anything else. */
export const voiceDrainMs = ({ roles, timing, voice }: Config): number =>
  roles.api ? timing.drainMs : voice.drainSeconds * 1000

/** Waits until requests, jobs and calls have ended. Calls whose result is stored have more time, even if their caller has left. */
async function drain({ config, ledger, realtime }: App, serving: readonly AsyncDisposable[]): Promise<void> {
  const callsOver = realtime.drain(voiceDrainMs(config))
  // Health and metrics of a process that only holds calls are served until the calls end.
  if (!config.roles.api) await callsOver
  const endMs = steadyClock.nowMs() + config.timing.storedDrainMs
  await Promise.all([callsOver, ...serving.map((one) => one[Symbol.asyncDispose]())])
  await ledger.whenStored(Math.max(0, endMs - steadyClock.nowMs()))
}

/** Starts the background work of this process. A copy has none: its jobs, webhooks and mails are those of its original. */
const startBackground = (app: App): AsyncDisposable[] =>
  app.installation.copy
    ? []
    : [
        ...(app.config.roles.worker
          ? [startWorkers({ app, jobs }), ...background.map((start) => start(app))]
          : []),
        ...everywhere.map((start) => start(app)),
      ]

type Listeners = Pick<Kherad, 'server' | 'metricsServer' | 'apps'>

/** The listeners to dispose. A server whose port is shared ends with its second zone. */
const listenersOf = (
  { server, metricsServer, apps }: Listeners,
  { apps: { sharedPort } }: Config,
): AsyncDisposable[] =>
  [metricsServer, apps, apps && sharedPort ? undefined : server].filter((one) => one !== undefined)

/** Opens the server of everything, that of the metrics where they have a port of their own, and that of strangers' content. */
async function openListeners(options: StartOptions, app: App): Promise<Listeners> {
  const { config, onViolation } = options
  const { metrics } = config
  const listening = { app, isWorker: cluster.isWorker, ...(onViolation && { onViolation }) }
  // A worker-only process still serves health and metrics.
  const served = config.roles.api ? routes : routes.filter(({ scope }) => scope === 'public')
  const zone = zoneOf(options, app)
  const server = await openServer({
    ...listening,
    routes: metrics.port === undefined ? served : served.filter(({ path }) => path !== '/metrics'),
    host: config.host,
    port: config.port,
    pages: config.roles.api ? consolePages() : undefined,
    sharedZone: config.apps.sharedPort ? zone : refusingZone(app),
  })
  if (config.port === 0) learnPort(config, server)
  const { port, host = config.host } = metrics
  const metricsServer =
    port === undefined ? undefined : await openServer({ ...listening, routes: metricsRoutes, host, port })
  return { server, metricsServer, apps: zone && (await openAppsListener(app, zone, server)) }
}

/** Writes the port that the system chose into the config, since addresses of this server need it from here on. */
function learnPort(config: Config, { port, url }: Server): void {
  config.port = port
  if (!config.baseUrlNamed) config.baseUrl = url
}

const zoneOf = ({ config, hostHandlers }: StartOptions, app: App): AppsZone | undefined =>
  config.roles.api && config.apps.listens
    ? new AppsZone({ app, handlers: [...apps.map((open) => open(app)), ...(hostHandlers?.(app) ?? [])] })
    : undefined

/** Opens the listener of strangers' content. Where its port is taken and the operator has named none, the API serves without it. */
async function openAppsListener(app: App, zone: AppsZone, server: Server): Promise<Apps | undefined> {
  const { apps } = app.config
  if (apps.sharedPort) return sharedApps(server, zone)
  try {
    const opened = await openApps({ app, zone, isWorker: cluster.isWorker })
    // Where the system chose the port, addresses of sites and clouds need it from here on.
    apps.port = opened.port
    return opened
  } catch (error) {
    await zone[Symbol.asyncDispose]()
    if (apps.portNamed) throw error
    warnOfTakenPort(app.log, app.config)
    return undefined
  }
}

/** Logs that the API serves without the second listener. */
export function warnOfTakenPort(log: Log, { apps: { port } }: Config): void {
  log.warn({ port }, 'the port of sites and clouds is taken: they are not served; set KHERAD_APPS_PORT')
}

/**
 * Throws if a port is taken, before anything is created: the key of a first start is shown only once, by a server that runs. Returns whether the port
 * of sites and clouds is taken, which stops the start only where the operator has named that port.
 */
export async function checkListenable({ host, port, metrics, apps, roles }: Config): Promise<boolean> {
  // All probes are held at once, so that two listeners on one port are found too: workers would share it.
  await using probes = new AsyncDisposableStack()
  probes.use(await probePort(host, port))
  if (metrics.port !== undefined) probes.use(await probePort(metrics.host ?? host, metrics.port))
  if (!roles.api || !apps.listens || apps.sharedPort) return false
  try {
    probes.use(await probePort(host, apps.port))
    return false
  } catch (error) {
    if (apps.portNamed) throw error
    return true
  }
}

async function probePort(host: string, port: number): Promise<AsyncDisposable> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      probe.close()
      await once(probe, 'close')
    },
  }
}
