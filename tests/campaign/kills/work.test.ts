/**
 * Durable work under kill -9, pauses and a database outage: no step is executed twice, every run ends, and the ledger keeps its invariants.
 * The fake upstream counts its calls by prompt, which is the name of the step.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import {
  answersOf,
  credits,
  ended,
  expectBooks,
  expectEnd,
  path,
  rowOf,
  type Scene,
  scene,
  send,
  stepsOf,
} from '../../crash/work-scene.ts'
import type { Client } from '../../harness/client.ts'
import { upstreamConfig } from '../../harness/config-text.ts'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { startMs, until } from '../../harness/until.ts'
import { answer, chunk, type Script, stream } from '../../harness/upstream.ts'
import { Random } from '../../simulation/random.ts'

/** Takes the row of the run, so that whoever writes of it waits; `kill` what waits, then let go. */
async function lockRun({ site }: Scene, id: string) {
  const client = await site.db.pool.connect()
  await client.query('begin')
  await client.query('select from work.runs where run_id = $1 for update', [id])
  return {
    /** The backend of who waits for it, with a statement like this. */
    waiting: async (like: string): Promise<number> => {
      const { pid } = await until(async () => {
        const [row] = await site.db.query<{ pid: number }>(
          {
            text: `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
          },
          [`%${like}%`],
        )
        return row
      })
      return pid
    },
    async [Symbol.asyncDispose]() {
      await client.query('rollback')
      client.release()
    },
  }
}

/** The server has sent the call of the second step, which the upstream answers when it is released. */
async function inTheCall(at: Scene, step = 'second-step') {
  const { site, person, scripts } = at
  const server = await at.start()
  const released = Promise.withResolvers<Script>()
  scripts.set(step, () => released.promise)
  const id = await send(site.client(server, person))
  await until(() => at.calls.get(step) === 1)
  return { server, id, release: () => released.resolve(answer(`answer to ${step}`)) }
}

/** The backends that wait for the lock of money to settle a run. */
const settling = async ({ site }: Scene): Promise<number[]> => {
  const rows = await site.db.query<{ pid: number }>(
    {
      text: `select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%ledger.settle_in%'`,
    },
    [],
  )
  return rows.map(({ pid }) => pid)
}

/** Another server, which takes over what those have left that were killed. */
async function again(at: Scene, ...stopped: readonly ServerProcess[]): Promise<Client> {
  const client = at.site.client(await at.start(), at.person)
  await at.site.endLeases(...stopped)
  return client
}

/** A server, and its ids in the books: of a start that was made again there are several. */
async function startKnown(at: Scene) {
  const known = async (): Promise<string[]> => {
    const rows = await at.site.db.query<{ process_id: string }>(
      { text: 'select process_id from ledger.processes' },
      [],
    )
    return rows.map(({ process_id }) => process_id)
  }
  const before = await known()
  const server = await at.start()
  return { server, ids: (await known()).filter((one) => !before.includes(one)) }
}

/** Whether runs still have one of these dead processes, or had one and have not got on since. */
async function hasLostRuns({ site }: Scene, dead: readonly string[]): Promise<boolean> {
  const rows = await site.db.query(
    { text: `select from jobs.queue where name = 'work.run' and (vanished > 0 or process_id = any($1))` },
    [dead],
  )
  return rows.length > 0
}

// First, since it takes longest.
scene(
  'kill -9 of random processes at random moments: no step is asked twice and every run ends',
  async (at) => {
    const { site, person } = at
    const random = new Random(7)
    const start = () => startKnown(at)
    const servers = [await start(), await start()]
    const dead: string[] = []
    const words = (run: number) => [`+a-step-${run}`, `b-step-${run}`, `c-step-${run}`]
    const ids: string[] = []
    for (let kill = 1; kill <= 3; kill++) {
      // A run that is lost twice before a step of it is done is set aside: no kill may meet one that was lost before.
      await until(async () => !(await hasLostRuns(at, dead)), startMs)
      const asked = at.calls.size
      for (let sent = 0; sent < 6; sent++) {
        for (const name of words(ids.length).map((word) => word.replace('+', '')))
          at.scripts.set(name, () => pause(random.next() * 60).then(() => answer(`answer to ${name}`)))
        ids.push(await send(site.client(servers[0]!.server, person), words(ids.length).join(' ')))
      }
      const when = asked + random.next() * 12
      await until(() => at.calls.size > when)
      const [victim] = servers.splice(random.next() < 0.5 ? 0 : 1, 1)
      await victim!.server.kill()
      dead.push(...victim!.ids)
      servers.push(await start())
      await site.endLeases()
    }
    await expectAll(at, site.client(servers[1]!.server, person), ids, words)
  },
)

scene('killed before the step is written down: it is taken by the next', async (at) => {
  const { site, person } = at
  const api = site.client(await at.start(undefined, { KHERAD_ROLE: 'api' }), person)
  const id = await send(api)
  // A worker that has taken the run up asks for its key next, and writes the first step down after that.
  const keys = await site.holding('lock table auth.keys in access exclusive mode')
  const worker = await at.start(undefined, { KHERAD_ROLE: 'worker' })
  await until(async () => (await rowOf(at, id)).owner !== null)
  {
    await using lock = await lockRun(at, id)
    await keys[Symbol.asyncDispose]()
    const backend = await lock.waiting('work.begin_step')
    await worker.kill()
    await site.terminate(backend)
  }
  await expectEnd(at, await again(at), id)
})

scene(
  'killed after the step was written down and before a byte was sent: lost, charged at its worst case, never asked',
  async (at) => {
    const { site, person } = at
    await using proxy = await DatabaseProxy.open(site.databaseUrl)
    const server = await at.start(proxy.url)
    const withheld = proxy.withholdReply(/work\.begin_step/)
    const id = await send(site.client(server, person))
    await withheld
    await server.kill()
    await expectEnd(at, await again(at), id, { lost: ['first-step'], calls: { 'first-step': 0 } })
  },
)

scene('killed while the answer streams: lost, charged at its worst case, never asked again', async (at) => {
  const { site, person, scripts } = at
  const server = await at.start()
  const half = Promise.withResolvers<void>()
  scripts.set('second-step', () =>
    stream([chunk({ role: 'assistant', content: 'half of ' }), () => half.resolve(), new Promise(() => {})]),
  )
  const id = await send(site.client(server, person))
  await half.promise
  await server.kill()
  await expectEnd(at, await again(at), id, { lost: ['second-step'] })
})

scene('killed after the answer and before it is written down: lost, never asked again', async (at) => {
  const { site } = at
  const { server, id, release } = await inTheCall(at)
  {
    await using lock = await lockRun(at, id)
    release()
    const backend = await lock.waiting('work.end_step')
    await server.kill()
    await site.terminate(backend)
  }
  await expectEnd(at, await again(at), id, { lost: ['second-step'] })
})

scene(
  'killed while PostgreSQL writes the answer down, which it then does all the same: the answer is kept',
  async (at) => {
    const { server, id, release } = await inTheCall(at)
    {
      await using lock = await lockRun(at, id)
      release()
      await lock.waiting('work.end_step')
      await server.kill()
    }
    await expectEnd(at, await again(at), id)
  },
)

scene('killed after the last step and before the settlement: nothing is asked again', async (at) => {
  const { site, person } = at
  const { server, id, release } = await inTheCall(at)
  {
    await using _lock = await site.lock(person)
    release()
    // Everything is handed over; the money of the account cannot be moved.
    await until(async () => (await stepsOf(at, id)).get('second-step')?.state === 'done')
    await until(async () => (await settling(at)).length > 0)
    const [backend] = await settling(at)
    await server.kill()
    await site.terminate(backend!)
  }
  await expectEnd(at, await again(at), id)
})

scene(
  'the reply of a COMMIT is lost, at each kind of write: nothing is done twice, nothing is forgotten',
  async (at) => {
    const { site, person } = at
    await using proxy = await DatabaseProxy.open(site.databaseUrl)
    const server = await at.start(proxy.url)
    const client = site.client(server, person)
    for (const write of [/work\.begin_step/, /work\.end_step/, /work\.note_blob/]) {
      const lost = proxy.loseReply(write)
      at.calls.clear()
      const id = await send(client)
      await lost
      expect(await ended(client, id)).toMatchObject({ status: 'succeeded', is_partial: false })
      expect(Object.fromEntries(at.calls)).toEqual({ 'first-step': 1, 'second-step': 1 })
      expect(await answersOf(client, id)).toEqual(['answer to first-step', 'answer to second-step'])
    }
    expect((await site.balances(person)).held).toBe(0n)
    expect(await site.violations()).toEqual([])
  },
)

scene('the reply of the last COMMIT is lost: the run has ended once, and is paid once', async (at) => {
  const { site, person } = at
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  const server = await at.start(proxy.url)
  const released = Promise.withResolvers<Script>()
  at.scripts.set('second-step', () => released.promise)
  const id = await send(site.client(server, person))
  await until(() => at.calls.get('second-step') === 1)
  let lost: Promise<void>
  {
    await using _lock = await site.lock(person)
    released.resolve(answer('answer to second-step'))
    await until(async () => (await settling(at)).length > 0)
    lost = proxy.loseReply(/commit/i)
  }
  await lost
  await expectEnd(at, site.client(server, person), id)
})

scene(
  'a worker that slept through its lease may write nothing of the run that another has taken over',
  async (at) => {
    const { site, person } = at
    const { server: sleeper, id, release } = await inTheCall(at)
    sleeper.child.kill('SIGSTOP')
    const client = await again(at, sleeper)
    await expectEnd(at, client, id, { lost: ['second-step'] })
    const before = (await client.get(`${path}/${id}`)).text
    sleeper.child.kill('SIGCONT')
    release()
    await until(async () => (await fetch(`${sleeper.url}/health/ready`).catch(() => undefined))?.ok)
    await until(
      async () =>
        (await site.db.query({ text: 'select from jobs.queue where name = $1' }, ['work.run'])).length === 0,
    )
    expect((await client.get(`${path}/${id}`)).text).toBe(before)
    expect(at.calls.get('second-step')).toBe(1)
    await expectBooks(at, id)
    expect(person).toBeDefined()
  },
)

scene('two workers with one run: the second has it, and the first may write no more of it', async (at) => {
  const { site, person } = at
  const { id, release } = await inTheCall(at)
  // A second job of the same run, as no code of ours puts it into the queue.
  await site.db.query(
    {
      text: `insert into jobs.queue (account_id, job_id, name, data, run_at)
        select account_id, gen_random_uuid(), 'work.run', json_build_object('runId', run_id), now() from work.runs where run_id = $1`,
    },
    [id],
  )
  const { owner } = await rowOf(at, id)
  const client = await again(at)
  await until(async () => (await rowOf(at, id)).owner !== owner)
  release()
  await expectEnd(at, client, id, { lost: ['second-step'] })
  expect((await site.receipts(person)).length).toBe(1)
})

scene('a server that is told to stop ends the step under way, and another goes on at once', async (at) => {
  const { site, person } = at
  // No lease ends in this test: it is the word of who stops that lets the other go on.
  const { server, id, release } = await inTheCall(at, 'first-step')
  const client = await again(at)
  const stopped = server.stop()
  // It begins nothing any more, and the step under way comes to its end.
  await until(async () => (await fetch(`${server.url}/health/ready`).catch(() => undefined))?.ok !== true)
  release()
  await expectEnd(at, client, id)
  expect(await stopped).toBe(0)
  expect((await site.receipts(person))[0]!.detail).toMatchObject({ outcome: 'succeeded' })
})

scene(
  'a server that is told to stop cuts a step that will not end: charged for what was begun, and never asked again',
  async (at) => {
    const { server, id } = await inTheCall(at)
    const client = await again(at)
    expect(await server.stop()).toBe(0)
    const run = await ended(client, id)
    expect(run, JSON.stringify(run)).toMatchObject({ status: 'succeeded', is_partial: true })
    const step = (await stepsOf(at, id)).get('second-step')!
    expect(step.state).toBe('lost')
    expect(step.cost).toBeLessThanOrEqual(step.worst)
    expect(at.calls.get('second-step')).toBe(1)
    await expectBooks(at, id)
  },
)

scene('a cancel through another process reaches the run within two seconds', async (at) => {
  const { site, person } = at
  const { id } = await inTheCall(at)
  const other = site.client(await at.start(undefined, { KHERAD_ROLE: 'api' }), person)
  const askedMs = performance.now()
  expect((await other.request('POST', `${path}/${id}/cancel`)).body.status).toBe('cancelling')
  expect(await ended(other, id)).toMatchObject({ status: 'cancelled' })
  // On a busy machine; its call would go on for minutes.
  expect(performance.now() - askedMs).toBeLessThan(30_000)
  expect(at.calls.get('second-step')).toBe(1)
  await expectBooks(at, id)
})

scene('a run that was being cancelled when its worker was killed is cancelled by the next', async (at) => {
  const { site, person } = at
  const { server, id } = await inTheCall(at)
  const client = site.client(await at.start(undefined, { KHERAD_ROLE: 'api' }), person)
  server.child.kill('SIGSTOP')
  await until(async () => (await client.request('POST', `${path}/${id}/cancel`)).status === 200)
  await server.kill()
  await again(at)
  expect(await ended(client, id)).toMatchObject({ status: 'cancelled' })
  expect(at.calls.get('second-step')).toBe(1)
  await expectBooks(at, id)
})

scene('an account that floods the queue does not keep another from its turn', async (at) => {
  const { site, person, scripts } = at
  const config = upstreamConfig(site.upstream.url, {
    rest: 'work: { runs_per_account: 2, runs_per_process: 3 }',
  })
  await using server = await startProcess({
    databaseUrl: site.databaseUrl,
    config,
    entry: 'tests/harness/work-main.ts',
    env: { KHERAD_LOG_LEVEL: 'warn' },
  })
  const released = Promise.withResolvers<Script>()
  scripts.set('greedy-step', () => released.promise)
  const greedy = site.client(server, person)
  const ids = await Promise.all(Array.from({ length: 6 }, () => send(greedy, 'greedy-step')))
  await until(() => at.calls.get('greedy-step') === 2)
  const other = site.client(server, await site.person())
  const id = await send(other)
  expect(await ended(other, id)).toMatchObject({ status: 'succeeded' })
  expect(at.calls.get('greedy-step')).toBe(2)
  released.resolve(answer())
  for (const one of ids) await ended(greedy, one)
  expect(await site.violations()).toEqual([])
})

scene('a database whose connections are cut, again and again, costs no step and no process', async (at) => {
  const { site, person } = at
  const servers = await Promise.all([at.start(), at.start()])
  const runs = 12
  const words = (run: number) => [`+a-step-${run}`, `b-step-${run}`, `c-step-${run}`]
  for (let run = 0; run < runs; run++)
    for (const name of words(run).map((word) => word.replace('+', '')))
      at.scripts.set(name, () => pause(30).then(() => answer(`answer to ${name}`)))
  const ids: string[] = []
  for (let run = 0; run < runs; run++)
    ids.push(await send(site.client(servers[0]!, person), words(run).join(' ')))
  for (const when of [4, 12, 24]) {
    await until(() => at.calls.size >= when)
    await site.db.query(
      {
        text: `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
      },
      [],
    )
  }
  await expectAll(at, site.client(servers[0]!, person), ids, words)
  for (const { child } of servers) expect(child.exitCode).toBeNull()
})

scene('a database that is away for longer than a lease stops no worker for good', async (at) => {
  const { site, person } = at
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  // By the real clock: its lease is over before it can beat again, and nobody else could take it for dead.
  const worker = await at.start(proxy.url, { KHERAD_LEASE_MS: '1500' })
  const client = site.client(worker, person)
  const words = (run: number) => [`a-step-${run}`, `b-step-${run}`, `c-step-${run}`]
  for (let run = 0; run < 4; run++)
    for (const name of words(run))
      at.scripts.set(name, () => pause(50).then(() => answer(`answer to ${name}`)))
  const ids: string[] = []
  for (let run = 0; run < 4; run++) ids.push(await send(client, words(run).join(' ')))
  await until(() => at.calls.size >= 4)
  proxy.away()
  await pause(2_000)
  proxy.back()
  await expectAll(at, client, ids, words)
  expect(worker.child.exitCode).toBeNull()
})

async function expectAll(
  at: Scene,
  client: Parameters<typeof ended>[0],
  ids: readonly string[],
  wordsOf: (run: number) => string[],
) {
  const { site, person } = at
  let sum = 0n
  for (const [run, id] of ids.entries()) {
    expect((await ended(client, id)).status).toBe('succeeded')
    const steps = await stepsOf(at, id)
    for (const { cost } of steps.values()) sum += cost
    const names = wordsOf(run).map((word) => word.replace('+', ''))
    for (const name of names) expect(at.calls.get(name) ?? 0, name).toBeLessThanOrEqual(1)
    expect(await answersOf(client, id)).toEqual(
      names.map((name) => (steps.get(name)!.state === 'lost' ? '(lost)' : `answer to ${name}`)),
    )
  }
  await site.over(person)
  expect((await site.balances(person)).balance).toBe(credits - sum)
  expect(await site.violations()).toEqual([])
}
