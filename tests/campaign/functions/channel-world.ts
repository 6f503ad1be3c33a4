/** Hosts of functions in this process, whose runtime is scripted, and the API's side of the channel to them. */
import { Readable } from 'node:stream'
import type { CloudKey } from '#cloud/clouds'
import type { CloudProgram, FunctionCall, FunctionRuntime, LogLine, RuntimeState } from '#cloud/functions'
import {
  channelSeries,
  type FunctionsHost,
  type HostLinks,
  openFunctionsHost,
  openRemoteFunctions,
} from '#cloud/functions'
import { openMetrics } from '#platform/metrics'
import { silent } from '../../cloud/broker/egress.ts'

export const keyOf = (letter: string): string => letter.repeat(43)

export const cloud = (number: number): CloudKey & { ref: string } => ({
  accountId: '00000000-0000-7000-8000-000000000001',
  cloudId: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
  ref: `ref${number}`,
})

export const callOf = (number: number, more: Partial<FunctionCall> = {}): FunctionCall => ({
  ...cloud(number),
  revision: 1,
  name: 'hello',
  requestId: '00000000-0000-7000-8000-0000000000aa',
  method: 'POST',
  url: 'http://ref.localhost/functions/v1/hello',
  headers: [['x-a', 'سلام']],
  body: undefined,
  depth: 0,
  plan: 'starter',
  signal: new AbortController().signal,
  ...more,
})

export const programOf = (key: CloudKey & { revision: number }): CloudProgram => ({
  ...key,
  ref: 'ref',
  plan: 'starter',
  cloudUrl: 'http://ref.localhost',
  functions: [{ name: 'hello', version: 1, bundle: 'export default {}' }],
  bindings: { SECRET: `secret of ${key.cloudId} at ${key.revision}` },
  secretValues: [],
})

export type Script = (call: FunctionCall, links: HostLinks) => Promise<{ status: number; body: Readable }>

export interface ScriptedHost {
  host: FunctionsHost
  url: string
  /** Calls that it took. */
  calls: FunctionCall[]
  forgotten: string[]
  metrics: () => Promise<string>
}

export async function scriptedHost(
  script: Script,
  options: {
    key?: string
    port?: number
    version?: string
    state?: () => RuntimeState | Promise<RuntimeState>
    stateMs?: number
  } = {},
): Promise<ScriptedHost> {
  const calls: FunctionCall[] = []
  const forgotten: string[] = []
  const openRuntime = (links: HostLinks): FunctionRuntime => ({
    state: async () => options.state?.() ?? { kind: 'jailed' },
    tryOut: async (program, name) => ({
      works: false,
      message: `${program.bindings['SECRET']} ${name}`,
      line: 3,
      column: 4,
    }),
    call: async (call) => {
      calls.push(call)
      return { headers: [['x-b', 'ب']], ...(await script(call, links)) }
    },
    forget: async ({ cloudId }) => void forgotten.push(cloudId),
    [Symbol.asyncDispose]: async () => {},
  })
  const metrics = openMetrics(channelSeries)
  const host = await openFunctionsHost({
    key: options.key ?? keyOf('k'),
    host: '127.0.0.1',
    port: options.port ?? 0,
    version: options.version ?? '1',
    ...{ log: silent, metrics, stateMs: options.stateMs ?? 20 },
    openRuntime,
  })
  return { host, url: `https://127.0.0.1:${host.port}`, calls, forgotten, metrics: () => metrics.text() }
}

/** The clock of the API, which that of a host does not follow. */
export const platformNowMs = Date.UTC(2026, 10, 26)

export interface PlatformRecord {
  logged: { cloud: CloudKey; lines: readonly LogLine[] }[]
  programs: (CloudKey & { revision: number })[]
  spent: number[]
  refunded: number[]
  egressLeft: number
}

export function platform(hosts: readonly { url: string; key?: string }[], more: { silentMs?: number } = {}) {
  const metrics = openMetrics(channelSeries)
  const record: PlatformRecord = { logged: [], programs: [], spent: [], refunded: [], egressLeft: 1_000_000 }
  const runtime = openRemoteFunctions(
    hosts.map(({ url, key = keyOf('k') }) => ({ url, key })),
    {
      clock: { nowMs: () => platformNowMs },
      ...more,
      ...{ log: silent, metrics },
      version: '1',
      source: {
        program: async (asked) => {
          record.programs.push(asked)
          return programOf(asked)
        },
        log: (key, lines) => void record.logged.push({ cloud: key, lines }),
      },
      egress: {
        take: (_key, bytes) => {
          if (bytes > record.egressLeft) return false
          record.egressLeft -= bytes
          record.spent.push(bytes)
          return true
        },
        refund: (_key, bytes) => void record.refunded.push(bytes),
      },
      hello: async () => ({
        depths: ['1.a', '2.b'],
        platformOrigins: ['https://ai.example.test'],
        pathOrigins: [],
      }),
    },
  )
  return { runtime, record, metrics: () => metrics.text() }
}

export async function textOf(body: Readable): Promise<string> {
  let text = ''
  for await (const chunk of body.setEncoding('utf8')) text += chunk
  return text
}

export const saying = (text: string): { status: number; body: Readable } => ({
  status: 207,
  body: Readable.from([Buffer.from(text)]),
})
