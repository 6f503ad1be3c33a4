import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { readUntil } from '../harness/read-until.ts'
import { until } from '../harness/until.ts'
import { answer, chunk, type Script, stream } from '../harness/upstream.ts'
import { DatabaseProxy } from './database-proxy.ts'
import { breaksOff } from './lost.ts'
import { openSite, type Person, type Site } from './site.ts'

/**
 * kill -9 at every step of a paid call, then a restart. The steps are reached without hooks in the server: with the lock of the
 * account's money, with a reply of PostgreSQL that never comes, and with an upstream that waits.
 */
const stack = new AsyncDisposableStack()
const never = new Promise<never>(() => undefined)
const credits = 1_000_000_000n
const claim = { 'idempotency-key': 'order-1' }
/** What the upstream does for whom. */
const scripts = new Map<string, () => Script | Promise<Script>>()
let site: Site

beforeAll(async () => {
  site = stack.use(await openSite())
  site.upstream.reply((call) => scripts.get(whoAsks(call.body))?.() ?? answer())
})
afterAll(() => stack.disposeAsync())

/** A request names its person in the prompt, so that the upstream of all of them tells them apart. */
const bodyOf = ({ account }: Person, more: object = {}) => ({
  max_tokens: 100,
  messages: [{ role: 'user', content: account }],
  ...more,
})
const whoAsks = (body: unknown): string => (body as { messages: [{ content: string }] }).messages[0].content
const callsOf = ({ account }: Person): number =>
  site.upstream.calls.filter(({ body }) => whoAsks(body) === account).length

/** The server is killed; a call that it was answering breaks off. */

/** After a restart: the call was charged at its hold and is over, its key says so for good, and the upstream is left alone. */
async function expectAmbiguous(person: Person, body: object, upstreamCalls: number): Promise<void> {
  const restarted = await site.lasting()
  const client = site.client(restarted, person)
  await site.over(person)
  const [receipt, ...more] = await site.receipts(person)
  expect(more).toEqual([])
  expect(receipt).toMatchObject({ state: 'failed', ambiguous: true, charged: receipt!.held })
  expect(receipt!.held).toBeGreaterThan(0n)
  expect(await site.balances(person)).toEqual({ balance: credits - receipt!.held, held: 0n })
  const answer = await client.receipt(receipt!.receipt_id)
  expect(answer.body).toMatchObject({
    state: 'failed',
    ambiguous: true,
    pending: false,
    details: { outcome: 'ambiguous' },
  })

  for (const _again of [1, 2]) {
    const repeat = await site.post(client, '/v1/chat/completions', body, claim)
    expect(repeat.status).toBe(409)
    expect(repeat.body.error).toMatchObject({
      code: 'REQUEST_ALREADY_ACCEPTED',
      receipt_id: receipt!.receipt_id,
    })
    expect(repeat.headers.get('x-should-retry')).toBe('false')
  }
  expect(callsOf(person)).toBe(upstreamCalls)
  expect(await site.violations()).toEqual([])
}

test.concurrent('killed before the hold: nothing is charged, and the idempotency key still works', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  {
    await using _lock = await site.lock(person)
    const call = breaksOff(site.client(server, person).chat(bodyOf(person), claim))
    const backend = await site.waiting(person)
    await server.kill()
    await call
    await site.terminate(backend)
  }
  const restarted = await site.lasting()
  expect(await site.receipts(person)).toEqual([])
  expect(await site.balances(person)).toEqual({ balance: credits, held: 0n })
  const retry = await site.client(restarted, person).chat(bodyOf(person), claim)
  expect(retry.status).toBe(200)
  expect(callsOf(person)).toBe(1)
})

test.concurrent('killed while PostgreSQL takes the hold, which it then takes all the same: charged as ambiguous, nothing stays held', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  {
    await using _lock = await site.lock(person)
    const call = breaksOff(site.client(server, person).chat(bodyOf(person), claim))
    await site.waiting(person)
    await server.kill()
    await call
  }
  await until(async () => (await site.receipts(person)).length === 1)
  await expectAmbiguous(person, bodyOf(person), 0)
})

test.concurrent('killed between the hold and the upstream call: charged at the hold, and never sent by a repeat', async () => {
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  await using server = await site.start(proxy.url)
  const person = await site.person({ credits })
  // The hold as JSON; names in quotes are those of other statements.
  const withheld = proxy.withholdReply(/"expires_at":"/)
  const call = breaksOff(site.client(server, person).chat(bodyOf(person), claim))
  await withheld
  expect((await site.receipts(person))[0]).toMatchObject({ state: 'running' })
  await server.kill()
  await call
  await expectAmbiguous(person, bodyOf(person), 0)
})

test.concurrent('killed during an upstream call: charged at the hold, and never sent by a repeat', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  scripts.set(person.account, () => never)
  const call = breaksOff(site.client(server, person).chat(bodyOf(person), claim))
  await until(() => callsOf(person) === 1)
  await server.kill()
  await call
  await expectAmbiguous(person, bodyOf(person), 1)
})

test.concurrent('killed in the middle of a stream: it breaks off, is charged at the hold, and never sent by a repeat', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  scripts.set(person.account, () =>
    stream([chunk({ role: 'assistant', content: '' }), chunk({ content: 'half' }), never]),
  )
  const body = bodyOf(person, { stream: true })
  const reader = await openStream(site.client(server, person), body)
  await readUntil(reader, 'half')
  await server.kill()
  await breaksOff(readToEnd(reader))
  await expectAmbiguous(person, body, 1)
})

test.concurrent('killed after the answer and before its settlement: charged at the hold', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  const released = Promise.withResolvers<Script>()
  scripts.set(person.account, () => released.promise)
  // Without an idempotency key the answer does not wait for its settlement.
  const call = site.client(server, person).chat(bodyOf(person))
  await until(() => callsOf(person) === 1)
  {
    await using _lock = await site.lock(person)
    released.resolve(answer())
    expect((await call).status).toBe(200)
    const backend = await site.waiting(person)
    await server.kill()
    await site.terminate(backend)
  }
  await site.lasting()
  await site.over(person)
  const [receipt] = await site.receipts(person)
  expect(receipt).toMatchObject({ state: 'failed', ambiguous: true, charged: receipt!.held })
  expect(await site.balances(person)).toEqual({ balance: credits - receipt!.held, held: 0n })
})

test.concurrent('killed while PostgreSQL settles, which it then does all the same: charged what was used, once', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  const released = Promise.withResolvers<Script>()
  scripts.set(person.account, () => released.promise)
  const call = breaksOff(site.client(server, person).chat(bodyOf(person), claim))
  await until(() => callsOf(person) === 1)
  {
    await using _lock = await site.lock(person)
    released.resolve(answer())
    await site.waiting(person)
    await server.kill()
    await call
  }
  const restarted = await site.lasting()
  await site.over(person)
  const [receipt] = await site.receipts(person)
  // A word of the prompt at 1,000 and 13 of the answer at 2,000 micro-credits.
  expect(receipt).toMatchObject({ state: 'completed', ambiguous: false, charged: 27_000n })
  // The answer that never reached its caller is there for the repeat.
  const repeat = await site.client(restarted, person).chat(bodyOf(person), claim)
  expect(repeat.status).toBe(200)
  expect(repeat.headers.get('idempotent-replayed')).toBe('true')
  expect(callsOf(person)).toBe(1)
})

async function openStream(client: Client, body: object) {
  const reply = await client.raw('POST', '/v1/chat/completions', JSON.stringify(body), claim)
  return reply.body!.pipeThrough(new TextDecoderStream()).getReader()
}

async function readToEnd(reader: ReadableStreamDefaultReader<string>): Promise<void> {
  while (!(await reader.read()).done);
}
