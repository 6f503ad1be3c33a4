/**
 * kill -9 at the other steps of a paid call than those of crash/kill.test.ts. They are reached without hooks in the server: with the lock of the
 * account's money, and with a reply of PostgreSQL that never comes.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { bodyOf, claim, credits, KilledCalls } from '../../crash/killed-calls.ts'
import { breaksOff } from '../../crash/lost.ts'
import type { Site } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'
import { answer, type Script } from '../../harness/upstream.ts'

const stack = new AsyncDisposableStack()
let calls: KilledCalls
let site: Site

beforeAll(async () => {
  calls = stack.use(await KilledCalls.open())
  site = calls.site
})
afterAll(() => stack.disposeAsync())

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
  expect(calls.of(person)).toBe(1)
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
  await calls.expectAmbiguous(person, bodyOf(person), 0)
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
  await calls.expectAmbiguous(person, bodyOf(person), 0)
})

test.concurrent('killed after the answer and before its settlement: charged at the hold', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  const released = Promise.withResolvers<Script>()
  calls.script(person, () => released.promise)
  // Without an idempotency key the answer does not wait for its settlement.
  const call = site.client(server, person).chat(bodyOf(person))
  await calls.begun(person)
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
  calls.script(person, () => released.promise)
  const call = breaksOff(site.client(server, person).chat(bodyOf(person), claim))
  await calls.begun(person)
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
  expect(calls.of(person)).toBe(1)
})
