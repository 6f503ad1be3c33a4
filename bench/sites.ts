/**
 * `npm run bench:sites -- [seconds] [rounds] [publications]`: a page of 5 KB compressed from this server's second listener, Debian's nginx and `sirv` (installed
 * at bench time), one process each, warm, in turn; and publications of 200 files and 10 MB, from the request to the page at its address.
 * The load generator shares the machine, so beside rates stands what an answer costs its server of a core.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { freePort } from '../tests/harness/free-port.ts'
import type { PageLoadOptions, PageLoadResult } from './page-load.ts'
import {
  cpuSeconds,
  databaseCpuSeconds,
  installed,
  jsonFrom,
  key,
  machine,
  type Running,
  run,
  runKherad,
  runScript,
  temporaryFolder,
} from './stage.ts'
import { median, row, table } from './table.ts'

const [seconds = 5, rounds = 5, publicationCount = 20] = process.argv.slice(2).map(Number)
const sirvVersion = '3.0.2'
const nginx = '/usr/sbin/nginx'

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
console.log(machine())

const page = pageOf(5_000)
const dist = path.join(folder, 'dist')
await mkdir(dist)
await writeFile(path.join(dist, 'index.html'), page)
await writeFile(path.join(dist, 'index.html.gz'), gzipSync(page, { level: 9 }))

const kherad = await startKherad()
const sides: { name: string; pid: number; port: number; host: string }[] = [
  { name: 'kherad', ...(await publishPage()) },
  ...(await startNginx()),
  { name: `sirv ${sirvVersion}`, ...(await startSirv()) },
]
if (rounds > 0) await compare()
if (publicationCount > 0) await publications(publicationCount)

interface Round extends PageLoadResult {
  microseconds: number
}

async function compare(): Promise<void> {
  const results = new Map<string, Round[]>(sides.map(({ name }) => [name, []]))
  for (const { name, ...side } of sides) await measure(side, Math.min(2, seconds)).then(() => name)
  for (let round = 0; round < rounds; round++)
    for (const { name, ...side } of sides) results.get(name)!.push(await measure(side, seconds))
  table(['server', 'answers/s', 'p50 ms', 'p99 ms', 'µs of a core per answer', 'bytes'])
  const of = (name: string, pick: (round: Round) => number): number => median(results.get(name)!.map(pick))
  for (const { name } of sides)
    row([
      name,
      of(name, ({ perSecond }) => perSecond).toLocaleString('en'),
      of(name, ({ p50 }) => p50).toFixed(2),
      of(name, ({ p99 }) => p99).toFixed(2),
      of(name, ({ microseconds }) => microseconds).toFixed(1),
      String(results.get(name)![0]!.bytes),
    ])
  for (const { name } of sides.slice(1)) {
    const ratios = (pick: (round: Round) => number): number[] =>
      results.get('kherad')!.map((round, index) => pick(round) / pick(results.get(name)![index]!))
    const rate = median(ratios(({ perSecond }) => perSecond))
    const cost = median(ratios(({ microseconds }) => 1 / microseconds))
    console.log(
      `kherad : ${name} = ${rate.toFixed(2)} by answers a second, ${cost.toFixed(2)} by answers a second of a core`,
    )
  }
}

async function measure(
  { pid, port, host }: { pid: number; port: number; host: string },
  forSeconds: number,
): Promise<Round> {
  const before = cpuSeconds(pid)
  const ask: PageLoadOptions = { port, host, path: '/', connections: 32, seconds: forSeconds }
  const result = await jsonFrom<PageLoadResult>('bench/page-load.ts', ask)
  if (result.failures > 0) throw new Error(`${result.failures} answers were wrong`)
  return { ...result, microseconds: ((cpuSeconds(pid) - before) / result.answered) * 1e6 }
}

/** Text that compresses to about so many bytes, as pages do: words that come again. */
function pageOf(compressed: number): string {
  let seed = 7
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
  const words = Array.from({ length: 900 }, () => Math.floor(random() * 36 ** 5).toString(36))
  let text = '<!doctype html><html lang="fa" dir="rtl"><meta charset="utf-8"><title>bench</title>\n'
  while (gzipSync(text, { level: 9 }).length < compressed) {
    text += '<p class="text">'
    for (let count = 0; count < 12; count++) text += `${words[Math.floor(random() * words.length)]} `
    text += '</p>\n'
  }
  return text
}

async function startKherad(): Promise<Running & { appsPort: number }> {
  const config = path.join(folder, 'sites.config.yaml')
  // What it measures is not the day's allowance.
  await writeFile(
    config,
    'sites: { daily_requests: 1000000000000, daily_bytes: 9007199254740991, sites_per_project: 100 }\n',
  )
  const appsPort = await freePort()
  const running = await runKherad(folder, 'http://127.0.0.1:9', {
    KHERAD_APPS_PORT: String(appsPort),
    KHERAD_CONFIG: config,
  })
  stack.use(running)
  return { ...running, appsPort }
}

interface SentFile {
  path: string
  content: string
  encoding: 'base64'
}
function fileOf(name: string, bytes: string | Uint8Array): SentFile {
  return {
    path: name,
    content: Buffer.from(bytes).toString('base64'),
    encoding: 'base64',
  }
}

async function call(url: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(kherad.url + url, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

/** Resolves with its id once it is live. */
async function published(files: SentFile[], slug: string, id?: unknown): Promise<unknown> {
  const body = { name: slug, slug, confirm_public: true, files }
  const accepted = await call(id === undefined ? '/v1/sites' : `/v1/sites/${id}`, body)
  for (;;) {
    const site = await call(`/v1/sites/${accepted['id']}`)
    if (site['status'] === 'ready') return accepted['id']
    if (site['status'] === 'failed') throw new Error(JSON.stringify(site['error']))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function publishPage() {
  await published([fileOf('index.html', page)], 'bench-page')
  return { pid: kherad.child.pid!, port: kherad.appsPort, host: 'bench-page.localhost' }
}

async function startNginx() {
  if (!existsSync(nginx)) {
    console.log('no nginx: apt-get install nginx-light')
    return []
  }
  const port = await freePort()
  const config = path.join(folder, 'nginx.conf')
  await writeFile(
    config,
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  types { text/html html; }
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; gzip_static on; open_file_cache max=100;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; root ${dist}; }
}
`,
  )
  const running = stack.use(
    await run([nginx, '-c', config, '-p', folder], {}, `http://127.0.0.1:${port}`, '/'),
  )
  const worker = Number(execFileSync('pgrep', ['-P', String(running.child.pid)], { encoding: 'utf8' }).trim())
  const version = /nginx\/([\d.]+)/.exec(
    execFileSync(nginx, ['-v'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  )?.[1]
  return [{ name: `nginx${version ? ` ${version}` : ''}`, pid: worker, port, host: '127.0.0.1' }]
}

async function startSirv() {
  const module = path.join(installed('sirv', sirvVersion, folder), 'build.mjs')
  const running = stack.use(await runScript('sirv-server.ts', [dist, module]))
  return { pid: running.child.pid!, port: Number(new URL(running.url).port), host: '127.0.0.1' }
}

/** 200 files of 50 KB: pages and scripts that compress, and pictures that do not. */
async function publications(times: number): Promise<void> {
  const tookMs: number[] = []
  const pid = kherad.child.pid!
  const before = [cpuSeconds(pid), databaseCpuSeconds(pid)] as const
  let id: unknown
  for (let time = 0; time < times; time++) {
    const files = Array.from({ length: 199 }, (_, index) => siteFile(index, time))
    files.push(fileOf('index.html', `<!doctype html><title>${time}</title>`))
    const beganMs = performance.now()
    id = await published(files, 'bench-site', id)
    await live(`<title>${time}</title>`)
    tookMs.push(performance.now() - beganMs)
  }
  const server = ((cpuSeconds(pid) - before[0]) / times).toFixed(2)
  const database = ((databaseCpuSeconds(pid) - before[1]) / times).toFixed(2)
  tookMs.sort((a, b) => a - b)
  const at = (share: number): string => (tookMs[Math.ceil(tookMs.length * share) - 1]! / 1000).toFixed(2)
  console.log(
    `publication of 200 files and 10 MB, all new, ${times} times: p50 ${at(0.5)} s, p95 ${at(0.95)} s; each ${server} s of a core and ${database} s of its PostgreSQL`,
  )
}

function siteFile(index: number, time: number): SentFile {
  const bytes = Buffer.alloc(50_000)
  if (index % 2 === 0) {
    for (let at = 0; at < bytes.length; at += 6)
      bytes.writeUIntLE(Math.floor(Math.random() * 2 ** 48), Math.min(at, bytes.length - 6), 6)
    return fileOf(`images/${index}.png`, bytes)
  }
  const text = `// ${time} ${index}\n${page}${page}${page}`.repeat(5).slice(0, 50_000)
  return fileOf(`assets/${index}.js`, text)
}

/** The address of the site shows the text. `fetch` sends no Host of ours. */
async function live(text: string): Promise<void> {
  const shown = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { port: kherad.appsPort, host: '127.0.0.1', headers: { host: 'bench-site.localhost' } }
      get(options, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk
        })
        response.on('end', () => resolve(body))
      }).on('error', reject)
    })
  while (!(await shown()).includes(text)) await new Promise((resolve) => setTimeout(resolve, 10))
}
