/** kill -9 around an order of pictures: nothing is charged that is not stored, and nothing is ordered twice. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { longLeaseMs, openSite, type Person, type Site } from './site.ts'

const stack = new AsyncDisposableStack()
const credits = 1_000_000_000n
const claim = { 'idempotency-key': 'order-1' }
/** Of `sandbox/image` at medium quality, at 1,000 credits a dollar. */
const price = 10_000_000n
let site: Site
/** Where nobody is taken for dead who only stood still: a result that is stored after that is free. */
let patientSite: Site

beforeAll(async () => {
  site = stack.use(await openSite())
  patientSite = stack.use(await openSite({ leaseMs: longLeaseMs }))
})
afterAll(() => stack.disposeAsync())

const bodyOf = (prompt: string) => ({ model: 'sandbox/image', prompt })
const breaksOff = (call: Promise<unknown>): Promise<void> => expect(call).rejects.toThrow()

const filesOf = ({ account }: Person, { db } = site) =>
  db.query<{ file_id: string }>({ text: 'select file_id from files.files where account_id = $1' }, [account])

const reservationsOf = ({ account }: Person) =>
  site.db.query({ text: 'select from files.reservations where account_id = $1' }, [account])

/** The call is over, free, and its price the platform's loss; its key stays used and its room is given back. */
async function expectLost(person: Person, prompt: string): Promise<void> {
  await using restarted = await site.start()
  await until(async () => (await site.balances(person)).held === 0n)
  expect(await site.balances(person)).toEqual({ balance: credits, held: 0n })
  const [receipt, ...more] = await site.receipts(person)
  expect(more).toEqual([])
  expect(receipt).toMatchObject({ state: 'failed', charged: 0n, held: price, detail: { outcome: 'lost' } })
  const [loss] = await site.db.query<{ amount: bigint }>(
    { text: `select amount from ledger.entries where account_id = $1 and book = 'loss'` },
    [person.account],
  )
  expect(loss?.amount).toBe(-price)
  const repeat = await site.client(restarted, person).post('/v1/studio/image', bodyOf(prompt), claim)
  expect(repeat.status).toBe(409)
  expect(repeat.body.error.code).toBe('REQUEST_ALREADY_ACCEPTED')
  expect(await filesOf(person)).toEqual([])
  await until(async () => (await reservationsOf(person)).length === 0)
  expect(await site.violations()).toEqual([])
}

test.concurrent('killed while the picture is drawn: free, the loss of the platform, and never ordered again', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  const prompt = 'a cat [[sandbox: first_token_ms=60000]]'
  const call = breaksOff(site.client(server, person).post('/v1/studio/image', bodyOf(prompt), claim))
  await until(
    async () => (await site.balances(person)).held === price && (await reservationsOf(person)).length === 1,
  )
  await server.kill()
  await call
  await expectLost(person, prompt)
})

test.concurrent('killed after the picture was stored and before it was committed: free, and no file is left', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  const prompt = 'a dog [[sandbox: first_token_ms=1500]]'
  const call = breaksOff(site.client(server, person).post('/v1/studio/image', bodyOf(prompt), claim))
  await until(async () => (await site.balances(person)).held === price)
  {
    await using _lock = await site.lock(person)
    // Its transaction waits for the account with everything written.
    const backend = await until(async () => {
      const [row] = await site.db.query<{ pid: number }>(
        {
          text: `select a.pid from pg_stat_activity a, unnest(pg_blocking_pids(a.pid)) blocker
            join pg_stat_activity b on b.pid = blocker
            where a.datname = current_database() and a.query like '%settle_in%' and b.query like '%' || $1 || '%'`,
        },
        [person.account],
      )
      return row?.pid
    })
    await server.kill()
    await call
    await site.terminate(backend)
  }
  await expectLost(person, prompt)
})

test.concurrent('killed after the commit: charged once, and the file is there for whoever asks again', async () => {
  const site = patientSite
  await using server = await site.start()
  const person = await site.person({ credits })
  const prompt = 'a bird'
  // Whether the answer still leaves is chance; what was committed is not.
  const call = site
    .client(server, person)
    .post('/v1/studio/image', bodyOf(prompt), claim)
    .catch(() => undefined)
  await until(async () => (await filesOf(person, site)).length === 1)
  await server.kill()
  await call
  await using restarted = await site.start()
  const client = site.client(restarted, person)
  expect(await site.balances(person)).toEqual({ balance: credits - price, held: 0n })
  const [file] = await filesOf(person, site)
  const kept = await client.raw('GET', `/v1/files/${file!.file_id}`)
  expect(kept.status).toBe(200)
  expect((await kept.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
  const repeat = await client.post('/v1/studio/image', bodyOf(prompt), claim)
  expect(repeat.status, repeat.text).toBe(200)
  expect(repeat.headers.get('idempotent-replayed')).toBe('true')
  expect(await filesOf(person, site)).toHaveLength(1)
  expect(await site.violations()).toEqual([])
})

test.concurrent('told to stop while a picture is drawn whose caller has left: it is stored, charged once and found again', async () => {
  const site = patientSite
  await using server = await site.start()
  const person = await site.person({ credits })
  const body = bodyOf('a fox [[sandbox: first_token_ms=700]]')
  const leaving = new AbortController()
  const { secret } = site.client(server, person)
  const call = breaksOff(
    fetch(`${server.url}/v1/studio/image`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...claim },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }),
  )
  await until(async () => (await site.balances(person)).held === price)
  leaving.abort()
  await call
  expect(await server.stop()).toBe(0)
  expect(await site.balances(person)).toEqual({ balance: credits - price, held: 0n })
  expect(await filesOf(person, site)).toHaveLength(1)
  await using restarted = await site.start()
  const repeat = await site.client(restarted, person).post('/v1/studio/image', body, claim)
  expect(repeat.status, repeat.text).toBe(200)
  expect(repeat.headers.get('idempotent-replayed')).toBe('true')
})
