/** A server of a checkout as an operator would run it: an empty data folder, fake upstreams, a receiver of webhooks. HTTP, CLI and SQL only. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { selfSigned } from '../../tests/harness/certificate.ts'
import { freePort } from '../../tests/harness/free-port.ts'
import { MailServer } from '../../tests/harness/mail-server.ts'
import { SmsGateway } from '../../tests/harness/sms-gateway.ts'
import { until } from '../../tests/harness/until.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { openUpstream, type Upstream } from './upstream.ts'

export interface Site extends AsyncDisposable {
  url: string
  upstream: Upstream
  receiver: Receiver
  /** Takes what is mailed to people. */
  mails: MailServer
  /** Takes the text messages to people. */
  messages: SmsGateway
  /** Of the first key, with every scope. */
  secret: string
  db: pg.Client
  /** What the command line tool answers. */
  cli(...words: string[]): Promise<Record<string, unknown>>
}

export const bootstrapKey = `khr_${'recorder'.repeat(5)}`

/** What the operator of a site configures. */
export const configuration = (
  upstream: string,
  certificate: string,
  { mails, messages }: Pick<Site, 'mails' | 'messages'>,
) => `
${mails.config}${messages.config()}people: { sign_up: open }
providers:
  - { id: chat-wire, base_url: "${upstream}/v1", api_key: upstream-secret, dialects: [chat] }
  - { id: responses-wire, base_url: "${upstream}/v1", api_key: upstream-secret, dialects: [responses] }
  - { id: messages-wire, base_url: "${upstream}/v1", api_key: upstream-secret, dialects: [messages] }
  - { id: images-wire, base_url: "${upstream}/v1", api_key: upstream-secret, dialects: [images] }
  - { id: videos-wire, base_url: "${upstream}/v1", api_key: upstream-secret, dialects: [openrouter] }
  - { id: ears-wire, base_url: "${upstream}/v1", api_key: upstream-secret, dialects: [transcriptions] }
  - { id: gone, base_url: "http://127.0.0.1:9/v1" }
models:
${['chat', 'responses', 'messages'].flatMap((wire) => ['plain', 'caller', 'refuses', 'cut', ...doorNames.map((door) => `fails-${door}`)].map((way) => textModel(wire, way))).join('\n')}
${doorNames.map(spareModel).join('\n')}
  - id: house/painter
    kind: image
    deployments: [{ provider: images-wire, model: painter }]
    image: { sizes: [128x128, 192x128], qualities: [low, high], formats: [png], max_references: 2 }
    pricing: { per_image: 0.04, rows: [{ quality: low, per_image: 0.01 }], per_reference: 0.003 }
  - id: house/film
    kind: video
    deployments: [{ provider: videos-wire, model: film }]
    video: { combinations: [{ resolution: 480p, durations: [5], aspect_ratios: ["16:9"], audio: never }], references: { frames: 1 } }
    pricing: { per_second: 0.02 }
  - id: house/ears
    kind: transcription
    deployments: [{ provider: ears-wire, model: ears }]
    transcription: { timestamps: word }
    pricing: { per_minute: 0.06 }
  - id: house/near
    kind: embedding
    deployments: [{ provider: chat-wire, model: near }]
    max_input_tokens: 8192
    max_batch: 2
    pricing: { input_per_million: 0.5 }
defaults: { text_model: sandbox/fast, embedding_model: sandbox/embedding, credits_per_usd: 1000, markup: 1.1 }
tools: { web_search: { vendor: searxng, base_url: "${upstream}", price_per_search_usd: 0.005 } }
net: { allow_cidrs: [127.0.0.0/8] }
tls: { ca_file: ${certificate} }
clouds: { packages: [{ id: small, name: { fa: کوچک, en: Small } }] }
`

/** Of what fails each door asks one of its own, so that no deployment fails often enough to be passed over for a while. */
export const doorNames = ['chat', 'responses', 'messages']

const spareModel = (door: string): string => `
  - id: house/spare-${door}
    deployments: [{ provider: gone, model: away-${door} }, { provider: chat-wire, model: plain, priority: 1 }]
    fallbacks: [responses/plain]
    context_length: 32768
    max_output_tokens: 4096
    pricing: { input_per_million: 1, output_per_million: 4 }`

const textModel = (wire: string, way: string): string => `
  - id: ${wire}/${way}
    aliases: [${wire}-${way}]
    deployments: [{ provider: ${wire}-wire, model: ${way} }]
    context_length: 32768
    max_output_tokens: 4096
    input_modalities: [text, image, file]
    features: [tools, json_schema, reasoning]
    reasoning: { supported_efforts: [low, medium, high] }
    pricing: { input_per_million: 1.5, output_per_million: 6, cached_input_per_million: 0.3 }`

/** Its database is an embedded PostgreSQL of its own. */
export async function openSite(root: string): Promise<Site> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-answers-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  // As root, PostgreSQL runs as another user, who has to walk through.
  await chmod(folder, 0o711)
  const certified = selfSigned('localhost')
  const upstream = stack.use(await openUpstream())
  const receiver = stack.use(await openReceiver(certified))
  const mails = stack.use(await MailServer.start())
  const messages = stack.use(await SmsGateway.start())
  const certificate = path.join(folder, 'roots.pem')
  await writeFile(certificate, certified.cert)
  await writeFile(
    path.join(folder, 'config.yaml'),
    configuration(upstream.url, certificate, { mails, messages }),
  )
  const env = environment(folder, await freePort())
  const url = `http://127.0.0.1:${env.KHERAD_PORT}`
  stack.use(await startServer(root, env, url))
  const db = new pg.Client(await socketOf(path.join(folder, 'data')))
  await db.connect()
  stack.defer(() => db.end())
  const cli = async (...words: string[]) => {
    const ran = await promisify(execFile)(
      process.execPath,
      [path.join(root, 'cli/kherad.mjs'), ...words, '--json'],
      { env },
    )
    return JSON.parse(ran.stdout)
  }
  const open = stack.move()
  return {
    url,
    upstream,
    receiver,
    mails,
    messages,
    secret: bootstrapKey,
    db,
    cli,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Where a site says that it is. */
export const addresses = {
  KHERAD_BASE_URL: 'http://kherad.test',
  KHERAD_APPS_PORT: '0',
  KHERAD_APPS_DOMAIN: 'apps.test',
}

const environment = (folder: string, port: number) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  KHERAD_PORT: String(port),
  ...addresses,
  KHERAD_DATA: path.join(folder, 'data'),
  KHERAD_CONFIG: path.join(folder, 'config.yaml'),
  KHERAD_BOOTSTRAP_KEY: bootstrapKey,
  KHERAD_SECRET: 'a secret of the recorder, and of nobody else',
  KHERAD_LOG_LEVEL: 'fatal',
  OLLAMA_HOST: '',
})

async function startServer(root: string, env: Record<string, string>, url: string): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (text) => {
    log += text
    process.stderr.write(text)
  })
  const gone = once(child, 'exit')
  const end = async () => {
    child.kill('SIGTERM')
    await gone
  }
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`the server did not start: ${log}`)
    return fetch(`${url}/health/ready`).then(
      (reply) => reply.ok,
      () => false,
    )
  }
  try {
    await until(isReady, 150_000)
  } catch (error) {
    await end()
    throw error
  }
  return { [Symbol.asyncDispose]: end }
}

/** Lines 5 and 4 of the pid file: the folder of the socket, and the port in its name (docs/operations/data-and-backup.md). */
async function socketOf(dataDir: string): Promise<pg.ClientConfig> {
  const lines = (await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')
  return { host: lines[4]!.trim(), port: Number(lines[3]), user: 'kherad_app', database: 'kherad' }
}
