/** Jobs that kill or hang their processes: after two of them, the third sets the job aside. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { onScene } from '../../crash/scene.ts'
import { credits, ended, openScene, type Scene, send } from '../../crash/work-scene.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { ended as endedBatch, results, row } from '../../text/batches-world.ts'
import { version } from '../../text/messages-world.ts'
import { add, create, read } from '../../work/knowledge-world.ts'

const scene = (name: string, act: (at: Scene) => Promise<void>): void => onScene(openScene, name, act)

/** Resolves once a process that is none of `earlier` has the only job of this kind, and waits for rows that the test holds. */
const stuckAnew = (at: Scene, kind: string, earlier: readonly string[]): Promise<string> =>
  until(async () => {
    const [claim] = await at.site.db.query<{ process_id: string }>(
      {
        text: `select process_id from jobs.queue where name = $1 and process_id <> all($2)
          and exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`,
      },
      [kind, earlier],
    )
    return claim?.process_id
  })

/** A worker, to which falls what the `lost` ones had. */
async function worker(at: Scene, lost: readonly ServerProcess[] = []): Promise<ServerProcess> {
  const started = await at.start(undefined, { KHERAD_ROLE: 'worker' })
  await at.site.endLeases(...lost)
  return started
}

const kill = (process: ServerProcess): Promise<void> => process.kill()
/** As a loop that never comes back: the process lives, and nothing of it moves. */
const hang = async (process: ServerProcess): Promise<void> => void process.child.kill('SIGSTOP')

/** Two workers in a row take the job up and are ended so; their connections go with them, as those of a dead machine do. Returns them. */
async function loseTwice(at: Scene, kind: string, ways: ((process: ServerProcess) => Promise<void>)[]) {
  const losers: string[] = []
  const lost: ServerProcess[] = []
  for (const end of ways) {
    const process = await worker(at, lost)
    losers.push(await stuckAnew(at, kind, losers))
    await end(process)
    lost.push(process)
  }
  return lost
}

const queued = (at: Scene): Promise<unknown[]> =>
  at.site.db.query(
    { text: `select from jobs.queue where name in ('knowledge.index', 'work.run', 'batches.row')` },
    [],
  )

for (const [name, ways] of [
  ['kills', [kill, kill]],
  ['hangs', [hang, hang]],
] as const)
  scene(
    `a source of knowledge that ${name} two processes is failed with its reason, and a third serves on`,
    async (at) => {
      const { site, person } = at
      const key = site.client(await at.start(undefined, { KHERAD_ROLE: 'api' }), person)
      const id = await create(key)
      const made = await add(key, id, { type: 'text', text: 'متنی که خواندنش پردازه را می‌کشد', title: 'بد' })
      expect(made.status, made.text).toBe(201)
      let lost: ServerProcess[]
      {
        await using _held = await at.site.holding('select from knowledge.sources for update')
        lost = await loseTwice(at, 'knowledge.index', [...ways])
      }
      await worker(at, lost)
      const source = await read(key, id, made.body.id)
      expect(source).toMatchObject({ state: 'failed', problem: { code: 'set_aside' } })
      expect(source.problem.message).toMatch(/ended twice/)
      await until(async () => (await queued(at)).length === 0)
      const other = await add(key, id, { type: 'text', text: 'متن خوب', title: 'خوب' })
      expect(await read(key, id, other.body.id)).toMatchObject({ state: 'ready' })
    },
  )

scene('a run that two processes do not survive fails, is settled, and says so', async (at) => {
  const { site, person } = at
  const api = site.client(await at.start(undefined, { KHERAD_ROLE: 'api' }), person)
  const id = await send(api)
  {
    // Who takes a run up asks for its key next.
    await using _held = await at.site.holding('lock table auth.keys in access exclusive mode')
    await loseTwice(at, 'work.run', [kill, kill])
  }
  await worker(at)
  const run = await ended(api, id)
  expect(run).toMatchObject({ status: 'failed', error: { code: 'WORK_INTERRUPTED' } })
  expect(run.error.message).toMatch(/ended twice/)
  expect([...at.calls.values()]).toEqual([])
  expect(await site.balances(person)).toEqual({ balance: credits, held: 0n })
  // The job goes when its worker has told how it ended, a moment after what it ended.
  await until(async () => (await queued(at)).length === 0)
  expect(await site.violations()).toEqual([])
})

scene(
  'of two runs that lost a process together, the next process takes one: with it only this one is lost again',
  async (at) => {
    const { site, person } = at
    const api = site.client(await at.start(undefined, { KHERAD_ROLE: 'api' }), person)
    const ids = [await send(api), await send(api)]
    const claims = () =>
      site.db.query<{ process_id: string | null; vanished: number; fence: number }>(
        {
          text: `select process_id, vanished, fence from jobs.queue where name = 'work.run' order by vanished, fence`,
        },
        [],
      )
    {
      // Who takes a run up asks for its key next.
      await using _held = await site.holding('lock table auth.keys in access exclusive mode')
      const first = await worker(at)
      await until(async () => (await claims()).every(({ process_id }) => process_id !== null))
      await first.kill()
      const second = await worker(at)
      // What the dead had is given to the living, all at once.
      await until(async () => (await claims()).every(({ vanished }) => vanished === 1))
      await until(async () => (await claims()).some(({ process_id }) => process_id !== null))
      // It looks for more every two seconds.
      await pause(2_500)
      const [waiting, taken] = await claims()
      expect(waiting).toEqual({ process_id: null, vanished: 1, fence: taken!.fence - 1 })
      await second.kill()
    }
    await worker(at)
    const runs = await Promise.all(ids.map((id) => ended(api, id)))
    expect(runs.map(({ status }) => status).sort()).toEqual(['failed', 'succeeded'])
    await until(async () => (await queued(at)).length === 0)
    expect(await site.violations()).toEqual([])
  },
)

scene('a row that two processes do not survive is errored, and its batch ends', async (at) => {
  const { site, person } = at
  const api = site.client(await at.start(undefined, { KHERAD_ROLE: 'api' }), person)
  const only = [row('only', { max_tokens: 100, messages: [{ role: 'user', content: 'any' }] })]
  const made = await api.post('/v1/messages/batches', { requests: only }, version)
  expect(made.status, made.text).toBe(200)
  {
    await using _held = await at.site.holding('select from batches.rows for update')
    await loseTwice(at, 'batches.row', [kill, kill])
  }
  await worker(at)
  await endedBatch(api, made.body.id, 120_000)
  const [{ result }] = await results(api, made.body.id)
  expect(result).toMatchObject({ type: 'errored', error: { error: { code: 'SET_ASIDE' } } })
  expect([...at.calls.values()]).toEqual([])
  expect(await site.balances(person)).toEqual({ balance: credits, held: 0n })
  // The job goes when its worker has told how it ended, a moment after what it ended.
  await until(async () => (await queued(at)).length === 0)
})
