/** A process of the role `functions`: it runs code of apps for the API, and has neither a database nor a key of the platform. */
import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import type { CloudKey } from '#cloud/clouds'
import {
  type CloudEgress,
  type CloudProgram,
  channelVersion,
  type FunctionsHost,
  type HostLinks,
  HostMeter,
  openBroker,
  openFunctionRuntime,
  openFunctionsHost,
  type PlatformListeners,
  signerFrom,
} from '#cloud/functions'
import type { Config, Env } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { Connections, openListener } from '#platform/http'
import { type Log, openLog } from '#platform/log'
import { type Metrics, openMetrics } from '#platform/metrics'
import { openOutbound } from '#platform/proxy'
import { release } from '#platform/release'
import { isBearerToken } from '#platform/secrets'
import { variables } from '#settings'
import { openNet } from './connect.ts'
import { functionsHostPhrases as phrases } from './functions-host-phrases.ts'
import { functionsHostSeries } from './metrics.ts'

export interface RunningFunctionsHost extends AsyncDisposable {
  readonly log: Log
  /** The address of health and metrics. */
  readonly url: string
  /** The port of the channel. */
  readonly port: number
}

/** Variables that a host of functions must not have in its environment: secrets of the platform. The proxies' secrets are allowed. */
const forbiddenVariables = variables.filter(
  ({ name, ...more }) =>
    'secret' in more && more.secret && !/_proxy$/i.test(name) && name !== 'KHERAD_FUNCTIONS_KEY',
)

/** Throws `StartRefused` if this machine has a secret of the platform, near which strangers' code must never be. */
export function refuseSecrets(env: Env): void {
  const found = forbiddenVariables.find(({ name }) => (env.variables[name] ?? '') !== '')
  if (found) refuse(phrases.forbidden(found.name))
  if (existsSync(path.join(env.dataDir, 'secret.key')))
    refuse(phrases.keyFile(path.join(env.dataDir, 'secret.key')))
}

const refuse = ({ en, fa }: { en: string; fa: string }): never => {
  throw new StartRefused(en, fa)
}

export async function startFunctionsHost(config: Config): Promise<RunningFunctionsHost> {
  const { key, port } = config.functionsHost
  if (key === undefined) return refuse(phrases.noKey)
  if (config.workers > 1) return refuse(phrases.workers)
  if (config.functions.hosts.length > 0) return refuse(phrases.hosts)
  await using opening = new AsyncDisposableStack()
  const log = openLog(config.logLevel)
  const metrics = openMetrics(functionsHostSeries)
  const openRuntime = (links: HostLinks) =>
    openFunctionRuntime({
      config: config.functions,
      log,
      metrics,
      source: links,
      openEgress: opening.use(openEgressOf(config, log, metrics, links)).open,
    })
  const host = await openFunctionsHost({
    key,
    host: config.host,
    port,
    version: channelVersion,
    log,
    metrics,
    openRuntime,
  })
  opening.defer(() => host.drain(config.timing.drainMs))
  const connections = new Connections()
  const health = await openListener(
    {
      host: config.host,
      port: config.port,
      serve: (message, response) =>
        void serve(message, response, { host, config, metrics }).catch((error: unknown) => {
          log.error({ err: error }, 'health or metrics of this host could not be answered')
          response.destroy()
        }),
    },
    connections,
  )
  opening.defer(() => health.drain({ drainMs: 1_000 }))
  const open = opening.move()
  return { log, url: health.url, port: host.port, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

type HostMetrics = ReturnType<typeof functionsHostSeries> & Pick<Metrics, 'text'>

/** Opens the broker that sends the requests of functions. Its allowances, signatures and addresses come from the API. */
function openEgressOf(config: Config, log: Log, metrics: HostMetrics, links: HostLinks) {
  const meters = new Map<string, HostMeter>()
  const meterOf = ({ accountId, cloudId }: CloudKey): HostMeter => {
    const meter = meters.get(cloudId) ?? new HostMeter(links, { accountId, cloudId })
    meters.set(cloudId, meter)
    return meter
  }
  const broker = openBroker({
    net: openNet(config, openOutbound(config), log),
    log,
    metrics,
    listeners: () => insideOf(config, links),
    depthSigner: async () => signerFrom(links.hello?.depths ?? []),
    egressOf: meterOf,
  })
  return {
    open: async (program: CloudProgram, socketPath: string): Promise<CloudEgress> => {
      const egress = await broker.open(program, socketPath)
      return {
        socketPath,
        begin: (id, depth) => egress.begin(id, depth),
        async [Symbol.asyncDispose]() {
          await egress[Symbol.asyncDispose]()
          meterOf(program).giveBack()
          meters.delete(program.cloudId)
        },
      }
    },
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  }
}

/** The machines inside the network that functions can reach: those that the operator has named, and no others. */
function insideOf({ functionsHost: { apiUrl, cloudsUrl } }: Config, { hello }: HostLinks): PlatformListeners {
  return {
    ...(apiUrl !== undefined && { api: { at: new URL(apiUrl), origins: hello?.platformOrigins ?? [] } }),
    ...(cloudsUrl !== undefined && {
      apps: { at: new URL(cloudsUrl), pathOrigins: hello?.pathOrigins ?? [] },
    }),
  }
}

interface ServedHost {
  host: FunctionsHost
  config: Config
  metrics: HostMetrics
}

/** Health and metrics, for whoever watches this host. */
async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  { host, config, metrics }: ServedHost,
): Promise<void> {
  const answer = (status: number, body: object): void => {
    response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(body))
  }
  const { token } = config.metrics
  if (message.url === '/health/live') return answer(200, { status: 'ok', release })
  if (message.url === '/health/ready') {
    const state = await host.runtime.state()
    return state.kind === 'refused'
      ? answer(503, { status: 'refused', why: state.why })
      : answer(200, { status: 'ok', release, functions: state.kind, connected: host.links.count })
  }
  if (
    message.url === '/metrics' &&
    (token === undefined || isBearerToken(message.headers.authorization, token))
  )
    return void response
      .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
      .end(await metrics.text())
  answer(404, { error: { message: phrases.nothing.en } })
}

export const functionsWelcome = ({ port, url }: RunningFunctionsHost, { host }: Config): string =>
  phrases.welcome({ url, channel: `${host}:${port}` })
