import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import type { Seen } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { answer, type Script } from '../../harness/upstream.ts'

/** The database breaks, never the server: no call is lost, none is unpaid, none is paid twice. */
const stack = new AsyncDisposableStack()
const credits = 1_000_000_000n
/** A word of the prompt at 1,000 and 13 of the answer at 2,000 micro-credits. */
const charge = 27_000n
let site: Site
const scripts = new Map<string, () => Script | Promise<Script>>()

beforeAll(async () => {
  site = stack.use(await openSite())
  site.upstream.reply((call) => scripts.get(whoAsks(call.body))?.() ?? answer())
})
afterAll(() => stack.disposeAsync())

const bodyOf = ({ account }: Person) => ({ max_tokens: 100, messages: [{ role: 'user', content: account }] })
const whoAsks = (body: unknown): string => (body as { messages: [{ content: string }] }).messages[0].content
const callsOf = (site: Site, { account }: Person): number =>
  site.upstream.calls.filter(({ body }) => whoAsks(body) === account).length

/** Every answer was charged once, every other call nothing. */
async function expectPaid(site: Site, person: Person, replies: Seen[]): Promise<void> {
  await until(async () => (await site.balances(person)).held === 0n)
  const answered = replies.filter(({ status }) => status === 200)
  const receipts = await site.receipts(person)
  expect(receipts.filter(({ state }) => state === 'completed')).toHaveLength(answered.length)
  for (const { state, charged } of receipts) expect(charged).toBe(state === 'completed' ? charge : 0n)
  expect(await site.balances(person)).toEqual({
    balance: credits - charge * BigInt(answered.length),
    held: 0n,
  })
  expect(callsOf(site, person)).toBe(answered.length)
  expect(await site.violations()).toEqual([])
}

test.concurrent('a lost COMMIT reply of a hold: the call goes on, held and charged once', async () => {
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  await using server = await site.start(proxy.url)
  const person = await site.person({ credits })
  const lost = proxy.loseReply(/"expires_at":"/)
  const reply = await site.client(server, person).chat(bodyOf(person), { 'idempotency-key': 'order-1' })
  await lost
  expect(reply.status).toBe(200)
  expect(await site.receipts(person)).toHaveLength(1)
  await expectPaid(site, person, [reply])
})

test.concurrent('a lost COMMIT reply of a settlement: charged once, and the answer stays to be replayed', async () => {
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  await using server = await site.start(proxy.url)
  const person = await site.person({ credits })
  const client = site.client(server, person)
  const lost = proxy.loseReply(/"actual"/)
  const reply = await client.chat(bodyOf(person), { 'idempotency-key': 'order-1' })
  await lost
  expect(reply.status).toBe(200)
  const repeat = await client.chat(bodyOf(person), { 'idempotency-key': 'order-1' })
  expect(repeat.text).toBe(reply.text)
  await expectPaid(site, person, [reply])
  // Counted by the sending that was answered, although it found the hold gone.
  const { text } = await client.get('/metrics')
  expect(text).toMatch(new RegExp(`^kherad_charged_microcredits_total ${charge}$`, 'm'))
})

test.concurrent('all connections are terminated again and again under load: every call is answered and charged once', async () => {
  // On a database of its own, where nobody else minds; its process is not taken for dead while its connections are cut.
  await using site = await openSite()
  await using server = await site.start()
  const person = await site.person({ credits })
  const client = site.client(server, person)
  const replies: Seen[] = []
  let terminated = 0
  const worker = async (): Promise<void> => {
    for (let calls = 0; calls < 5 || terminated < 12; calls++) replies.push(await client.chat(bodyOf(person)))
  }
  const load = Promise.all(Array.from({ length: 20 }, worker))
  while (terminated < 12) {
    const victims = await site.db.query(
      {
        text: `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and query like '%ledger.commit%'`,
      },
      [],
    )
    terminated += victims.length
  }
  await load
  // Reading the key may meet a broken connection: that is a 503, before anything was held.
  expect(replies.every(({ status }) => status === 200 || status === 503)).toBe(true)
  expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(20)
  await expectPaid(site, person, replies)
})

test.concurrent('the database is away under load: 503 with Retry-After, nothing unpaid, nothing lost, and all is well again without a restart', async () => {
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  await using server = await site.start(proxy.url)
  const person = await site.person({ credits })
  const client = site.client(server, person)
  const released = Promise.withResolvers<Script>()
  scripts.set(person.account, () => released.promise)
  const underWay = Array.from({ length: 5 }, () => client.chat(bodyOf(person)))
  await until(() => callsOf(site, person) === 5)

  proxy.away()
  const refused = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      client.chat(bodyOf(person), { 'idempotency-key': `order-${index}` }),
    ),
  )
  for (const reply of refused) {
    expect(reply.status).toBe(503)
    expect(reply.body.error.code).toBe('SERVICE_UNAVAILABLE')
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(reply.headers.get('x-should-retry')).toBeNull()
  }
  // Answers that were paid for before are given, and settled when the database is back.
  released.resolve(answer())
  const answered = await Promise.all(underWay)
  proxy.back()
  const seen: number[] = []
  const again = await until(async () => {
    const reply = await client.chat(bodyOf(person), { 'idempotency-key': 'order-0' })
    seen.push(reply.status)
    return reply.status === 200 ? reply : undefined
  })
  // A key whose call was refused is never said to be taken.
  expect(seen.filter((status) => status !== 200 && status !== 503)).toEqual([])
  await expectPaid(site, person, [...answered, again])
})

test.concurrent('a hold that waits too long for the database is refused with 503, undone, and its idempotency key works at once', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  const client = site.client(server, person)
  const claim = { 'idempotency-key': 'order-1' }
  let repeat: Promise<Seen>
  {
    await using _lock = await site.lock(person)
    const reply = await client.chat(bodyOf(person), claim)
    expect(reply.status).toBe(503)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    // It waits behind what undoes the first.
    repeat = client.chat(bodyOf(person), claim)
    await site.waiting(person)
  }
  expect((await repeat).status).toBe(200)
  await expectPaid(site, person, [await repeat])
})

test.concurrent('a hold whose COMMIT reply was lost, then swept by another process as ambiguous: undone when the database is back, the key works', async () => {
  await using site = await openSite()
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  const [server] = await Promise.all([site.start(proxy.url), site.start()])
  const person = await site.person({ credits })
  const client = site.client(server, person)
  const claim = { 'idempotency-key': 'order-1' }
  const lost = proxy.loseReply(/"expires_at":"/)
  const call = client.chat(bodyOf(person), claim)
  await lost
  proxy.away()
  expect((await call).status).toBe(503)
  // The other process takes this one for dead.
  await site.endLeases(server)
  await until(async () => (await site.receipts(person))[0]?.ambiguous)
  expect((await site.balances(person)).balance).toBeLessThan(credits)
  proxy.back()
  await until(async () => (await site.balances(person)).balance === credits)
  const [undone] = await site.receipts(person)
  expect(undone).toMatchObject({ state: 'failed', ambiguous: false, claiming: false, charged: 0n })
  const repeat = await until(async () => {
    const reply = await client.chat(bodyOf(person), claim)
    return reply.status === 503 ? undefined : reply
  })
  expect(repeat.status).toBe(200)
  await expectPaid(site, person, [repeat])
})

test.concurrent('a hold that was refused while its COMMIT reply was lost is undone before anything new: its key is never said to be taken', async () => {
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  await using server = await site.start(proxy.url)
  const person = await site.person({ credits })
  const client = site.client(server, person)
  const claim = { 'idempotency-key': 'order-1' }
  const lost = proxy.loseReply(/"expires_at":"/)
  const call = client.chat(bodyOf(person), claim)
  await lost
  proxy.away()
  expect((await call).status).toBe(503)
  proxy.back()
  const seen: number[] = []
  const repeat = await until(async () => {
    const reply = await client.chat(bodyOf(person), claim)
    seen.push(reply.status)
    return reply.status === 200 ? reply : undefined
  })
  expect(seen.filter((status) => status !== 200 && status !== 503)).toEqual([])
  await expectPaid(site, person, [repeat])
})

test.concurrent('a database that was away for longer than the lease: processes that live are not taken for dead by the first that is back', async () => {
  // A quarter of it is what a busy machine may keep the second waiting at least.
  const leaseMs = 12_000
  await using site = await openSite({ leaseMs })
  const person = await site.person({ credits })
  const released = Promise.withResolvers<Script>()
  site.upstream.reply(() => released.promise)
  await using first = await DatabaseProxy.open(site.databaseUrl)
  await using second = await DatabaseProxy.open(site.databaseUrl)
  const servers = await Promise.all([site.start(first.url), site.start(second.url)])
  const calls = servers.map((server) => site.client(server, person).chat(bodyOf(person)))
  await until(() => site.upstream.calls.length === 2)

  const beats = () =>
    site.db.query<{ beat_at: Date; silent_ms: number }>(
      {
        text: `select beat_at, extract(epoch from now() - beat_at)::float * 1000 as silent_ms from ledger.processes order by beat_at desc`,
      },
      [],
    )
  first.away()
  second.away()
  await until(async () => (await beats()).every(({ silent_ms }) => silent_ms > leaseMs))
  first.back()
  const { beat_at: back } = await until(async () =>
    (await beats()).find(({ silent_ms }) => silent_ms < leaseMs),
  )
  // Time to sweep, had it wanted to.
  await until(async () =>
    (await beats()).some(({ beat_at }) => beat_at.getTime() - back.getTime() > leaseMs / 4),
  )
  second.back()
  await until(async () => (await beats()).every(({ silent_ms }) => silent_ms < leaseMs))
  released.resolve(answer())
  await expectPaid(site, person, await Promise.all(calls))
  expect(await site.db.query({ text: `select from ledger.entries where reason = 'mend'` }, [])).toEqual([])
})
