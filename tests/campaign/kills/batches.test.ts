/**
 * Batches under kill -9, pauses and a database outage: no row is sent twice, every row ends, and the ledger keeps its invariants. The fake
 * upstream counts its calls by custom_id, which is in the prompt.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { credits, onScene, openScene, type Scene } from '../../crash/scene.ts'
import type { Client } from '../../harness/client.ts'
import { upstreamConfig } from '../../harness/config-text.ts'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { answer, type Script } from '../../harness/upstream.ts'
import { Random } from '../../simulation/random.ts'
import { ended, linesOf, path, results, row, rows } from '../../text/batches-world.ts'
import { version } from '../../text/messages-world.ts'

const scene = (name: string, act: (at: Scene) => Promise<void>): void => onScene(openScene, name, act)

async function send(client: Client, requests: unknown): Promise<string> {
  const reply = await client.post(path, { requests }, version)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.id
}

const prompt = 'the only prompt'
const only = [row('only', { max_tokens: 100, messages: [{ role: 'user', content: prompt }] })]
const asked = ({ calls }: Scene): number => calls.get(prompt) ?? 0

/** After a restart the row ends so, its upstream was asked so often, and the person pays what the one receipt says. */
async function expectEnd(at: Scene, id: string, how: 'succeeded' | 'ambiguous', upstreamCalls: number) {
  const { site, person } = at
  const client = site.client(await site.start(), person)
  await site.endLeases()
  await ended(client, id)
  const [{ result }] = await results(client, id)
  if (how === 'succeeded') expect(result).toMatchObject({ type: 'succeeded', message: { type: 'message' } })
  else expect(result).toMatchObject({ type: 'errored', error: { type: 'error', error: lost } })
  expect(asked(at)).toBe(upstreamCalls)
  await site.over(person)
  const receipts = await site.receipts(person)
  const charged = receipts.reduce((sum, receipt) => sum + receipt.charged, 0n)
  expect(receipts.filter((receipt) => receipt.charged > 0n)).toHaveLength(1)
  expect((await site.balances(person)).balance).toBe(credits - charged)
  expect(receipts.some(({ ambiguous }) => ambiguous)).toBe(how === 'ambiguous')
  expect(await site.violations()).toEqual([])
}

const lost = { code: 'AMBIGUOUS_RESULT', receipt_id: expect.any(String) }

// First, since they take longest.
for (const { seed, count, kills } of [
  { seed: 1, count: 500, kills: 4 },
  { seed: 2, count: 120, kills: 2 },
  { seed: 3, count: 120, kills: 2 },
])
  scene(
    `kill -9 of random processes at random moments: no row is asked twice and every row ends (seed ${seed}, ${count} rows)`,
    async (at) => {
      const { site, person } = at
      const random = new Random(seed)
      const servers = await Promise.all([site.start(), site.start()])
      const lostBefore = new Set<string>()
      const counts = await stressed(
        at,
        count,
        () => site.client(servers.at(-1)!, person),
        async (progress) => {
          for (let kill = 1; kill <= kills; kill++) {
            const when = Math.floor((count * (kill - random.next())) / (kills + 1))
            await until(() => progress() >= when)
            await servers.splice(random.next() < 0.5 ? 0 : 1, 1)[0]!.kill()
            for (const one of await lostRows(at)) lostBefore.add(one)
            servers.push(await site.start())
            await site.endLeases()
          }
        },
        lostBefore,
      )
      expect(counts.succeeded + counts.errored).toBe(count)
      // What was lost is what ran in the killed processes.
      expect(counts.errored).toBeLessThanOrEqual(kills * 16)
    },
  )

scene('killed before the hold: the row is begun anew', async (at) => {
  const { site, person } = at
  const server = await site.start()
  let id: string
  {
    await using _lock = await site.lock(person)
    id = await send(site.client(server, person), only)
    const backend = await site.waiting(person)
    await server.kill()
    await site.terminate(backend)
  }
  await expectEnd(at, id, 'succeeded', 1)
})

scene(
  'killed while PostgreSQL takes the hold, which it then takes all the same: ambiguous, never asked',
  async (at) => {
    const { site, person } = at
    const server = await site.start()
    let id: string
    {
      await using _lock = await site.lock(person)
      id = await send(site.client(server, person), only)
      await site.waiting(person)
      await server.kill()
    }
    await expectEnd(at, id, 'ambiguous', 0)
  },
)

scene('killed between the hold and the call: ambiguous, never asked', async (at) => {
  const { site, person } = at
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  const server = await site.start(proxy.url)
  const withheld = proxy.withholdReply(/"process_id"/)
  const id = await send(site.client(server, person), only)
  await withheld
  await server.kill()
  await expectEnd(at, id, 'ambiguous', 0)
})

/** The server has sent the row's call, which the upstream answers when it is released. */
async function inTheCall(at: Scene) {
  const { site, person, scripts } = at
  const server = await site.start()
  const released = Promise.withResolvers<Script>()
  scripts.set(prompt, () => released.promise)
  const id = await send(site.client(server, person), only)
  await until(() => asked(at) === 1)
  return { server, id, release: () => released.resolve(answer()) }
}

scene('killed in the middle of the call: ambiguous, charged at its hold, never asked again', async (at) => {
  const { server, id } = await inTheCall(at)
  await server.kill()
  await expectEnd(at, id, 'ambiguous', 1)
})

scene('killed after the answer and before its settlement: ambiguous, never asked again', async (at) => {
  const { site, person } = at
  const { server, id, release } = await inTheCall(at)
  {
    await using _lock = await site.lock(person)
    release()
    const backend = await site.waiting(person)
    await server.kill()
    await site.terminate(backend)
  }
  await expectEnd(at, id, 'ambiguous', 1)
})

scene(
  'killed while PostgreSQL settles, which it then does all the same: the row gets the answer that was kept',
  async (at) => {
    const { site, person } = at
    const { server, id, release } = await inTheCall(at)
    {
      await using _lock = await site.lock(person)
      release()
      await site.waiting(person)
      await server.kill()
    }
    await expectEnd(at, id, 'succeeded', 1)
  },
)

scene(
  'killed after the settlement and before the row knows: the row gets the answer that was kept',
  async (at) => {
    const { site, person } = at
    const { server, id, release } = await inTheCall(at)
    const client = await site.db.pool.connect()
    await client.query('begin')
    await client.query('select from batches.batches where account_id = $1 for update', [person.account])
    release()
    await until(async () => (await site.receipts(person))[0]?.state === 'completed')
    await server.kill()
    await client.query('rollback')
    client.release()
    await expectEnd(at, id, 'succeeded', 1)
  },
)

scene('a process that slept through its lease asks nobody twice', async (at) => {
  const { site, person } = at
  const { server: sleeper, id, release } = await inTheCall(at)
  sleeper.child.kill('SIGSTOP')
  const client = site.client(await site.start(), person)
  await site.endLeases(sleeper)
  await ended(client, id)
  sleeper.child.kill('SIGCONT')
  release()
  expect((await results(client, id))[0].result.error.error).toMatchObject(lost)
  // The sleeper tells the true end of the call: what was charged too much goes back.
  await until(async () => !(await site.receipts(person))[0]!.ambiguous)
  expect(asked(at)).toBe(1)
  expect(await site.receipts(person)).toHaveLength(1)
  expect(await site.violations()).toEqual([])
})

scene('a process that slept before its hold finds that another has taken its row over', async (at) => {
  const { site, person } = at
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  const sleeper = await site.start(proxy.url)
  // It has begun the row and does not know it yet.
  const withheld = proxy.withholdReply(/batches\.begin_row/)
  const id = await send(site.client(sleeper, person), only)
  await withheld
  sleeper.child.kill('SIGSTOP')
  const client = site.client(await site.start(), person)
  await site.endLeases(sleeper)
  await ended(client, id)
  sleeper.child.kill('SIGCONT')
  proxy.away()
  proxy.back()
  expect((await results(client, id))[0].result.type).toBe('succeeded')
  await until(async () => (await fetch(`${sleeper.url}/health/ready`).catch(() => undefined))?.ok)
  expect(asked(at)).toBe(1)
  expect(await site.violations()).toEqual([])
})

scene(
  'a server that is told to stop cuts what will not end: charged for what was begun, and never asked again',
  async (at) => {
    const { site, person } = at
    const { server, id } = await inTheCall(at)
    expect(await server.stop()).toBe(0)
    const client = site.client(await site.start(), person)
    await ended(client, id)
    expect((await results(client, id))[0].result.error.error).toMatchObject(lost)
    expect(asked(at)).toBe(1)
    expect(await site.violations()).toEqual([])
  },
)

scene(
  'a server that is told to stop ends the rows that can end, and leaves the others to the next',
  async (at) => {
    const { server, id, release } = await inTheCall(at)
    const stopped = server.stop()
    release()
    expect(await stopped).toBe(0)
    await expectEnd(at, id, 'succeeded', 1)
  },
)

scene(
  'two processes share the rows of one batch; a cancel through a third lets only those that run end',
  async ({ site, person, scripts, calls }) => {
    const config = upstreamConfig(site.upstream.url, {
      rest: 'batches: { rows_per_account: 8, rows_per_process: 4 }',
    })
    const start = (role: string): Promise<ServerProcess> =>
      startProcess({
        databaseUrl: site.databaseUrl,
        config,
        env: { KHERAD_LOG_LEVEL: 'warn', KHERAD_ROLE: role },
      })
    await using api = await start('api')
    await using one = await start('worker')
    await using _other = await start('worker')
    // Who only works answers nothing but how it is.
    expect((await fetch(`${one.url}/metrics`)).status).toBe(200)
    expect((await fetch(`${one.url}/v1/models`)).status).toBe(404)
    const released = Promise.withResolvers<Script>()
    const requests = rows(30)
    for (const { custom_id } of requests) scripts.set(custom_id, () => released.promise)
    const client = site.client(api, person)
    const id = await send(client, requests)
    const workers = () =>
      site.db.query({ text: 'select distinct process_id from jobs.queue where process_id is not null' }, [])
    await until(async () => calls.size === 8 && (await workers()).length === 2)
    await client.request('POST', `${path}/${id}/cancel`)
    await until(async () => (await client.get(`${path}/${id}`)).body.request_counts.canceled === 22)
    released.resolve(answer())
    const batch = await ended(client, id)
    expect(batch.request_counts).toEqual({
      processing: 0,
      succeeded: 8,
      errored: 0,
      canceled: 22,
      expired: 0,
    })
    expect(calls.size).toBe(8)
  },
)

/** The names of rows that have lost a process and have not got on since. */
const lostRows = async ({ site }: Scene): Promise<string[]> => {
  const rows = await site.db.query<{ custom_id: string }>(
    {
      text: `select r.custom_id from jobs.queue q
        join batches.rows r on r.account_id = q.account_id
          and r.batch_id = (q.data->>'batchId')::uuid and r.position = (q.data->>'position')::int
        where q.name = 'batches.row' and q.vanished > 0`,
    },
    [],
  )
  return rows.map(({ custom_id }) => custom_id)
}

/** A batch whose rows take some milliseconds each, with trouble on the way; every promise of the page is kept. */
async function stressed(
  at: Scene,
  count: number,
  client: () => Client,
  trouble: (progress: () => number) => Promise<void>,
  /** Rows that had lost a process already when another one was killed. */
  lostBefore: ReadonlySet<string> = new Set(),
) {
  const { site, person, scripts, calls } = at
  const prompts = rows(count).map(({ custom_id }) => custom_id)
  for (const asks of prompts)
    scripts.set(asks, () => pause(Math.random() * 20).then(() => answer(`answer to ${asks}`)))
  const id = await send(client(), rows(count, { max_tokens: 50 }))
  await trouble(() => calls.size)
  const look = () =>
    client()
      .get(`${path}/${id}`)
      .catch(() => undefined)
  const batch = await until(async () => {
    const reply = await look()
    return reply?.body?.processing_status === 'ended' ? reply.body : undefined
  }, 120_000)
  const lines = linesOf((await client().get(`${path}/${id}/results`)).text)
  expect(lines.map(({ custom_id }) => custom_id)).toEqual(prompts)
  for (const { custom_id, result } of lines) {
    const times = calls.get(custom_id) ?? 0
    expect(times).toBeLessThanOrEqual(1)
    // Lost with two processes in a row before it was asked: set aside, as any job is.
    const isAside = result.error?.error.code === 'SET_ASIDE' && times === 0 && lostBefore.has(custom_id)
    if (result.type !== 'succeeded') {
      if (!isAside) expect(result.error.error).toMatchObject(lost)
    } else {
      expect(times).toBe(1)
      expect(result.message.content[0].text).toBe(`answer to ${custom_id}`)
    }
  }
  await site.over(person)
  expect(await site.violations()).toEqual([])
  return batch.request_counts
}

scene('a database whose connections are cut, again and again, costs no row and no process', async (at) => {
  const { site, person } = at
  const servers = await Promise.all([site.start(), site.start()])
  const counts = await stressed(
    at,
    200,
    () => site.client(servers[0]!, person),
    async (progress) => {
      for (const when of [20, 80, 140]) {
        await until(() => progress() >= when)
        await site.db.query(
          {
            text: `select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid()`,
          },
          [],
        )
      }
    },
  )
  expect(counts).toMatchObject({ succeeded: 200, errored: 0 })
  for (const { child } of servers) expect(child.exitCode).toBeNull()
})

scene('a database that is away for longer than a lease stops no worker for good', async (at) => {
  const { site, person } = at
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  // By the real clock: its lease is over before it can beat again, and nobody else could take it for dead.
  const worker = await site.start(proxy.url, { KHERAD_LEASE_MS: '1500' })
  const counts = await stressed(
    at,
    100,
    () => site.client(worker, person),
    async (progress) => {
      await until(() => progress() >= 30)
      proxy.away()
      await pause(2_000)
      proxy.back()
    },
  )
  expect(counts.succeeded + counts.errored).toBe(100)
  expect(worker.child.exitCode).toBeNull()
})
