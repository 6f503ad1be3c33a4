/** Reads the environment, starts, prints the welcome text, waits for a signal, and stops in order. Imported by main.ts. */
import cluster from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import { type BuildState, buildIfStale } from '#account/console-build'
import type { App } from '#app'
import { sharedParent } from '#platform/apps'
import { repetitions, steadyClock } from '#platform/clock'
import { type Config, readConfigFile, readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { type Log, openLog } from '#platform/log'
import { release } from '#platform/release'
import { loadConfig, loadFunctionsHostConfig } from '#settings'
import { routes } from './capabilities.ts'
import { functionsWelcome, refuseSecrets, startFunctionsHost } from './functions-host.ts'
import { refusal, takenApps, welcome } from './phrases.ts'
import { checkListenable, startKherad, voiceDrainMs, warnOfTakenPort } from './server.ts'
import { warmUp } from './warm.ts'
import { forkWorkers, type WorkerReadyMessage } from './workers.ts'

/** npm forwards the Ctrl-C that the terminal has already sent to this process: a signal this soon after the first is a duplicate. */
const echoMs = 1000
/** The time after a drain in which results are settled and connections are closed. */
const closingMs = 1500
const lookMs = 100
const preparingAfterMs = 2_000

const env = readEnv(process.env, process.argv.slice(2))
// Signals are handled from the beginning: after a Ctrl-C the start completes first, so that no PostgreSQL is left behind.
const stop = listenForStop()
let serving = false
try {
  if (env.role === 'functions') await runFunctionsHost()
  const config = loadConfig(env, readConfigFile(env))
  const isAppsTaken = cluster.isPrimary && (await checkListenable(config))
  const building = cluster.isPrimary && config.roles.api ? buildIfStale() : undefined
  if (config.workers > 1 && cluster.isPrimary) await runWorkers(config, isAppsTaken, await building)
  else await runAlone(config, building)
  process.exit(0)
} catch (error) {
  // Ctrl-C also reaches child processes of the start; their errors are then not start failures.
  if (stop.wasRequested() && !serving) process.exit(130)
  if (!(error instanceof StartRefused) && !isListenError(error)) throw error
  process.stderr.write(refusal(error as Error, env))
  process.exit(1)
}

/** Runs functions for the API, until a signal, and ends the process. */
async function runFunctionsHost(): Promise<never> {
  refuseSecrets(env)
  const config = loadFunctionsHostConfig(env, readConfigFile(env))
  const host = await startFunctionsHost(config)
  host.log.info({ release }, 'started')
  process.stdout.write(functionsWelcome(host, config))
  serving = true
  const signal = await stop.firstSignal
  host.log.info({ signal }, 'stopping')
  endIfItHangs(config, () => false)
  await host[Symbol.asyncDispose]()
  process.exit(0)
}

/** The whole platform in this process: the only one, or one of several workers. */
async function runAlone(config: Config, building: Promise<BuildState> | undefined): Promise<void> {
  const kherad = await startKherad({ config })
  warnOfConsole(kherad.app.log, await building)
  const text = welcome(kherad, await sharedParent(config))
  if (cluster.isWorker) notifyParent({ kherad: 'ready', welcome: text })
  else process.stdout.write(text)
  kherad.app.log.info({ release }, 'started')
  serving = true
  const preparing = new AbortController()
  if (config.roles.api || config.roles.voice) void warmUpProcess(kherad.app, preparing.signal)
  const signal = await stop.firstSignal
  preparing.abort()
  kherad.app.log.info({ signal }, 'stopping')
  endIfItHangs(config, () => kherad.app.ledger.isStoring())
  await kherad[Symbol.asyncDispose]()
}

/**
 * Makes what later requests would wait for: their schemas, the port and the codecs of calls, and a try of the jail, which says in the log whether
 * functions run here. It begins after a pause, so that the requests which come as soon as the server is ready have the processor; they make what they
 * need themselves.
 */
async function warmUpProcess(app: App, signal: AbortSignal): Promise<void> {
  const { config, log, functions, realtime, webrtc } = app
  await pause(preparingAfterMs, undefined, { signal }).catch(() => undefined)
  if (config.roles.api) await warmUp(routes, log, signal)
  if (!signal.aborted && realtime.capacity > 0) await Promise.all([webrtc.open(), realtime.codecs.warm()])
  if (!signal.aborted && config.roles.api) await functions.state()
}

/** Notifies the parent, unless it has died in the meantime. */
function notifyParent(ready: WorkerReadyMessage): void {
  if (process.connected) process.send?.(ready, undefined, undefined, () => {})
}

/** Logs that the console could not be built: the API serves all the same. */
function warnOfConsole(log: Log, build: BuildState | undefined): void {
  if (build && 'why' in build) log.warn({ console: build.state, why: build.why }, 'the console was not built')
}

/** Runs the workers. They share every port with each other, and so with any program of this user that allows it: a taken one is found here. */
async function runWorkers(
  config: Config,
  isAppsTaken: boolean,
  build: BuildState | undefined,
): Promise<void> {
  const log = openLog(config.logLevel)
  warnOfConsole(log, build)
  if (isAppsTaken) warnOfTakenPort(log, config)
  const workers = await forkWorkers(config, log, {
    env: isAppsTaken ? { KHERAD_APPS_PORT: 'off' } : {},
    print: (text) => process.stdout.write(isAppsTaken ? text + takenApps(config) : text),
  })
  if (!workers) process.exit(1)
  serving = true
  await stop.firstSignal
  // Only the workers know whether a result is being stored.
  endIfItHangs(config, () => true)
  await workers.stop()
}

/**
 * Ends the process when its time is over. The time of a drain is counted from the last moment at which a result was being stored. The next start
 * recovers. Time in which this process stood still is not counted, since it could end nothing.
 */
function endIfItHangs(config: Config, isStoring: () => boolean): void {
  const { roles, timing } = config
  let lookedMs = steadyClock.nowMs()
  let nowMs = 0
  let endMs = timing.drainMs + (roles.voice && !roles.api ? voiceDrainMs(config) : 0)
  repetitions.every(lookMs, 'end of a stop that hangs', async () => {
    const passedMs = steadyClock.nowMs() - lookedMs
    lookedMs += passedMs
    nowMs += Math.min(passedMs, 2 * lookMs)
    if (isStoring()) endMs = Math.max(endMs, Math.min(nowMs + timing.drainMs, timing.storedDrainMs))
    if (nowMs > endMs + closingMs) process.exit(1)
  })
}

/** `firstSignal` gives the first signal; a second one ends the process at once. */
function listenForStop(): { firstSignal: Promise<NodeJS.Signals>; wasRequested: () => boolean } {
  const first = Promise.withResolvers<NodeJS.Signals>()
  let firstMs: number | undefined
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    // The handler is never removed: without one a signal would end the process immediately.
    process.on(name, () => {
      firstMs ??= steadyClock.nowMs()
      if (steadyClock.nowMs() - firstMs > echoMs) process.exit(130)
      first.resolve(name)
    })
  }
  // Node would end a worker immediately when its parent dies. This worker finishes its work first, as after a signal.
  if (cluster.isWorker)
    process.prependListener('disconnect', () => {
      cluster.worker!.exitedAfterDisconnect = true
      first.resolve('SIGTERM')
    })
  return { firstSignal: first.promise, wasRequested: () => firstMs !== undefined }
}

/** Whether the error is of the address to listen on: taken, not allowed, not of this machine, or a name that does not resolve. */
function isListenError(error: unknown): boolean {
  const { code, syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string }
  if (syscall === 'getaddrinfo') return hostname === env.host
  return code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL'
}
