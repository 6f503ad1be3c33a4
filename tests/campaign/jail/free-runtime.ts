/** The same runtime without a jail and without limits: what a probe does where nothing stops it. */
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Registry } from 'prom-client'
import {
  type CloudEgress,
  type FunctionRuntime,
  functionSeries,
  type LogLine,
  type openBroker,
  openFunctionRuntime,
} from '#cloud/functions'
// It has been tested, which may take longer than a call waits for.
import { jail } from '../../cloud/jail/needs-jail.ts'

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

export interface FreeRuntime extends AsyncDisposable {
  /** The text that this code answers, in a cloud of its own that is gone afterwards. */
  answer(code: string): Promise<string>
  /** A cloud that stays. */
  cloudOf(code: string): FreeCloud
  /** How many processes of clouds there are. */
  processes(): Promise<number>
  readonly lines: LogLine[]
  /** What the runtime itself has warned of. */
  readonly warnings: unknown[][]
}

export interface FreeCloud {
  /** Of the first function, or of another one, which may be sent a body. */
  answer(nth?: number, body?: Buffer): Promise<string>
  forget(): Promise<void>
}

export interface FreeOptions {
  processes?: number
  idleMs?: number
  ownMs?: number
  /** In a jail and with the limits of every cloud after all. */
  isJailed?: boolean
  /** Of each cloud, all with the same code. */
  functions?: number
  atOnce?: number
  /** Opens the sockets through which functions send; without it nothing that they send arrives. */
  broker?: ReturnType<typeof openBroker>
}

/** A socket on which nobody listens. A jail shows it to its process. */
async function silentEgress(socketPath: string): Promise<CloudEgress> {
  await writeFile(socketPath, '')
  const call = { open: 0, hasBackground: false, waitedMs: () => 0 }
  return {
    socketPath,
    begin: () => ({ ...call, onBackground() {}, stop() {}, end() {} }),
    async [Symbol.asyncDispose]() {},
  }
}

export function openFreeRuntime({
  processes = 10,
  idleMs = 60_000,
  ownMs = 1e9,
  isJailed = false,
  functions: count = 1,
  atOnce = 200,
  broker,
}: FreeOptions = {}): FreeRuntime {
  const lines: LogLine[] = []
  const warnings: unknown[][] = []
  const bundles = new Map<string, string>()
  const registry = new Registry()
  const runtime: FunctionRuntime = openFunctionRuntime({
    ...{ config: { mode: isJailed ? 'jailed' : 'unsafe_dev', processes }, ...(isJailed && { jail }) },
    log: { ...silent, warn: (...said: unknown[]) => void warnings.push(said) },
    metrics: functionSeries(registry) as never,
    source: {
      async program(cloud) {
        const bundle = bundles.get(cloud.cloudId)!
        const functions = Array.from({ length: count }, (_, nth) => ({
          name: `probe${nth}`,
          version: 1,
          bundle,
        }))
        return {
          ...{ ...cloud, ref: 'free', plan: 'starter', cloudUrl: 'http://free.invalid' },
          ...{ functions, bindings: {}, secretValues: [] },
        }
      },
      log: (_cloud, more) => void lines.push(...more),
    },
    openEgress: (program, socketPath) =>
      broker ? broker.open(program, socketPath) : silentEgress(socketPath),
    limits: isJailed
      ? {}
      : {
          cpuMs: 1e9,
          ownMs,
          idleMs,
          heapMb: 2_000,
          residentBytes: 1e12,
          bodyBytes: 5_000_000,
          headerBytes: 1_000_000,
          atOnce,
          linesPerSecond: 1e9,
          outputBytesPerSecond: 1e9,
        },
  })
  const cloudOf = (code: string): FreeCloud => {
    const cloud = { accountId: 'free', cloudId: randomUUID() }
    bundles.set(cloud.cloudId, code)
    return {
      async answer(nth = 0, body) {
        const answer = await runtime.call({
          ...{
            ...cloud,
            ref: 'free',
            plan: 'starter',
            revision: 1,
            name: `probe${nth}`,
            requestId: randomUUID(),
          },
          ...{ method: body ? 'POST' : 'GET', url: 'http://free.invalid/probe', headers: [], depth: 0 },
          body: body && Readable.from([body]),
          signal: new AbortController().signal,
        })
        return text(answer.body)
      },
      forget: () => runtime.forget(cloud),
    }
  }
  return {
    lines,
    warnings,
    cloudOf,
    async answer(code) {
      const cloud = cloudOf(code)
      const said = await cloud.answer()
      await cloud.forget()
      return said
    },
    async processes() {
      const text = await registry.getSingleMetricAsString('kherad_function_processes')
      return Number(/^kherad_function_processes (\d+)/m.exec(text)?.[1] ?? 0)
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  }
}
