/**
 * `npm run bench:dialects -- [rounds]`: the cost of a streamed event from each upstream wire to each caller wire. Bytes enter in place of the
 * upstream's socket and the events' text leaves in place of the caller's; everything in between is real, including the ledger. With
 * `--http`: the milliseconds that a real server adds to the first token. With `--beside <checkout>`: this code and that checkout in turn.
 */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Pool, request } from 'undici'
import type { App } from '#app'
import type { Wire } from '#core/turn'
import { readEnv } from '#platform/config'
import type { EventStream, RequestContext } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { TraceContext } from '#platform/trace'
import { loadConfig } from '#settings'
import { routes } from '../src/capabilities.ts'
import { startKherad } from '../src/server.ts'
import { eventsOf, firstWord } from './dialect-streams.ts'
import { compareInTurn } from './dialect-turns.ts'
import {
  answerFromMemory,
  configOf,
  feedWithoutReader,
  paths,
  serveAnswers,
  wires,
} from './dialect-upstream.ts'
import { dataOf, key, machine, runKherad, temporaryFolder } from './stage.ts'

interface Pair {
  from: Wire
  to: Wire
  figures: number[]
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { http: { type: 'boolean', default: false }, beside: { type: 'string' } },
})
const { http: overHttp, beside } = values
const rounds = Number(positionals[0] ?? (overHttp ? 200 : beside ? 30 : 60))
/** Tokens of text; the tool call and the end add some 80 events. */
const tokens = overHttp ? 20 : 1920
const headers = { 'anthropic-version': '2023-06-01' }
const pairs: Pair[] = wires.flatMap((from) => wires.map((to) => ({ from, to, figures: [] })))

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
console.log(`${machine()}\n`)
if (beside !== undefined) compareInTurn(beside, rounds)
else await (overHttp ? measureFirstTokens() : measureEvents())

async function measureEvents(): Promise<void> {
  const settings = { KHERAD_DATA: dataOf(folder), KHERAD_BOOTSTRAP_KEY: key, KHERAD_PORT: '0' }
  const config = loadConfig(readEnv({ ...settings, KHERAD_LOG_LEVEL: 'warn' }), configOf('http://nowhere'))
  const { app } = stack.use(await startKherad({ config }))
  const caller = await app.keys.caller(key)
  const feed = answerFromMemory(tokens)
  Pool.prototype.dispatch = feed
  const counts = new Map(wires.map((wire) => [wire, eventsOf(wire, tokens).length]))
  await eachRound(10, async ({ from, to }) => {
    const { handle } = routes.find((route) => route.path === paths[to])!
    const all = await cpuMicroseconds(async () => {
      const ask = contextOf({ app, caller, body: bodyOf(from, to) })
      const written = await eventsWritten((await handle(ask as never)) as EventStream)
      if (written < tokens) throw new Error(`${from} → ${to}: ${written} events of ${tokens} tokens`)
    })
    return (all - (await cpuMicroseconds(() => feedWithoutReader(feed, paths[from])))) / counts.get(from)!
  })
  print(`µs of CPU per event, least and median of ${rounds} answers of some 2,000 events`, [0, 0.5])
}

/** Reads a pushed answer to its end, as fast as it comes. */
function eventsWritten({ answer }: EventStream): Promise<number> {
  return new Promise((resolve, fail) => {
    let events = 0
    const nothing = (): void => undefined
    const event = (): void => {
      events++
    }
    const end = (): void => resolve(events)
    answer.start({
      isOpen: true,
      open: nothing,
      event,
      flush: () => true,
      json: nothing,
      cut: nothing,
      end,
      fail,
    })
  })
}

async function measureFirstTokens(): Promise<void> {
  const upstream = await serveAnswers(tokens, stack)
  const config = path.join(folder, 'dialects.yaml')
  await writeFile(config, configOf(upstream))
  const env = { KHERAD_CONFIG: config, KHERAD_LOG_LEVEL: 'warn' }
  const kherad = stack.use(await runKherad(folder, upstream, env))
  await eachRound(50, async ({ from, to }) => {
    const body = bodyOf(from, to)
    const directMs = await firstTokenMs(upstream + paths[from], body)
    return (await firstTokenMs(kherad.url + paths[to], body)) - directMs
  })
  print(`ms added to the first token, median and p95 of ${rounds} answers`, [0.5, 0.95])
}

async function cpuMicroseconds(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Pairs alternate round by round, so that a slow minute of the machine affects all of them. */
async function eachRound(warmUp: number, measure: (pair: Pair) => Promise<number>): Promise<void> {
  for (let round = -warmUp; round < rounds; round++) {
    for (const pair of pairs) {
      const figure = await measure(pair)
      if (round >= 0) pair.figures.push(figure)
    }
  }
}

function print(title: string, shares: readonly [number, number]): void {
  const [chat] = pairs.map(({ figures }) => shareOf(figures, 0.5))
  console.log(title)
  for (const { from, to, figures } of pairs) {
    const columns = shares.map((share) => shareOf(figures, share).toFixed(2).padStart(7))
    const ratio = (shareOf(figures, 0.5) / chat!).toFixed(2)
    console.log(`${from.padStart(9)} → ${to.padEnd(9)} ${columns.join('')}   ${ratio} × chat → chat`)
  }
}

function shareOf(figures: number[], share: number): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length * share)]!
}

function bodyOf(from: Wire, to: Wire): object {
  const text = 'هوای تهران چطور است؟'
  const body = { model: `bench/${from}`, stream: true }
  if (to === 'responses') return { ...body, input: text, max_output_tokens: 4096 }
  const messages = [{ role: 'user', content: text }]
  return {
    ...body,
    messages,
    max_tokens: 4096,
    ...(to === 'chat' && { stream_options: { include_usage: true } }),
  }
}

/** The context of a request after authentication and parsing. */
function contextOf(what: Pick<RequestContext<App>, 'app' | 'caller' | 'body'>): RequestContext<App> {
  return {
    ...what,
    bodyFile: undefined,
    upload: undefined,
    query: {},
    params: {},
    operation: 'bench',
    requestId: uuidv7(),
    claim: undefined,
    headers,
    peer: '127.0.0.1',
    language: 'en',
    isHead: false,
    receivedMs: Date.now(),
    trace: new TraceContext(undefined),
    gone: new AbortController().signal,
    async reserveMemory() {},
    setHeader() {},
    person: undefined,
    origin: 'http://127.0.0.1',
    cookie: () => undefined,
    setCookie() {},
    answerHeaders: {},
  }
}

async function firstTokenMs(url: string, body: object): Promise<number> {
  const startedMs = performance.now()
  const reply = await request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
  let text = ''
  let firstMs: number | undefined
  for await (const piece of reply.body.setEncoding('utf8')) {
    text += piece
    if (text.includes(firstWord)) firstMs ??= performance.now() - startedMs
  }
  if (firstMs === undefined) throw new Error(`no token from ${url}: ${text.slice(0, 300)}`)
  return firstMs
}
