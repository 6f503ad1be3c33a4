/** Who is measured by `bench:gateway`: programs in front of one upstream, all started before the first measurement. */
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { upstreamConfig } from '../tests/harness/config-text.ts'
import { freePort } from '../tests/harness/free-port.ts'
import {
  commitOf,
  dataOf,
  installed,
  key,
  type Running,
  root,
  run,
  runBareProxy,
  runKherad,
  runScript,
} from './stage.ts'

const peer = { name: '@portkey-ai/gateway', version: '1.15.2' }

export interface Side {
  name: string
  url: string
  headers: Record<string, string>
  model: string
  /** The server whose CPU is counted, with the database that it started; undefined for the upstream. */
  pid: number | undefined
}

/** A server of Kherad without anything beside a call, and the same with something. */
export interface Versions {
  plain: Side
  variants: { tracing: Side; references: Side; limits: Side }
}

export interface Sides {
  upstream: Side
  proxy: Side
  peer: Side
  own: Versions
  /** That of the checkout given with `--beside`. */
  before: Versions | undefined
}

export async function startSides(
  folder: string,
  beside: string | undefined,
  stack: AsyncDisposableStack,
): Promise<Sides> {
  const upstream = stack.use(await runScript('quick-upstream.ts'))
  const proxy = stack.use(await runBareProxy(upstream.url))
  const portkey = stack.use(await runPeer(folder))
  const custom = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream.url}/v1` }
  const before = beside === undefined ? undefined : path.resolve(beside)
  return {
    upstream: { ...sideOf('upstream alone', upstream), pid: undefined },
    proxy: sideOf('bare proxy', proxy),
    peer: {
      ...sideOf(`${peer.name} ${peer.version}`, portkey),
      headers: { ...authorized('none'), ...custom },
    },
    own: await startVersions('this code', root, path.join(folder, 'own'), upstream.url, stack),
    before:
      before === undefined
        ? undefined
        : await startVersions(
            `before, ${commitOf(before)}`,
            before,
            path.join(folder, 'before'),
            upstream.url,
            stack,
          ),
  }
}

/** Two servers, since tracing is a setting of a process; the other variants are calls of their own to the first. */
async function startVersions(
  name: string,
  checkout: string,
  folder: string,
  upstreamUrl: string,
  stack: AsyncDisposableStack,
): Promise<Versions> {
  const start = async (data: string, env: Record<string, string> = {}): Promise<Running> => {
    const config = path.join(data, 'gateway.yaml')
    await mkdir(data, { recursive: true })
    await writeFile(config, upstreamConfig(`${upstreamUrl}/v1`, { model: twoDeployments }))
    return stack.use(await runKherad(data, upstreamUrl, { KHERAD_CONFIG: config, ...env }, checkout))
  }
  const data = path.join(folder, 'plain')
  const plain = sideOf(name, await start(data))
  const traced = await start(path.join(folder, 'traced'), { OTEL_EXPORTER_OTLP_ENDPOINT: upstreamUrl })
  return {
    plain,
    variants: {
      tracing: sideOf(`${name}: tracing on`, traced),
      references: {
        ...plain,
        name: `${name}: reference headers, two deployments`,
        headers: { ...plain.headers, 'x-customer-id': 'customer-17', 'x-reference-id': 'order-2041' },
        model: 'test/two',
      },
      limits: {
        ...plain,
        name: `${name}: a key with caps, rate and concurrency`,
        headers: authorized(limitedKey(checkout, data)),
      },
    },
  }
}

const twoDeployments = `
  - id: test/two
    kind: text
    deployments:
      - { provider: fake, model: upstream-model }
      - { provider: fake, model: upstream-model-2 }
    context_length: 128000
    max_output_tokens: 16384
    pricing: { input_per_million: 1.0, output_per_million: 2.0 }
`

/** Limits of each kind, none of which is reached. */
function limitedKey(checkout: string, data: string): string {
  const limits = ['--cap', '900000', '--monthly-cap', '900000', '--rate', '1000000', '--concurrency', '1000']
  const answer = execFileSync(
    process.execPath,
    ['cli/kherad.mjs', 'key', 'create', '--name', 'limits', ...limits, '--json'],
    {
      cwd: checkout,
      env: { PATH: process.env['PATH'], KHERAD_DATA: dataOf(data), KHERAD_CONFIG: `${data}/gateway.yaml` },
      encoding: 'utf8',
    },
  )
  return JSON.parse(answer).secret
}

const authorized = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` })

const sideOf = (name: string, { url, child }: Running): Side => ({
  name,
  url: `${url}/v1/chat/completions`,
  headers: authorized(key),
  model: 'test/model',
  pid: child.pid,
})

async function runPeer(folder: string): Promise<Running> {
  const port = await freePort()
  const start = path.join(installed(peer.name, peer.version, folder), 'build/start-server.js')
  return run([process.execPath, start, `--port=${port}`, '--headless'], {}, `http://127.0.0.1:${port}`, '/')
}
