/** The same runtime without a jail and without limits: what a probe does where nothing stops it. */
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { Registry } from 'prom-client'
import { type FunctionRuntime, functionSeries, type LogLine, openFunctionRuntime } from '#engine/functions'

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

export interface FreeRuntime extends AsyncDisposable {
  /** The text that this code answers. */
  answer(code: string): Promise<string>
  readonly lines: LogLine[]
}

export function openFreeRuntime(): FreeRuntime {
  const lines: LogLine[] = []
  const bundles = new Map<string, string>()
  const runtime: FunctionRuntime = openFunctionRuntime({
    config: { mode: 'unsafe_dev', processes: 10, hosts: [] },
    log: silent,
    metrics: functionSeries(new Registry()) as never,
    source: {
      async program(cloud) {
        const bundle = bundles.get(cloud.cloudId)!
        const functions = [{ name: 'probe', version: 1, bundle }]
        return {
          ...cloud,
          ref: 'free',
          cloudUrl: 'http://free.invalid',
          functions,
          bindings: {},
          secretValues: [],
        }
      },
      log: (_cloud, more) => void lines.push(...more),
    },
    openEgress: async (_program, socketPath) => ({
      socketPath,
      begin: () => ({ open: 0, waitedMs: () => 0, end() {} }),
      async [Symbol.asyncDispose]() {},
    }),
    limits: {
      cpuMs: 1e9,
      ownMs: 1e9,
      heapMb: 2_000,
      residentBytes: 1e12,
      bodyBytes: 5_000_000,
      headerBytes: 1_000_000,
      atOnce: 200,
      linesPerSecond: 1e9,
      outputBytesPerSecond: 1e9,
    },
  })
  return {
    lines,
    async answer(code) {
      const cloud = { accountId: 'free', cloudId: randomUUID() }
      bundles.set(cloud.cloudId, code)
      const answer = await runtime.call({
        ...{ ...cloud, ref: 'free', revision: 1, name: 'probe', requestId: randomUUID(), method: 'GET' },
        ...{ url: 'http://free.invalid/probe', headers: [], body: undefined, depth: 0 },
        signal: new AbortController().signal,
      })
      const said = await text(answer.body)
      await runtime.forget(cloud)
      return said
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  }
}
