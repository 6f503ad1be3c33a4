/** `KHERAD_WORKERS`: any process behind the one address reports the metrics of all. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { readSamples, type Samples, sumOf } from '../../../cli/doctor/samples.ts'
import { kherad } from '../../cli/command-line.ts'
import { openSite, type Site } from '../../crash/site.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'

const calls = 40

test('whichever worker is asked, /metrics counts the calls of all; what a killed one had counted stays', async () => {
  await using site = await openSite()
  const server = await startTwo(site)
  const person = await site.person()
  const answers = await Promise.all(
    Array.from({ length: calls }, () => onItsOwnConnection(server, '/v1/chat/completions', person.secret)),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: calls }, () => 200))
  await site.healed()

  // A count follows its answer by a moment, and what was settled another.
  await until(async () => {
    const samples = await scrapeOfBoth(server)
    return chats(samples) >= calls && settled(samples) >= calls && sumOf(samples, 'kherad_open_holds') === 0
  })
  const scraped = await Promise.all(Array.from({ length: 12 }, () => scrapeOfBoth(server)))
  for (const samples of scraped) {
    expect(chats(samples)).toBe(calls)
    expect(settled(samples)).toBe(calls)
    expect(sumOf(samples, 'kherad_charged_microcredits_total')).toBe(calls * 27_000)
    expect(sumOf(samples, 'kherad_open_holds')).toBe(0)
    // Of the loops the slowest one, not a sum.
    expect(samples.get('kherad_nodejs_eventloop_lag_p99_seconds')).toHaveLength(1)
    expect(samples.get('kherad_breaker_open')?.map(({ value }) => value)).toEqual([0])
  }

  const env = { KHERAD_LOCALE: 'en', KHERAD_BASE_URL: server.url, DATABASE_URL: site.databaseUrl }
  const live = await until(async () => {
    const { json } = await kherad(env, 'doctor', '--live', '--json')
    const check = json.checks.find(({ name }: { name: string }) => name === 'live_metrics')
    return check.state === 'ok' && check
  })
  expect(live.message).toBe(`${server.url}/metrics was read, of all 2 workers.`)

  const [victim] = workersOf(server)
  process.kill(victim!, 'SIGKILL')
  await until(() => workersOf(server).length === 2 && !workersOf(server).includes(victim!))
  expect(chats(await scrapeOfBoth(server))).toBe(calls)
})

test('a worker that is silent is not waited for: the others answer, its counts stand as last heard', async () => {
  await using site = await openSite()
  const server = await startTwo(site)
  const person = await site.person()
  await Promise.all(
    Array.from({ length: calls }, () => onItsOwnConnection(server, '/v1/chat/completions', person.secret)),
  )
  await until(async () => chats(await scrape(server)) === calls)
  const [silent] = workersOf(server)
  process.kill(silent!, 'SIGSTOP')
  // A connection that the kernel gives to the stopped worker hears nothing; the next may go to the other. It may stop a moment after the signal.
  const samples = await until(async () => {
    const seen = await scrape(server, 3_000).catch(() => undefined)
    return seen && workers(seen).silent > 0 ? seen : undefined
  }, 120_000)
  expect(workers(samples)).toEqual({ answered: 1, silent: 1 })
  expect(chats(samples)).toBe(calls)

  process.kill(silent!, 'SIGCONT')
})

async function startTwo(site: Site): Promise<ServerProcess> {
  const server = await site.start(site.databaseUrl, { KHERAD_WORKERS: '2', KHERAD_LOG_LEVEL: 'info' })
  await until(() => server.log().includes('all workers serve'))
  return server
}

const workersOf = ({ child }: ServerProcess): number[] =>
  execFileSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number)

const chats = (samples: Samples): number =>
  sumOf(samples, 'kherad_http_requests_total', { operation: 'chat.complete' })

const settled = (samples: Samples): number =>
  sumOf(samples, 'kherad_stage_seconds_count', { stage: 'settle' })

const workers = (samples: Samples): { answered: number; silent: number } => ({
  answered: sumOf(samples, 'kherad_workers', { state: 'answered' }),
  silent: sumOf(samples, 'kherad_workers', { state: 'silent' }),
})

async function scrape(server: ServerProcess, patienceMs = 60_000): Promise<Samples> {
  const { text } = await onItsOwnConnection(server, '/metrics', undefined, patienceMs)
  return readSamples(text)
}

/** A worker that this machine kept from answering in its second is asked again. */
const scrapeOfBoth = (server: ServerProcess): Promise<Samples> =>
  until(async () => {
    const samples = await scrape(server).catch(() => undefined)
    const both = { answered: 2, silent: 0 }
    return samples && isDeepStrictEqual(workers(samples), both) ? samples : undefined
  })

/** The kernel gives each connection to a worker of its choice. A chat with a secret, else a plain question. */
async function onItsOwnConnection(
  { url }: ServerProcess,
  path: string,
  secret?: string,
  patienceMs = 60_000,
): Promise<{ status: number; text: string }> {
  const asked = request(url + path, {
    agent: new Agent({ keepAlive: false }),
    method: secret === undefined ? 'GET' : 'POST',
    headers:
      secret === undefined ? {} : { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(patienceMs),
  })
  asked.end(secret && JSON.stringify({ max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }))
  const [reply] = await once(asked, 'response')
  let text = ''
  for await (const part of reply.setEncoding('utf8')) text += part
  return { status: reply.statusCode, text }
}
