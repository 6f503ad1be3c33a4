/** Who is measured by `bench:stream`, and how what is alive in a server is counted. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { upstreamConfig } from '../tests/harness/config-text.ts'
import { until } from '../tests/harness/until.ts'
import type { Resources } from './resources-probe.ts'
import {
  commitOf,
  cpuSeconds,
  key,
  type Running,
  residentMegabytes,
  root,
  runBareProxy,
  runKherad,
  temporaryFolder,
} from './stage.ts'

export interface StreamSide {
  name: string
  url: string
  /** The server; undefined for the upstream. */
  pid: number | undefined
  /** Where the server writes what is alive in it. */
  resources: string
}

/** This code, the checkout beside it if there is one, a bare proxy, and the upstream alone. */
export async function startStreamSides(
  upstream: Running,
  beside: string | undefined,
  stack: AsyncDisposableStack,
): Promise<StreamSide[]> {
  const folder = await temporaryFolder(stack)
  const checkouts = [{ name: 'this code', checkout: root }]
  if (beside !== undefined)
    checkouts.push({ name: `before, ${commitOf(beside)}`, checkout: path.resolve(beside) })
  const sides: StreamSide[] = []
  for (const { name, checkout } of checkouts) {
    const data = path.join(folder, String(sides.length))
    const start = (env: Record<string, string>) => runStreaming(data, upstream.url, env, checkout)
    sides.push(await sideOf(name, data, start, stack))
  }
  const start = (env: Record<string, string>) => runBareProxy(upstream.url, env)
  sides.push(await sideOf('bare proxy', path.join(folder, 'proxy'), start, stack))
  return [...sides, { name: 'upstream alone', url: upstream.url, pid: undefined, resources: '' }]
}

async function sideOf(
  name: string,
  data: string,
  start: (env: Record<string, string>) => Promise<Running>,
  stack: AsyncDisposableStack,
): Promise<StreamSide> {
  const resources = `${data}.json`
  const options = `--import=${path.join(root, 'bench/resources-probe.ts')}`
  const { url, child } = stack.use(await start({ NODE_OPTIONS: options, BENCH_RESOURCES: resources }))
  return { name, url, pid: child.pid, resources }
}

async function runStreaming(
  data: string,
  upstreamUrl: string,
  env: Record<string, string>,
  checkout: string,
) {
  const config = path.join(data, 'stream.yaml')
  await mkdir(data, { recursive: true })
  await writeFile(config, upstreamConfig(`${upstreamUrl}/v1`, { model: long }))
  const quiet = { KHERAD_LOG_LEVEL: 'warn', KHERAD_CONFIG: config }
  return runKherad(data, upstreamUrl, { ...quiet, ...env }, checkout)
}

/** Its answers may be longer than what the buffers of two connections hold. */
const long = `
  - id: test/stream
    kind: text
    deployments: [{ provider: fake, model: upstream-model }]
    context_length: 128000
    max_output_tokens: 32768
    pricing: { input_per_million: 1.0, output_per_million: 2.0 }
`

/** A streamed call with this prompt. */
export const streamCall = ({ url }: StreamSide, content: string, tokens: number) => ({
  url: `${url}/v1/chat/completions`,
  headers: { authorization: `Bearer ${key}` },
  body: JSON.stringify({
    model: 'test/stream',
    stream: true,
    max_tokens: tokens,
    messages: [{ role: 'user', content }],
  }),
})

/** Collects the server's garbage and counts what is alive. */
export async function probe({ pid, resources }: StreamSide): Promise<Resources> {
  rmSync(resources, { force: true })
  process.kill(pid!, 'SIGUSR2')
  await until(() => existsSync(resources))
  return JSON.parse(readFileSync(resources, 'utf8'))
}

/** Resident. */
export const megabytesOf = ({ pid }: StreamSide): number => (pid === undefined ? 0 : residentMegabytes(pid))

/** The share of a core that a server uses during this time; zero for the upstream, which is not watched. */
export async function coresOf({ pid }: StreamSide, ms: number): Promise<number> {
  const before = pid === undefined ? 0 : cpuSeconds(pid)
  const startedMs = performance.now()
  await pause(ms)
  if (pid === undefined) return 0
  return ((cpuSeconds(pid) - before) * 1000) / (performance.now() - startedMs)
}
