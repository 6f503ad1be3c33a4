import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '#app'
import { uuidv7 } from '#platform/ids'
import { type Job, type JobOptions, type JobRun, jobsOf, startWorkers } from '#platform/jobs'
import type { Log } from '#platform/log'
import { until } from '../../harness/until.ts'
import { boot, MovableClock, type World } from '../../harness/world.ts'

const job = jobsOf<App>()
const clock = new MovableClock()
let world: World
let app: App
beforeAll(async () => {
  // The lease bears a database that stands still for some seconds: a process that is taken for dead does everything once more.
  const timing = { processLeaseMs: 6_000, heartbeatMs: 200, sweepMs: 200 }
  world = await boot({ clock, timing })
  app = world.app
})
afterAll(() => world[Symbol.asyncDispose]())

type Data = { n: number }
let names = 0

/** A job of a name of its own. */
const jobOf = (
  handle: (run: JobRun<Data, App>) => Promise<undefined | { laterMs: number }>,
  {
    perAccount = 100,
    perProcess = 100,
    ...more
  }: { perAccount?: number; perProcess?: number; everyMs?: number } = {},
): Job<Data, App> =>
  job<Data>({ name: `test.${++names}`, limits: () => ({ perAccount, perProcess }), handle, ...more })

const work = (mine: Job<Data, App>, as: App = app): AsyncDisposable =>
  startWorkers({ app: as, jobs: [mine as Job<never, App>] })

const put = (mine: Job<Data>, ...asks: (Partial<JobOptions<Data>> & { data: Data })[]): Promise<void> =>
  app.db.tx((tx) => app.jobs.enqueue(tx, mine, ...asks.map((ask) => ({ accountId: uuidv7(), ...ask }))))

const queued = (mine: Job<Data>) =>
  app.db.query<{
    failures: number
    parked: boolean
    error: string | null
    waits: string
    process_id: string | null
  }>(
    {
      text: `select failures, parked_at is not null as parked, error, extract(epoch from run_at - now()) as waits, process_id
        from jobs.queue where name = $1 order by job_id`,
    },
    [mine.name],
  )

test('work that was put into a transaction runs if it commits, and never if it rolls back', async () => {
  const ran: number[] = []
  const mine = jobOf(async ({ data }) => void ran.push(data.n) as undefined)
  await using _workers = work(mine)
  const undone = app.db.tx(async (tx) => {
    await app.jobs.enqueue(tx, mine, { accountId: world.account, data: { n: 1 } })
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await put(mine, { data: { n: 2 } })
  await until(() => ran.length > 0)
  await until(async () => (await queued(mine)).length === 0)
  expect(ran).toEqual([2])
})

test('an idle worker is woken by what commits, not by its poll', async () => {
  let ran = 0
  const mine = jobOf(async () => void ran++ as undefined)
  await using _workers = work(mine)
  await put(mine, { data: { n: 0 } })
  await until(() => ran === 1)
  // A hundred polls would take 200 s, longer than a test may.
  for (let n = 2; n <= 101; n++) {
    await put(mine, { data: { n } })
    await until(() => ran === n)
  }
})

test('an account that floods the queue does not keep others waiting, and has its own limit', async () => {
  const gate = Promise.withResolvers<void>()
  const running = new Map<string, number>()
  const mine = jobOf(
    async ({ accountId }) => {
      running.set(accountId, (running.get(accountId) ?? 0) + 1)
      await gate.promise
      return undefined
    },
    { perAccount: 3, perProcess: 5 },
  )
  const [flood, small] = [uuidv7(), uuidv7()]
  await put(mine, ...Array.from({ length: 40 }, (_, n) => ({ accountId: flood, data: { n } })))
  await using _workers = work(mine)
  await until(() => running.get(flood) === 3)
  await put(mine, { accountId: small, data: { n: 0 } })
  await until(() => running.get(small) === 1)
  expect(running.get(flood)).toBe(3)
  gate.resolve()
  await until(async () => (await queued(mine)).length === 0)
})

test('of two accounts with long queues each gets its turn', async () => {
  const [one, other] = [uuidv7(), uuidv7()]
  const running: { accountId: string; end: () => void }[] = []
  const mine = jobOf(
    ({ accountId }) => new Promise((resolve) => running.push({ accountId, end: () => resolve(undefined) })),
    { perProcess: 2 },
  )
  for (const accountId of [one, other])
    await put(mine, ...Array.from({ length: 30 }, (_, n) => ({ accountId, data: { n } })))
  await using _workers = work(mine)
  // Whichever ends, the longer running or the later begun: one of each account runs again, as long as both have jobs.
  for (let round = 0; round < 28; round++) {
    await until(() => running.length === 2)
    expect(running.map(({ accountId }) => accountId).sort()).toEqual([one, other].sort())
    running.splice(round % 3 === 0 ? 1 : 0, 1)[0]!.end()
  }
  await until(async () => {
    for (const { end } of running.splice(0)) end()
    return (await queued(mine)).length === 0
  })
})

test('a job that fails is tried again after growing pauses, then parked and told', async () => {
  const told: unknown[] = []
  const tell = (_fields: unknown, message?: string): void => void told.push(message)
  const log = { trace() {}, debug() {}, info() {}, warn() {}, error: tell, fatal() {} } as Log
  const mine = jobOf(async () => {
    throw new Error('out of order')
  })
  // The pause as it was written down, however late this test looks.
  const statements = `create table jobs.paused as select failures, run_at as ended_at, run_at, error from jobs.queue where false;
    create function jobs.note() returns trigger language plpgsql as $$ begin
      insert into jobs.paused values (new.failures, now(), new.run_at, new.error);
      return null;
    end $$;
    create trigger note after update on jobs.queue for each row
      when (new.failures > old.failures) execute function jobs.note()`
  await app.db.query({ text: statements }, [])
  const pausedText =
    'select failures, extract(epoch from run_at - ended_at) as pause, error from jobs.paused order by failures'
  const paused = () =>
    app.db.query<{ failures: number; pause: string; error: string }>({ text: pausedText }, [])
  await using _workers = work(mine, { ...app, log })
  await put(mine, { data: { n: 1 } })
  for (let failure = 1; failure < 10; failure++) {
    await until(async () => (await paused()).length >= failure)
    await app.db.query(
      {
        text: `with due as (update jobs.queue set run_at = now() where name = $1 returning name)
          select pg_notify('jobs', name) from due`,
      },
      [mine.name],
    )
  }
  await until(async () => (await paused()).length === 10)
  expect(await queued(mine)).toMatchObject([{ failures: 10, parked: true }])
  const failures = await paused()
  expect(failures.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(failures.every(({ error }) => error === 'Error: out of order')).toBe(true)
  const pauses = failures.slice(0, 9).map(({ pause }) => Number(pause))
  expect(pauses[0]).toBeGreaterThan(0.7)
  for (const [index, pause] of pauses.slice(1).entries())
    expect(pause, `${pauses}`).toBeGreaterThan(pauses[index]!)
  expect(pauses.at(-1)).toBeGreaterThan(100)
  expect(told.filter((message) => message === 'a job failed; it is tried again')).toHaveLength(9)
  expect(told.at(-1)).toBe('a job failed for good and is parked')
})

test('a job that has to wait goes on later, and that is no failure', async () => {
  let rounds = 0
  const mine = jobOf(async () => (++rounds < 4 ? { laterMs: 1 } : undefined))
  await using _workers = work(mine)
  await put(mine, { data: { n: 1 } })
  await until(async () => rounds === 4 && (await queued(mine)).length === 0)
})

test('a worker that stops hands over what it could not end', async () => {
  const began: string[] = []
  const mine = jobOf(async ({ signal }) => {
    began.push('first')
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    throw new Error('cut')
  })
  const hasty = { ...app, config: { ...app.config, timing: { ...app.config.timing, drainMs: 1_600 } } }
  {
    await using _first = work(mine, hasty)
    await put(mine, { data: { n: 1 } })
    await until(() => began.length === 1)
  }
  // Its word may arrive a moment after it has stopped waiting for the reply.
  const left = await until(async () => (await queued(mine)).find(({ process_id }) => process_id === null))
  expect(left).toMatchObject({ failures: 0, parked: false })
  const next = { ...mine, handle: async () => void began.push('second') as undefined }
  await using _second = work(next)
  await until(async () => (await queued(mine)).length === 0)
  expect(began).toEqual(['first', 'second'])
})

test('a stopping worker waits for what can end', async () => {
  const began = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const mine = jobOf(async () => {
    began.resolve()
    await gate.promise
    return undefined
  })
  const workers = work(mine)
  await put(mine, { data: { n: 1 } })
  await began.promise
  const stopped = workers[Symbol.asyncDispose]()
  gate.resolve()
  await stopped
  expect(await queued(mine)).toEqual([])
})

test('the work of a process that is dead, or never heard that it got it, is given to the living', async () => {
  let ran = 0
  const mine = jobOf(async () => void ran++ as undefined)
  await put(mine, { data: { n: 1 } }, { data: { n: 2 } })
  // The first as a process that does not beat; the second as this one, whose claim's reply was lost.
  const claimers = [uuidv7(), app.processes.id]
  const rows = await app.db.query<{ job_id: string }>(
    { text: 'select job_id from jobs.queue where name = $1 order by job_id' },
    [mine.name],
  )
  for (const [index, { job_id }] of rows.entries())
    await app.db.query({ text: 'update jobs.queue set process_id = $1, fence = 1 where job_id = $2' }, [
      claimers[index],
      job_id,
    ])
  await using _workers = work(mine)
  await until(async () => (await queued(mine)).length === 0)
  expect(ran).toBe(2)
})

test('of several jobs with one key only the first is taken until it is over', async () => {
  const ran: number[] = []
  const mine = jobOf(async ({ data }) => void ran.push(data.n) as undefined)
  const accountId = world.account
  const keyed = (n: number) => ({ accountId, data: { n }, singletonKey: 'k' })
  await put(mine, keyed(1), keyed(2))
  await put(mine, keyed(3), { data: { n: 4 }, singletonKey: 'k' })
  await using _workers = work(mine)
  await until(async () => (await queued(mine)).length === 0)
  expect(ran.sort()).toEqual([1, 4])
  await put(mine, keyed(5))
  await until(() => ran.includes(5))
})

test('at rest one statement looks for work of all kinds, and claims none', async () => {
  const mine = jobOf(async () => undefined)
  const other = jobOf(async () => undefined)
  const asked: string[] = []
  const db: App['db'] = {
    ...app.db,
    query: (statement, values) => {
      asked.push([statement.name, ...(statement.name === 'jobs.claim' ? [values[0]] : [])].join(' '))
      return app.db.query(statement, values)
    },
  }
  await using _workers = startWorkers({ app: { ...app, db }, jobs: [mine, other] as Job<never, App>[] })
  const looks = () => asked.filter((name) => name === 'jobs.waiting').length
  await until(() => looks() > 0)
  await put(mine, { data: { n: 1 } })
  await until(async () => (await queued(mine)).length === 0)
  const before = looks()
  await until(() => looks() > before)
  expect(asked).toContain(`jobs.claim ${mine.name}`)
  expect(asked).not.toContain(`jobs.claim ${other.name}`)
})

test('work can be put off until a time', async () => {
  const ran: number[] = []
  const mine = jobOf(async ({ data }) => void ran.push(data.n) as undefined)
  await using _workers = work(mine)
  await put(mine, { data: { n: 1 }, startAfter: new Date(Date.now() + 3_600_000) }, { data: { n: 2 } })
  await until(() => ran.length > 0)
  await until(async () => (await queued(mine)).length === 1)
  expect(ran).toEqual([2])
  expect(Number((await queued(mine))[0]!.waits)).toBeGreaterThan(3_000)
})

test('recurring work runs once in its time, however many processes there are', async () => {
  let ran = 0
  const mine = jobOf(async () => void ran++ as undefined, { everyMs: 60_000 } as never)
  const processId = uuidv7()
  await app.db.query({ text: `insert into ledger.processes values ($1, now(), now() + interval '1 hour')` }, [
    processId,
  ])
  await using _one = work(mine)
  const { processes } = app
  const other: App['processes'] = {
    id: processId,
    leaseMs: processes.leaseMs,
    beatAt: processes.beatAt,
    afterSweep: (sweep) => processes.afterSweep(sweep),
    [Symbol.asyncDispose]: async () => undefined,
  }
  await using _other = work(mine, { ...app, processes: other })
  await until(() => ran === 1)
  clock.moveMs(60_000)
  await until(() => ran === 2)
  const [schedule] = await app.db.query<{ last_at: Date }>(
    { text: 'select last_at from jobs.schedules where name = $1' },
    [mine.name],
  )
  expect(schedule!.last_at.getTime()).toBe(clock.nowMs())
})

test('workers go on after all their connections were cut', async () => {
  let ran = 0
  const mine = jobOf(async () => {
    if (++ran === 1) await cutAll()
    return undefined
  })
  const cutAll = () =>
    app.db
      .query(
        {
          text: `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`,
        },
        [],
      )
      .catch(() => undefined)
  await using _workers = work(mine)
  await put(mine, { data: { n: 1 } })
  await until(() => ran === 1)
  await until(() =>
    put(mine, { data: { n: 2 } })
      .then(() => true)
      .catch(() => false),
  )
  // Ours may be one of those connections, found cut only when it is asked.
  const left = () => queued(mine).catch(() => undefined)
  await until(async () => ran >= 2 && (await left())?.length === 0)
})

const vanish = (mine: Job<Data>, times: number): Promise<unknown> =>
  app.db.query({ text: 'update jobs.queue set vanished = $1 where name = $2' }, [times, mine.name])

test('of jobs whose processes vanished, of whatever kind, a process claims one at a time: it alone is lost if that process vanishes too', async () => {
  const begun: (() => void)[] = []
  const kinds = [1, 2].map(() => jobOf(() => new Promise((resolve) => begun.push(() => resolve(undefined)))))
  for (const kind of kinds) {
    await put(kind, ...[1, 2, 3].map((n) => ({ data: { n } })))
    await vanish(kind, 1)
  }
  const claims = () =>
    app.db.query<{ held: number; claimed: number }>(
      {
        text: `select count(process_id)::int as held, sum(fence)::int as claimed from jobs.queue where name = any($1)`,
      },
      [kinds.map(({ name }) => name)],
    )
  await using _workers = startWorkers({ app, jobs: kinds as Job<never, App>[] })
  for (let nth = 1; nth <= 6; nth++) {
    await until(() => begun.length === nth)
    // All kinds are asked for more by then; of the jobs that ended none is left to be counted.
    await pause(50)
    expect(await claims()).toEqual([{ held: 1, claimed: 1 }])
    expect(begun).toHaveLength(nth)
    begun.at(-1)!()
  }
  for (const kind of kinds) await until(async () => (await queued(kind)).length === 0)
})

test('a job that lost its process waits behind no backlog, neither that of its own account nor that of another', async () => {
  const ran: string[] = []
  const mine = jobOf(
    async ({ accountId, data }) => void ran.push(`${nameOf.get(accountId)}${data.n}`) as undefined,
    { perProcess: 1 },
  )
  const [flood, other] = [uuidv7(), uuidv7()]
  const nameOf = new Map([
    [flood, 'flood'],
    [other, 'other'],
  ])
  await put(mine, ...Array.from({ length: 20 }, (_, n) => ({ accountId: flood, data: { n } })))
  await put(mine, { accountId: flood, data: { n: 20 } }, { accountId: other, data: { n: 0 } })
  await app.db.query(
    {
      text: `update jobs.queue set vanished = 1, run_at = now() where name = $1
        and (account_id = $2 or (data->>'n')::int = 20)`,
    },
    [mine.name, other],
  )
  await using _workers = work(mine)
  await until(async () => (await queued(mine)).length === 0)
  // The first turn is a lost one's; between accounts with as much running chance decides, which lets one wait for all others once in half a million runs.
  expect(ran[0]).toBe('flood20')
  expect(ran.indexOf('other0'), ran.join(' ')).toBeLessThan(20)
})

test('what has got on is said again where the database was away for it', async () => {
  const gate = Promise.withResolvers<void>()
  let isAway = true
  const db = new Proxy(app.db, {
    get: (target, name) =>
      name !== 'query'
        ? Reflect.get(target, name)
        : (statement: { name?: string }, values: unknown[]) => {
            if (statement.name !== 'jobs.forgive' || !isAway) return target.query(statement as never, values)
            isAway = false
            return Promise.reject(Object.assign(new Error('away'), { code: '57P01' }))
          },
  })
  const mine = jobOf(async ({ progressed }) => {
    await expect(progressed()).rejects.toThrow('away')
    await progressed()
    await gate.promise
    return undefined
  })
  await put(mine, { data: { n: 1 } })
  await vanish(mine, 1)
  await using _workers = work(mine, { ...app, db })
  await until(async () => (await vanishedOf(mine))?.vanished === 0)
  gate.resolve()
  await until(async () => (await queued(mine)).length === 0)
})

test('a job that got on is forgiven the processes that vanished before, and the next such job begins beside it', async () => {
  let begun = 0
  const gate = Promise.withResolvers<void>()
  const mine = jobOf(async ({ progressed }) => {
    begun++
    await progressed()
    await gate.promise
    return undefined
  })
  await put(mine, ...[1, 2].map((n) => ({ data: { n } })))
  await vanish(mine, 1)
  await using _workers = work(mine)
  await until(async () => {
    const rows = await app.db.query({ text: 'select from jobs.queue where name = $1 and vanished = 0' }, [
      mine.name,
    ])
    return rows.length === 2
  })
  expect(begun).toBe(2)
  gate.resolve()
  await until(async () => (await queued(mine)).length === 0)
})

const vanishedOf = async (mine: Job<Data>): Promise<{ vanished: number; failures: number } | undefined> =>
  (
    await app.db.query<{ vanished: number; failures: number }>(
      { text: 'select vanished, failures from jobs.queue where name = $1' },
      [mine.name],
    )
  )[0]

test('a job that pauses or fails by itself is forgiven the processes that vanished beside it, and keeps them as failures', async () => {
  const ends: (() => { laterMs: number })[] = [
    () => ({ laterMs: 3_600_000 }),
    () => {
      throw new Error('a failure of its own')
    },
  ]
  for (const end of ends) {
    const gate = Promise.withResolvers<undefined>()
    let runs = 0
    // A second failure would be counted, too.
    const mine = jobOf(async () => (++runs === 1 ? end() : gate.promise))
    await put(mine, { data: { n: 1 } })
    await vanish(mine, 1)
    await using _workers = work(mine)
    await until(async () => (await vanishedOf(mine))?.failures === 1)
    expect(await vanishedOf(mine)).toEqual({ vanished: 0, failures: 1 })
    gate.resolve(undefined)
  }
})

test('a job that takes down its process every other time is set aside all the same', async () => {
  const aside: number[] = []
  const mine = jobOf(async () => assert.fail('it ran once more'), {
    setAside: async ({ data }: { data: Data }) => void aside.push(data.n) as undefined,
  } as never)
  await put(mine, { data: { n: 1 } })
  await app.db.query({ text: 'update jobs.queue set vanished = 1, failures = 10 where name = $1' }, [
    mine.name,
  ])
  await using _workers = work(mine)
  await until(async () => (await queued(mine)).length === 0)
  expect(aside).toEqual([1])
})

test('a job that nobody can set aside is parked after two processes; recurring work only skips a turn', async () => {
  const mine = jobOf(async () => assert.fail('it ran a third time'))
  const turns: (Data | null)[] = []
  const recurring = jobOf(async ({ data }) => void turns.push(data) as undefined, { everyMs: 3_600_000 })
  for (const each of [mine, recurring]) {
    await put(each, { data: { n: 1 } })
    await vanish(each, 2)
  }
  await using _workers = work(mine)
  await using _others = work(recurring)
  await until(async () => (await queued(mine))[0]?.parked)
  await until(async () => turns.length > 0 && (await queued(recurring)).length === 0)
  expect(turns).toEqual([null])
})
