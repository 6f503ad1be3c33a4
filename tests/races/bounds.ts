/** The bounds of a balance, and many calls at once that together exceed one of them, at several processes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caps } from '#platform/ledger'
import { openSite, type Person, type Site } from '../crash/site.ts'
import type { Client } from '../harness/client.ts'
import type { ServerProcess } from '../harness/processes.ts'
import { until } from '../harness/until.ts'
import { answer } from '../harness/upstream.ts'

let site: Site
let servers: ServerProcess[]
/** What one call of this test holds, and what it costs in the end, in micro-credits. */
let price: { hold: bigint; charge: bigint }

const ask = { max_tokens: 100 }

/** Starts so many server processes on one database before the tests of the file. */
export function openServers(processes: number): void {
  const stack = new AsyncDisposableStack()
  beforeAll(async () => {
    site = stack.use(await openSite())
    servers = await Promise.all(Array.from({ length: processes }, () => site.start()))
    price = await measurePrice()
  })
  afterAll(() => stack.disposeAsync())
}

/** Asked again where the database did not answer in time, with so many calls at once: nothing was done then. */
const chat = (client: Client, body: object) =>
  site.post(client, '/v1/chat/completions', { messages: [{ role: 'user', content: 'hello' }], ...body }, {})

/** From the receipt of one such call; the part of its output limit is known: 100 tokens at 2,000 micro-credits. */
async function measurePrice(): Promise<typeof price> {
  const somebody = await site.person()
  const reply = await site.client(servers[0]!, somebody).chat(ask)
  expect(reply.status).toBe(200)
  await site.healed()
  const [receipt] = await site.receipts(somebody)
  expect(receipt!.held).toBeGreaterThan(200_000n)
  // The fake upstream bills a token a word: 1 of the prompt at 1,000 and 13 of the answer at 2,000 micro-credits.
  expect(receipt!.charged).toBe(27_000n)
  return { hold: receipt!.held, charge: receipt!.charged }
}

const plenty = 10n ** 12n

interface Bound {
  name: string
  code: string
  /** How many calls it pays for. */
  pays: number
  person: (limit: bigint) => { credits: bigint; account?: Caps; project?: Caps; key?: Caps }
}

const bounds: readonly Bound[] = [
  {
    name: 'balance',
    code: 'INSUFFICIENT_CREDITS',
    pays: 37,
    person: (credits) => ({ credits }),
  },
  { name: 'tiny balance', code: 'INSUFFICIENT_CREDITS', pays: 1, person: (credits) => ({ credits }) },
  {
    name: 'total cap of the key',
    code: 'BUDGET_EXCEEDED',
    pays: 37,
    person: (cap) => ({ credits: plenty, key: { cap } }),
  },
  {
    name: 'total cap of the project',
    code: 'BUDGET_EXCEEDED',
    pays: 37,
    person: (cap) => ({ credits: plenty, project: { cap } }),
  },
  {
    name: 'monthly cap of the account',
    code: 'BUDGET_EXCEEDED',
    pays: 37,
    person: (monthCap) => ({ credits: plenty, account: { monthCap } }),
  },
  {
    name: 'rate of the key',
    code: 'RATE_LIMITED',
    pays: 37,
    person: () => ({ credits: plenty, key: { ratePerMinute: 37 } }),
  },
  {
    name: 'rate of the account',
    code: 'RATE_LIMITED',
    pays: 37,
    person: () => ({ credits: plenty, account: { ratePerMinute: 37 } }),
  },
  {
    name: 'number of concurrent calls of the project',
    code: 'CONCURRENCY_LIMITED',
    pays: 37,
    person: () => ({ credits: plenty, project: { concurrency: 37 } }),
  },
]

/** A test for each bound: of so many calls at once, exactly those are admitted that it pays for. */
export const proveBounds = (calls: number): void =>
  test.each(bounds)(
    `of ${calls} parallel calls on a $name that pays $pays, exactly $pays are admitted, and everything settles`,
    async ({ code, pays, person: limited }) => {
      // One micro-credit less than one more call needs.
      const limit = price.hold * BigInt(pays + 1) - 1n
      const person = await site.person(limited(limit))
      const status = code.endsWith('LIMITED') ? 429 : 402
      const released = Promise.withResolvers<void>()
      const before = site.upstream.calls.length
      site.upstream.reply(() => released.promise.then(() => answer()))

      let refused = 0
      const replies = Promise.all(
        Array.from({ length: calls }, async (_, index) => {
          const reply = await chat(site.client(servers[index % servers.length]!, person), ask)
          if (reply.status === status) refused++
          return reply
        }),
      )
      await until(() => refused === calls - pays && site.upstream.calls.length - before === pays)

      await expectBooks(person, { held: price.hold * BigInt(pays) })
      released.resolve()
      const seen = await replies
      expect(seen.filter(({ status }) => status === 200)).toHaveLength(pays)
      const no = seen.filter(({ status }) => status !== 200)
      expect(new Set(no.map(({ body }) => body.error.code))).toEqual(new Set([code]))
      if (status === 402)
        expect(new Set(no.map(({ headers }) => headers.get('x-should-retry')))).toEqual(new Set(['false']))
      else expect(no.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true)

      await site.healed()
      const { balance } = await expectBooks(person, { held: 0n })
      const receipts = await site.receipts(person)
      expect(receipts).toHaveLength(pays)
      expect(receipts.every(({ state, charged }) => state === 'completed' && charged === price.charge)).toBe(
        true,
      )
      expect(balance).toBe(limited(limit).credits - price.charge * BigInt(pays))
      expect(site.upstream.calls.length - before).toBe(pays)
    },
  )

/** Of calls that do not say how much they may cost. */
export async function shareWithoutLimits(): Promise<void> {
  const credits = 5_000_000n
  const person = await site.person({ credits })
  const released = Promise.withResolvers<void>()
  const before = site.upstream.calls.length
  site.upstream.reply(() => released.promise.then(() => answer()))
  let refused = 0
  const calls = Array.from({ length: 60 }, async (_, index) => {
    const reply = await chat(site.client(servers[index % 2]!, person), {})
    if (reply.status === 402) refused++
    return reply
  })
  await until(() => refused + (site.upstream.calls.length - before) === calls.length)
  const { held } = await site.balances(person)
  expect(held).toBeGreaterThan(credits - 600_000n)
  await expectBooks(person, { held })
  released.resolve()
  const admitted = (await Promise.all(calls)).filter(({ status }) => status === 200)
  expect(admitted.length).toBe(site.upstream.calls.length - before)
  expect(admitted.length).toBeGreaterThan(0)
  for (const { headers } of admitted)
    expect(Number(headers.get('x-max-output-tokens'))).toBeGreaterThanOrEqual(256)
  await site.healed()
  expect((await site.balances(person)).balance).toBe(credits - price.charge * BigInt(admitted.length))
}

/** The four sentences of the guarantee, each asked of the database. */
async function expectBooks(person: Person, { held }: { held: bigint }): Promise<{ balance: bigint }> {
  const [sums] = await site.db.query<Record<'all' | 'credits' | 'holds', string>>(
    {
      text: `select (select sum(amount) from ledger.entries where account_id = $1)::text as all,
          (select sum(amount) from ledger.entries where account_id = $1 and book = 'credits')::text as credits,
          (select coalesce(sum(amount), 0) from ledger.holds where account_id = $1)::text as holds`,
    },
    [person.account],
  )
  const books = await site.balances(person)
  expect(books.balance - books.held).toBeGreaterThanOrEqual(0n)
  expect(sums).toEqual({ all: '0', credits: String(books.balance), holds: String(books.held) })
  expect(books.held).toBe(held)
  const told = await site.client(servers[0]!, person).get('/v1/balance')
  expect(told.body).toMatchObject({
    reserved_microcredits: String(held),
    balance_microcredits: String(books.balance - books.held),
  })
  expect(await site.db.query({ text: 'select * from ledger.violations' }, [])).toEqual([])
  return books
}
