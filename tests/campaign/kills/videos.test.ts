/** Videos whose servers are killed at every step: at most one order upstream, and the file and its charge, or neither. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { filesOf, reservationsOf } from '../../crash/lost.ts'
import { openSite, type Person, type Site, stillLeaseMs } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { type Step, stream } from '../../harness/upstream.ts'
import { fakeVideoUpstream, type VideoUpstream } from '../../harness/video-upstream.ts'
import { videoConfig } from '../../media/videos/video-world.ts'

const credits = 1_000_000_000n
const price = 400_000_000n
const headers = { 'idempotency-key': 'order-1' }
const body = { model: 'test/film', prompt: 'گربه‌ای روی بام' }
/** Several processes start one after the other, on a machine that runs other tests beside. */
const timeout = 400_000

interface Scene extends AsyncDisposable {
  site: Site
  person: Person
  vendor: VideoUpstream
  start(env?: Record<string, string>): Promise<ServerProcess>
}

async function openScene(): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const site = stack.use(await openSite())
  const vendor = stack.use(await fakeVideoUpstream('openrouter'))
  const person = await site.person({ credits })
  const inner = stack.move()
  const start = (env: Record<string, string> = {}): Promise<ServerProcess> =>
    site.adopt(
      startProcess({
        databaseUrl: site.databaseUrl,
        config: videoConfig(vendor.url),
        env: {
          KHERAD_LOG_LEVEL: 'warn',
          KHERAD_LEASE_MS: String(stillLeaseMs),
          KHERAD_DATA: site.dataDir,
          // Webhooks go there; which server of the site is asked does not matter.
          KHERAD_BASE_URL: 'http://kherad.example',
          ...env,
        },
      }),
    )
  return { site, person, vendor, start, [Symbol.asyncDispose]: () => inner.disposeAsync() }
}

const scene = (name: string, act: (at: Scene) => Promise<void>): void =>
  test.concurrent(name, { timeout }, async () => {
    await using at = await openScene()
    await act(at)
  })

interface Pair {
  id: string
  providerJobId: string
}

async function send(client: Client): Promise<Pair> {
  const { status, body: accepted, text } = await client.post('/v1/studio/video', body, headers)
  expect(status, text).toBe(202)
  return { id: accepted.id, providerJobId: accepted.providerJobId }
}

const rowOf = async ({ site }: Scene, { id }: Pair) =>
  (
    await site.db.query<{ status: string; ticket: string | null; ambiguous_until: Date | null }>(
      { text: 'select status, ticket, ambiguous_until from videos.jobs where job_id = $1' },
      [id],
    )
  )[0]!

/** Whoever is alive brings it to its end: charged once, with one file, for one order. */
async function expectMade(at: Scene, server: ServerProcess, pair: Pair): Promise<void> {
  const { site, person, vendor } = at
  const client = site.client(server, person)
  const job = await until(async () => {
    const { body: found } = await client.post('/v1/studio/video/status', pair)
    return found.pending ? undefined : found
  }, 120_000)
  expect(job).toMatchObject({ status: 'completed', providerJobId: pair.providerJobId })
  expect(vendor.jobs).toHaveLength(1)
  expect(await site.balances(person)).toEqual({ balance: credits - price, held: 0n })
  expect(await filesOf(site, person)).toHaveLength(1)
  const content = await client.raw('POST', '/v1/studio/video/content', JSON.stringify(pair))
  expect([content.status, (await content.arrayBuffer()).byteLength]).toEqual([
    200,
    vendor.jobs[0]!.video.length,
  ])
  await expectNothingOpen(at, client, pair)
}

async function expectNothingOpen({ site, person, vendor }: Scene, client: Client, pair: Pair): Promise<void> {
  expect(await reservationsOf(site, person)).toEqual([])
  const orders = vendor.jobs.length
  const repeat = await client.post('/v1/studio/video', body, headers)
  expect([repeat.status, repeat.body.id]).toEqual([202, pair.id])
  expect(vendor.jobs).toHaveLength(orders)
  expect(await site.violations()).toEqual([])
}

/** The ten minutes of an order whose answer was lost are over. */
const endWaiting = ({ site }: Scene, { id }: Pair) =>
  site.db.query(
    { text: 'update videos.jobs set ambiguous_until = now(), next_at = now() where job_id = $1' },
    [id],
  )

/** The minute is over in which a job is left to the poller that looked at it, which has died. */
async function endLook({ site }: Scene, { id }: Pair): Promise<void> {
  const [row] = await site.db.query<{ minute: boolean }>(
    {
      text: `with found as (select job_id, status, next_at from videos.jobs where job_id = $1 for update)
        update videos.jobs j set next_at = least(j.next_at, now()) from found where j.job_id = found.job_id
        returning found.status not in ('submitted', 'processing') or found.next_at <= now() + interval '1 minute' as minute`,
    },
    [id],
  )
  expect(row).toEqual({ minute: true })
}

/** Another server, to which falls what the dead had, also what they were ordering. */
async function takenOver(at: Scene, pair: Pair): Promise<ServerProcess> {
  const next = await at.start()
  await at.site.endLeases()
  await endLook(at, pair)
  return next
}

/** What two processes in a row did not survive is set aside; the poller comes back half a minute later, which is over. */
async function endPollerPause({ site }: Scene): Promise<void> {
  const query = (text: string) => site.db.query({ text }, [])
  await query(`delete from jobs.queue where name = 'videos.poll' and vanished > 0`)
  await query(`update jobs.schedules set last_at = '-infinity' where name = 'videos.poll'`)
}

// First, since it takes longest.
scene('killed again and again: one order at most, one charge or none', async (at) => {
  const { site, person, vendor, start } = at
  vendor.plan({ states: ['queued', 'queued', 'processing', 'processing', 'completed'] })
  let server = await start()
  const pair = await send(site.client(server, person))
  // A kill in the order itself ends the looks, and is a scene of its own.
  await until(async () => (await rowOf(at, pair)).ticket)
  let seen = vendor.calls.length
  for (let kills = 0; kills < 5; kills++) {
    await until(() => vendor.calls.length > seen)
    await server.kill()
    await endLook(at, pair)
    await endPollerPause(at)
    // Before the start: the next look may come before the server says that it is ready.
    seen = vendor.calls.length
    server = await start()
    await site.endLeases()
  }
  await until(async () => (await rowOf(at, pair)).status !== 'queued')
  if ((await rowOf(at, pair)).ticket === null) await endWaiting(at, pair)
  await site.over(person)
  expect(vendor.jobs).toHaveLength(1)
  const { status } = await rowOf(at, pair)
  const isMade = status === 'completed'
  expect(await site.balances(person)).toEqual({ balance: isMade ? credits - price : credits, held: 0n })
  expect(await filesOf(site, person)).toHaveLength(isMade ? 1 : 0)
  await expectNothingOpen(at, site.client(server, person), pair)
})

scene('accepted by a server that has no workers and is killed: another one makes it', async (at) => {
  const { site, person, start } = at
  await using door = await start({ KHERAD_ROLE: 'api' })
  const pair = await send(site.client(door, person))
  await door.kill()
  expect(at.vendor.jobs).toHaveLength(0)
  await using worker = await start()
  await expectMade(at, worker, pair)
})

scene(
  'killed while it is ordered: never ordered again, free after the wait, its price a loss',
  async (at) => {
    const { site, person, vendor, start } = at
    vendor.fail('submit', 'hang')
    await using server = await start()
    const pair = await send(site.client(server, person))
    await until(() => vendor.jobs.length === 1)
    await server.kill()
    const next = await takenOver(at, pair)
    await until(async () => (await rowOf(at, pair)).ambiguous_until)
    await endWaiting(at, pair)
    await site.over(person)
    expect(await site.balances(person)).toEqual({ balance: credits, held: 0n })
    expect(await rowOf(at, pair)).toMatchObject({ status: 'failed' })
    const [receipt] = await site.receipts(person)
    expect(receipt).toMatchObject({
      state: 'failed',
      charged: 0n,
      held: price,
      detail: { may_have_run: true },
    })
    const [loss] = await site.db.query<{ amount: bigint }>(
      { text: `select amount from ledger.entries where account_id = $1 and book = 'loss'` },
      [person.account],
    )
    expect(loss?.amount).toBe(-price)
    expect(vendor.jobs).toHaveLength(1)
    await expectNothingOpen(at, site.client(next, person), pair)
  },
)

scene('killed while it is ordered: its webhook finds the job, and the video is charged', async (at) => {
  const { site, person, vendor, start } = at
  vendor.fail('submit', 'hang')
  await using server = await start()
  const pair = await send(site.client(server, person))
  await until(() => vendor.jobs.length === 1)
  await server.kill()
  const next = await takenOver(at, pair)
  const { pathname } = new URL(vendor.jobs[0]!.callbackUrl!)
  const told = await fetch(`${next.url}${pathname}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(vendor.webhook(vendor.jobs[0]!)),
  })
  expect(told.ok).toBe(true)
  await expectMade(at, next, pair)
})

scene('killed while the vendor makes it: looked at by another', async (at) => {
  const { site, person, vendor, start } = at
  vendor.plan({ states: ['processing'] })
  await using server = await start()
  const pair = await send(site.client(server, person))
  await until(() => vendor.jobs[0]?.looks)
  await server.kill()
  vendor.jobs[0]!.states = ['completed']
  const next = await takenOver(at, pair)
  await expectMade(at, next, pair)
})

scene('killed in the middle of its bytes: fetched again by another', async (at) => {
  const { site, person, vendor, start } = at
  vendor.fail('content', 'stalled')
  await using server = await start()
  const pair = await send(site.client(server, person))
  await until(() => vendor.calls.some((call) => vendor.legOf(call) === 'content'))
  await server.kill()
  await expectMade(at, await takenOver(at, pair), pair)
})

scene(
  'killed when its bytes are stored and its charge is not: stored and charged once by another',
  async (at) => {
    const { site, person, vendor, start } = at
    await using server = await start()
    vendor.plan({ states: ['processing'] })
    const pair = await send(site.client(server, person))
    await until(async () => (await rowOf(at, pair)).ticket)
    {
      await using _locked = await site.lock(person)
      vendor.jobs[0]!.states = ['completed']
      await until(
        async () =>
          (
            await site.db.query(
              {
                text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%settle_in%'`,
              },
              [],
            )
          ).length > 0,
      )
      await server.kill()
    }
    const next = await takenOver(at, pair)
    await expectMade(at, next, pair)
  },
)

scene('taken for dead while it ordered, and alive: its answer is taken, nobody orders again', async (at) => {
  const { site, person, vendor, start } = at
  const released = Promise.withResolvers<void>()
  const steps: Step[] = [() => released.promise]
  vendor.fail('submit', stream(steps, { 'content-type': 'application/json' }))
  await using server = await start()
  const pair = await send(site.client(server, person))
  await until(() => vendor.jobs.length === 1)
  steps.push(JSON.stringify({ id: vendor.jobs[0]!.id, status: 'pending' }))
  await using twin = await start()
  server.child.kill('SIGSTOP')
  await site.endLeases(server)
  await endLook(at, pair)
  await until(async () => (await rowOf(at, pair)).ambiguous_until)
  released.resolve()
  server.child.kill('SIGCONT')
  await expectMade(at, twin, pair)
})

scene(
  'told to stop while it is ordered: the stop waits for the answer, longer than for anything else, and another makes it',
  async (at) => {
    const { site, person, vendor, start } = at
    const released = Promise.withResolvers<void>()
    const steps: Step[] = [() => released.promise]
    vendor.fail('submit', stream(steps, { 'content-type': 'application/json' }))
    await using server = await start()
    const pair = await send(site.client(server, person))
    await until(() => vendor.jobs.length === 1)
    steps.push(JSON.stringify({ id: vendor.jobs[0]!.id, status: 'pending' }))
    const ended = server.stop()
    // Longer than a process that has nothing to wait for may take.
    await pause(10_500)
    expect(server.child.exitCode, server.log()).toBeNull()
    expect(await rowOf(at, pair)).toMatchObject({ status: 'submitting', ambiguous_until: null })
    released.resolve()
    expect(await ended).toBe(0)
    expect(await rowOf(at, pair)).toMatchObject({ ticket: vendor.jobs[0]!.id })
    await using next = await start()
    await expectMade(at, next, pair)
  },
)
