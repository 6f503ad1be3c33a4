/**
 * Code of apps that runs beside their data: stored, compiled, and run in a jail (docs/decisions/cloud/functions.md). The jail is that of
 * docs/decisions/platform/jail.md.
 */
import type { Readable } from 'node:stream'
import type { CloudKey, LiveCloud } from '#cloud/clouds'
import type { Localized } from '#platform/errors'
import './remote/errors.ts'
import './phrases.ts'
import './runtime/errors.ts'

export type { FunctionsApp } from './app.ts'
export {
  type BrokeredCloud,
  type BrokerLimits,
  type CloudEgress,
  depthHeader,
  depthPurpose,
  depthSignatures,
  type EgressMeter,
  invocationHeader,
  maxCallDepth,
  openBroker,
  ownListeners,
  type PlatformListeners,
  protocolHeader,
  readDepth,
  signerFrom,
} from './broker/broker.ts'
export { brokerSeries } from './broker/metrics.ts'
export { type FunctionCompiler, openFunctionCompiler, type UsedPackage } from './compile/compile.ts'
export { installedPackages, installPackages, type OperatorPackage } from './compile/operator-packages.ts'
export {
  checkCode,
  deploy,
  keptVersions,
  removeFunction,
  requireFunction,
  requireRuntime,
  rollBack,
} from './deploy.ts'
export { levels as logLevels, readLines, type StoredLine } from './logs/log-store.ts'
export { type FunctionsHost, openFunctionsHost } from './remote/functions-host.ts'

export type { HostLinks } from './remote/host-link.ts'
export { HostMeter } from './remote/host-meter.ts'
export { channelVersion } from './remote/messages.ts'
export { channelSeries } from './remote/metrics.ts'
export type { PlatformServices } from './remote/platform-link.ts'
export { openRemoteFunctions } from './remote/remote-runtime.ts'

export { functionSeries } from './runtime/metrics.ts'
export { openFunctionRuntime } from './runtime/runtime.ts'
export { isReservedName, putSecret, removeSecret, sealValue } from './secrets.ts'

export { openFunctionSource, type PlatformFunctions } from './source.ts'
export {
  type FunctionRow,
  findFunction,
  findVersion as findFunctionVersion,
  functionCounts,
  listFunctions,
  type SecretRow,
  type ShownFunction,
  secretsOf,
  versionsOf as versionsOfFunction,
} from './store.ts'

/** All functions of a cloud with its secrets: what one process runs. */
export interface CloudProgram extends CloudKey {
  ref: string
  plan: LiveCloud['plan']
  /** Grows with every change; a process that runs an older one is replaced. */
  revision: number
  /** The address at which the app calls its cloud; `SUPABASE_URL` within functions. */
  cloudUrl: string
  functions: readonly ProgramFunction[]
  /** Bindings of every function: secrets, and what the platform adds (`SUPABASE_URL`, `SUPABASE_ANON_KEY`). */
  bindings: Readonly<Record<string, string>>
  /** Secret values that `FunctionSource.log` masks; a runtime need not mask them. */
  secretValues: readonly string[]
}

export interface ProgramFunction {
  name: string
  version: number
  /** One ES module without imports, whose default export has `fetch(request, env, context)`. */
  bundle: string
}

export interface FunctionCall extends CloudKey {
  ref: string
  plan: LiveCloud['plan']
  /** The least revision that may answer. */
  revision: number
  /** The name of the function. */
  name: string
  requestId: string
  method: string
  /** The address as the function sees it. */
  url: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Readable | undefined
  /** How many functions called each other up to here; 0 for a call from outside. */
  depth: number
  /** Aborts when the caller has gone. */
  signal: AbortSignal
}

export interface FunctionAnswer {
  status: number
  headers: readonly (readonly [name: string, value: string])[]
  body: Readable
}

/** Whether functions run here, and in what. */
export type RuntimeState =
  | { kind: 'jailed' }
  /** `functions: unsafe_dev`: without a jail, on a developer's own machine. */
  | { kind: 'unsafe_dev' }
  /** No jail can be built here, for this reason. */
  | { kind: 'refused'; why: Localized }

/** The result of trying out a program; line and column count from 1 in its bundle, where they are known. */
export type TryResult = { works: true } | { works: false; message: string; line?: number; column?: number }

export interface FunctionRuntime extends AsyncDisposable {
  /** Whether functions run here, found at the first call by trying to break out of a jail. */
  state(): Promise<RuntimeState>
  /** Starts the program in a process of its own and asks whether this function has a handler. Throws FUNCTIONS_UNAVAILABLE. */
  tryOut(program: CloudProgram, name: string): Promise<TryResult>
  /**
   * Runs a function. Throws FUNCTIONS_UNAVAILABLE, FUNCTION_NOT_FOUND, FUNCTION_BUSY, FUNCTION_TIMEOUT, FUNCTION_CPU_LIMIT,
   * FUNCTION_MEMORY_LIMIT, FUNCTION_CRASHED or FUNCTION_ANSWER_TOO_LARGE.
   */
  call(call: FunctionCall): Promise<FunctionAnswer>
  /** Ends the processes of a cloud's functions, and deletes what they left on this machine. */
  forget(cloud: CloudKey): Promise<void>
}

/** A line that a function has written. */
export interface LogLine {
  name: string
  level: 'debug' | 'info' | 'warn' | 'error'
  message: string
  requestId: string | null
  at: Date
}

/** What a runtime needs of the platform; a runtime on another host asks over the channel. */
export interface FunctionSource {
  /** The newest program of a cloud; undefined where the cloud is gone. */
  program(cloud: CloudKey & { revision: number }): Promise<CloudProgram | undefined>
  /** Masks secrets in lines and keeps the lines. Never throws; drops lines that are too many, and says so in a line. */
  log(cloud: CloudKey, lines: readonly LogLine[]): void
}
