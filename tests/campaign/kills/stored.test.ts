/** kill -9 around an order of pictures, sound and vectors: nothing is charged that is not stored, and nothing is ordered twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { breaksOff, expectLost as expectLostAt, filesOf, reservationsOf } from '../../crash/lost.ts'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'
import { json, silence } from '../../harness/upstream.ts'

const stack = new AsyncDisposableStack()
const credits = 1_000_000_000n
const claim = { 'idempotency-key': 'order-1' }
let site: Site
/** Where no test locks the files of all, nor scripts the upstream. */
let freeSite: Site

beforeAll(async () => {
  site = stack.use(await openSite())
  freeSite = stack.use(await openSite())
})
afterAll(() => stack.disposeAsync())

/** While it is held no file is committed, whoever stores it. */
const noFiles = 'lock table files.files in share mode'

/** What is ordered; `directives` are those of the sandbox. Prices in micro-credits, at 1,000 credits a dollar. */
interface Medium {
  path: string
  body(text: string, directives?: string): Record<string, unknown>
  price(body: Record<string, unknown>): bigint
}
const write = (text: string, directives?: string): string =>
  directives === undefined ? text : `${text} [[sandbox: ${directives}]]`
/** Of `sandbox/speech`: 10 USD for a million characters. */
const spoken = (...texts: unknown[]): bigint => 10_000n * BigInt([...texts.join('')].length)
const media: Record<string, Medium> = {
  picture: {
    path: '/v1/studio/image',
    body: (text, directives) => ({ model: 'sandbox/image', prompt: write(text, directives) }),
    // Of `sandbox/image` at medium quality.
    price: () => 10_000_000n,
  },
  speech: {
    path: '/v1/studio/audio',
    body: (text, directives) => ({ model: 'sandbox/speech', text: write(text, directives) }),
    price: ({ text }) => spoken(text),
  },
  dialogue: {
    path: '/v1/studio/audio',
    body: (text, directives) => ({
      model: 'sandbox/speech',
      turns: [
        { text: write(text, directives), voice: 'sandbox-mina' },
        { text: 'درود', voice: 'sandbox-kian' },
      ],
    }),
    price: ({ turns }) => spoken(...(turns as { text: string }[]).map(({ text }) => text)),
  },
}

const expectLost = (person: Person, { path, price }: Medium, body: Record<string, unknown>): Promise<void> =>
  expectLostAt(site, person, { path, body, price: price(body), headers: claim, credits })

describe.each(Object.entries(media))('%s', (_, medium) => {
  const { path, body: bodyOf, price } = medium

  test.concurrent('killed while it is made: free, the loss of the platform, and never ordered again', async () => {
    await using server = await site.start()
    const person = await site.person({ credits })
    const body = bodyOf('a cat', 'first_token_ms=60000')
    const call = breaksOff(site.client(server, person).post(path, body, claim))
    await until(
      async () =>
        (await site.balances(person)).held === price(body) &&
        (await reservationsOf(site, person)).length === 1,
    )
    await server.kill()
    await call
    await expectLost(person, medium, body)
  })

  test.concurrent('killed after it was stored and before it was committed: free, and no file is left', async () => {
    await using server = await site.start()
    const person = await site.person({ credits })
    const body = bodyOf('a dog')
    // Its row cannot be written before its account is locked.
    const files = await site.holding(noFiles)
    const call = breaksOff(site.client(server, person).post(path, body, claim))
    await until(async () => (await site.balances(person)).held === price(body))
    {
      await using _lock = await site.lock(person)
      await files[Symbol.asyncDispose]()
      // Its transaction waits for the account with everything written.
      const backend = await site.settling(person)
      await server.kill()
      await call
      await site.terminate(backend)
    }
    await expectLost(person, medium, body)
  })

  test.concurrent('killed after the commit: charged once, and the file is there for whoever asks again', async () => {
    const site = freeSite
    await using server = await site.start()
    const person = await site.person({ credits })
    const body = bodyOf('a bird')
    // Whether the answer still leaves is chance; what was committed is not.
    const call = site.sent(site.client(server, person), path, body, claim)
    await call.until(async () => (await filesOf(site, person)).length === 1)
    await server.kill()
    await call.over
    const restarted = await site.lasting()
    const client = site.client(restarted, person)
    expect(await site.balances(person)).toEqual({ balance: credits - price(body), held: 0n })
    const [file] = await filesOf(site, person)
    const kept = await client.raw('GET', `/v1/files/${file!.file_id}`)
    expect(kept.status).toBe(200)
    expect((await kept.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
    const repeat = await site.post(client, path, body, claim)
    expect(repeat.status, repeat.text).toBe(200)
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    expect(repeat.headers.get('x-file-ids')).toBe(file!.file_id)
    expect(await filesOf(site, person)).toHaveLength(1)
    expect(await site.violations()).toEqual([])
  })

  test.concurrent('asked for of two processes at once with one key: made and charged once, and both know', async () => {
    const site = freeSite
    const [one, other] = await Promise.all([site.lasting(0), site.lasting(1)])
    const person = await site.person({ credits })
    const body = bodyOf('a horse', 'first_token_ms=300')
    const replies = await Promise.all(
      [one, other, one, other].map((server) => site.post(site.client(server, person), path, body, claim)),
    )
    const made = replies.filter(({ status }) => status === 200)
    expect(made.length).toBeGreaterThanOrEqual(1)
    for (const { status, body: refused } of replies)
      if (status !== 200) expect([status, refused.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(await site.balances(person)).toEqual({ balance: credits - price(body), held: 0n })
    expect(await filesOf(site, person)).toHaveLength(1)
    expect(await site.receipts(person)).toHaveLength(1)
    expect(await site.violations()).toEqual([])
  })
})

describe('vectors, which nothing stores', () => {
  const path = '/v1/embeddings'
  const body = { model: 'test/near', input: 'گربه' }
  const vector = { data: [{ index: 0, embedding: [1, 0] }], usage: { prompt_tokens: 5 } }

  test.concurrent('killed while they are made: free, the loss of the platform, and never ordered again', async () => {
    await using server = await site.start()
    const person = await site.person({ credits })
    const before = site.upstream.calls.length
    site.upstream.replyOnce(silence)
    const call = breaksOff(site.client(server, person).post(path, body, claim))
    await site.upstream.call(before)
    const { held } = await site.balances(person)
    await server.kill()
    await call
    const restarted = await site.lasting()
    await site.over(person)
    const [receipt, ...more] = await site.receipts(person)
    expect(more).toEqual([])
    expect(receipt).toMatchObject({ state: 'failed', charged: 0n, held, detail: { outcome: 'lost' } })
    expect(await site.balances(person)).toEqual({ balance: credits, held: 0n })
    const [loss] = await site.db.query<{ amount: bigint }>(
      { text: `select amount from ledger.entries where account_id = $1 and book = 'loss'` },
      [person.account],
    )
    expect(loss?.amount).toBe(-held)
    const repeat = await site.client(restarted, person).post(path, body, claim)
    expect([repeat.status, repeat.body.error.code]).toEqual([409, 'REQUEST_ALREADY_ACCEPTED'])
    expect(site.upstream.calls.length - before).toBe(1)
    expect(await site.violations()).toEqual([])
  })

  test.concurrent('asked for of two processes at once with one key: ordered and charged once', async () => {
    const site = freeSite
    const [one, other] = await Promise.all([site.lasting(0), site.lasting(1)])
    const person = await site.person({ credits })
    site.upstream.reply(json(200, vector))
    const before = site.upstream.calls.length
    const replies = await Promise.all(
      [one, other, one, other].map((server) => site.post(site.client(server, person), path, body, claim)),
    )
    for (const { status, body: refused } of replies)
      if (status !== 200) expect([status, refused.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    await until(async () => (await site.balances(person)).held === 0n)
    expect(site.upstream.calls.length - before).toBe(1)
    expect(await site.balances(person)).toEqual({ balance: credits - 5n * 500n, held: 0n })
  })
})

test.concurrent('told to stop while a picture is drawn whose caller has left: it is stored, charged once and found again', async () => {
  const site = freeSite
  await using server = await site.start()
  const person = await site.person({ credits })
  const { path, body: bodyOf, price } = media['picture']!
  const body = bodyOf('a fox', 'first_token_ms=700')
  const leaving = new AbortController()
  let stopped: Promise<number | null>
  {
    // It cannot be answered before its caller has left and the server is told to stop.
    await using _files = await site.holding(noFiles)
    const call = breaksOff(
      site.client(server, person).raw('POST', path, JSON.stringify(body), claim, leaving.signal),
    )
    await until(async () => (await site.balances(person)).held === price(body))
    leaving.abort()
    await call
    stopped = server.stop()
  }
  expect(await stopped).toBe(0)
  expect(await site.balances(person)).toEqual({ balance: credits - price(body), held: 0n })
  expect(await filesOf(site, person)).toHaveLength(1)
  const restarted = await site.lasting()
  const repeat = await site.post(site.client(restarted, person), path, body, claim)
  expect(repeat.status, repeat.text).toBe(200)
  expect(repeat.headers.get('idempotent-replayed')).toBe('true')
})
