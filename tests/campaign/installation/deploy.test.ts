/** The examples of deploy/, read by the proxies themselves and put in front of a real server. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import path from 'node:path'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { AppsRequest } from '#platform/apps'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { selfSigned } from '../../harness/certificate.ts'
import { freePort } from '../../harness/free-port.ts'
import { until } from '../../harness/until.ts'
import { boot, type World } from '../../harness/world.ts'
import { namedHandler } from '../../platform/apps/named-handler.ts'
import { temporaryFolder } from '../../platform/db/cluster-world.ts'
import { expectClouds } from './clouds-behind.ts'

const deploy = path.resolve(import.meta.dirname, '../../../deploy')
const run = promisify(execFile)

async function has(program: string, ...words: string[]): Promise<boolean> {
  const found = await run(program, words).then(
    () => true,
    () => false,
  )
  if (!found) console.log(`skipped: ${program} is not installed`)
  return found
}
const hasNginx = await has('nginx', '-v')
const hasCaddy = await has('caddy', 'version')
const runsFunctions = await hasJail()

let answer: (request: AppsRequest) => void
const sites = namedHandler('sites', ['shop.apps.example.net', 'www.shop.example'], (asked) => answer(asked))
let world: World
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  world = await boot({
    env: {
      KHERAD_BASE_URL: 'https://ai.example.org',
      KHERAD_APPS_DOMAIN: 'apps.example.net',
      KHERAD_CLOUD_DOMAIN: 'cloud.example.com',
      KHERAD_TRUSTED_PROXIES: '127.0.0.1,::1',
    },
    hostHandlers: () => [sites],
  })
  folder = await temporaryFolder()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** The text of an example with the ports and the addresses of this test. */
async function example(name: string, changes: Record<string, string>): Promise<string> {
  let text = await readFile(path.join(deploy, name), 'utf8')
  const ours = {
    '127.0.0.1:8080': new URL(world.url).host,
    '127.0.0.1:8081': new URL(world.appsUrl).host,
    ...changes,
  }
  for (const [was, is] of Object.entries(ours)) {
    if (!text.includes(was)) throw new Error(`${name} no longer says ${was}`)
    text = text.replaceAll(was, is)
  }
  return text
}

/** Starts a proxy and waits until it listens. */
async function start(program: string, words: string[], port: number): Promise<AsyncDisposable> {
  const child: ChildProcess = spawn(program, words, {
    cwd: folder.path,
    env: { ...process.env, HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr!.on('data', (text) => {
    log += text
  })
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      if (child.exitCode !== null) throw new Error(log)
      const socket = connect({
        port,
        host: '127.0.0.1',
        rejectUnauthorized: false,
        servername: 'ai.example.org',
      })
      socket
        .once('secureConnect', () => resolve(socket.destroy() !== undefined))
        .once('error', () => resolve(false))
    })
  await until(isOpen)
  return {
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      if (child.exitCode === null && child.kill('SIGTERM')) await gone
    },
  }
}

interface Asked {
  path?: string
  method?: string
  headers?: Record<string, string>
  onPart?: (text: string) => void
}

/** What a visitor of `https://host` gets through the proxy at this port. */
function visit(port: number, host: string, { onPart, ...rest }: Asked = {}) {
  return new Promise<{ status: number; text: string; headers: Record<string, unknown> }>(
    (resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port,
          servername: host,
          rejectUnauthorized: false,
          ...rest,
          headers: { host, ...rest.headers },
          agent: false,
        },
        (reply) => {
          let text = ''
          reply.on('data', (part) => {
            text += part
            onPart?.(text)
          })
          reply.on('error', reject)
          reply.on('end', () => resolve({ status: reply.statusCode!, text, headers: reply.headers }))
        },
      )
      asked.on('error', reject)
      asked.end()
    },
  )
}

/** What has to hold behind every proxy. */
async function expectZones(port: number): Promise<void> {
  answer = ({ response }) =>
    void response.writeHead(200, { 'content-type': 'text/plain', 'x-accel-redirect': '/x' }).end('a site')
  const forged = {
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-host': 'www.shop.example',
    'x-forwarded-proto': 'http',
  }
  const site = await visit(port, 'shop.apps.example.net', { path: '/a?b', headers: forged })
  expect({ status: site.status, text: site.text }).toEqual({ status: 200, text: 'a site' })
  const { host, clientAddress, secure, message } = sites.requests.at(-1)!
  expect({ host, clientAddress, secure, url: message.url }).toEqual({
    host: 'shop.apps.example.net',
    clientAddress: '127.0.0.1',
    secure: true,
    url: '/a?b',
  })
  expect((await visit(port, 'ai.example.org', { path: '/health/live' })).status).toBe(200)
  expect((await visit(port, 'ai.example.org', { path: '/metrics' })).status).toBe(404)
  // Neither zone answers at the other's host, and no visitor gets the proxy's own question answered.
  expect((await visit(port, 'shop.apps.example.net', { path: '/health/live' })).text).toBe('a site')
  for (const host of ['ai.example.org', 'shop.apps.example.net'])
    expect((await visit(port, host, { path: '/_ask?domain=shop.apps.example.net' })).text).not.toMatch(
      /^(yes|no)\n/,
    )
}

/** Each part of a stream arrives before the next is written. */
async function expectStreams(port: number): Promise<void> {
  const parts = ['one', 'two']
  const arrived = Promise.withResolvers<void>()
  answer = ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(parts[0])
    void arrived.promise.then(() => response.end(parts[1]))
  }
  const { text } = await visit(port, 'shop.apps.example.net', {
    onPart: (soFar) => {
      if (soFar === 'one') arrived.resolve()
    },
  })
  expect(text).toBe('onetwo')
}

/** A voice call over a WebSocket, as a browser opens it: the upgrade and both subprotocols arrive, and what is said comes back as it comes. */
async function expectCalls(port: number): Promise<void> {
  const { secret } = await world.key({ scopes: ['audio:write'] })
  const address = `wss://127.0.0.1:${port}/v1/realtime?model=sandbox/realtime`
  const call = new WebSocket(address, ['realtime', `openai-insecure-api-key.${secret}`], {
    ...{ servername: 'ai.example.org', rejectUnauthorized: false },
    headers: { host: 'ai.example.org' },
  })
  const [first] = await once(call, 'message')
  expect(call.protocol).toBe('realtime')
  expect(JSON.parse(String(first))).toMatchObject({ type: 'session.created' })
  call.close()
  await once(call, 'close')
}

/** Bodies of 100 MiB come through, longer ones are refused by the length that they state. */
async function expectBodies(port: number): Promise<void> {
  const limit = 100 * 1024 * 1024
  answer = ({ response, message }) => {
    message.resume()
    response.end('taken')
  }
  const status = async (length: number) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      servername: 'shop.apps.example.net',
      rejectUnauthorized: false,
      method: 'POST',
      agent: false,
      headers: { host: 'shop.apps.example.net', 'content-length': length },
    })
    asked.on('error', () => undefined)
    asked.flushHeaders()
    asked.write('x')
    const [reply] = await once(asked, 'response')
    asked.destroy()
    return reply.statusCode
  }
  expect(await status(limit)).toBe(200)
  expect(await status(limit + 1)).toBe(413)
}

describe.skipIf(!hasNginx)('nginx', () => {
  const certified = async () => {
    const certificates = path.join(folder.path, 'certificates')
    await mkdir(certificates, { recursive: true })
    for (const name of ['ai.example.org', 'apps.example.net']) {
      const { key, cert } = selfSigned(name, `*.${name}`)
      await writeFile(path.join(certificates, `${name}.key`), key)
      await writeFile(path.join(certificates, `${name}.pem`), cert)
    }
  }
  const words = (file: string, ...more: string[]) => [
    '-p',
    folder.path,
    '-c',
    file,
    '-e',
    'stderr',
    '-g',
    `daemon off; pid ${folder.path}/nginx.pid;`,
    ...more,
  ]

  test('accepts the example as it stands', async () => {
    await certified()
    // Its certificates stand beside it.
    const file = path.join(folder.path, 'as-it-stands.conf')
    await writeFile(file, await readFile(path.join(deploy, 'nginx.conf')))
    const { stderr } = await run('nginx', words(file, '-t'))
    expect(stderr).toContain('test is successful')
    expect(stderr).not.toMatch(/\[(warn|emerg)\]/)
  })

  test('with it serves both zones and clouds whole, streams and voice calls at once, and believes no visitor', async () => {
    await certified()
    const [plain, secure] = [await freePort(), await freePort()]
    const file = path.join(folder.path, 'nginx.conf')
    await writeFile(
      file,
      await example('nginx.conf', {
        'listen 443': `listen 127.0.0.1:${secure}`,
        'listen 80': `listen 127.0.0.1:${plain}`,
        'listen [::]:443': `# listen [::]:443`,
        'listen [::]:80': `# listen [::]:80`,
        'server_tokens off;': `server_tokens off; access_log off; client_body_temp_path ${folder.path}/bodies; proxy_temp_path ${folder.path}/answers;`,
      }),
    )
    await using _nginx = await start('nginx', words(file), secure)
    await expectZones(secure)
    await expectStreams(secure)
    await expectCalls(secure)
    await expectBodies(secure)
    if (runsFunctions) await expectClouds(world, secure)
    await expect(visit(secure, 'evil.example')).rejects.toThrow()
  })
})

describe.skipIf(!hasCaddy)('Caddy', () => {
  test('accepts the example as it stands', async () => {
    const file = path.join(deploy, 'Caddyfile')
    const { stdout, stderr } = await run('caddy', ['validate', '--config', file, '--adapter', 'caddyfile'])
    expect(stdout).toContain('Valid configuration')
    expect(stderr).not.toContain('is not formatted')
  })

  test('with it serves both zones, clouds and voice calls whole, and obtains certificates only for hosts that exist', async () => {
    const [plain, secure] = [await freePort(), await freePort()]
    const file = path.join(folder.path, 'Caddyfile')
    await writeFile(
      file,
      await example('Caddyfile', {
        // An authority of its own in place of a public one.
        '\ton_demand_tls {': `\tadmin off\n\tskip_install_trust\n\tlocal_certs\n\thttp_port ${plain}\n\thttps_port ${secure}\n\ton_demand_tls {`,
      }),
    )
    await using _caddy = await start('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], secure)
    await expectZones(secure)
    await expectStreams(secure)
    await expectCalls(secure)
    if (runsFunctions) await expectClouds(world, secure)
    expect((await visit(secure, 'www.shop.example')).status).toBe(200)
    for (const host of ['other.apps.example.net', 'evil.example', 'a.www.shop.example'])
      await expect(visit(secure, host), host).rejects.toThrow()
  })
})
