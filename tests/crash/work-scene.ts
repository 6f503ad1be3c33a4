/** What the crash tests of durable work share: servers with scripted pipelines, and an upstream that counts its calls by prompt. */
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import type { ServerProcess } from '../harness/processes.ts'
import { startMs, until } from '../harness/until.ts'
import * as scenes from './scene.ts'

export const { credits } = scenes

export const path = '/v1/work'

export interface Scene extends scenes.Scene {
  start(databaseUrl?: string, env?: Record<string, string>): Promise<ServerProcess>
}

export async function openScene(): Promise<Scene> {
  const opened = await scenes.openScene()
  return { ...opened, start: (url, env) => opened.site.start(url, env, 'tests/harness/work-main.ts') }
}

export const scene = (name: string, act: (at: Scene) => Promise<void>): void =>
  scenes.onScene(openScene, name, act)

export const script = 'first-step second-step'

export async function send(client: Client, input: string = script): Promise<string> {
  const reply = await client.post(path, { kind: 'code', input })
  expect(reply.status, reply.text).toBe(202)
  return reply.body.id
}

/** The run, once it has ended; servers may come and go meanwhile. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export const ended = (client: Client, id: string): Promise<any> =>
  until(async () => {
    const reply = await client.get(`${path}/${id}`).catch(() => undefined)
    return reply?.body?.ended_at ? reply.body : undefined
  }, startMs)

export const answersOf = async (client: Client, id: string): Promise<string[]> =>
  (await client.get(`${path}/${id}/files?path=said.txt`)).text.split('\n')

/** The row of the run, in the books. */
export async function rowOf({ site }: Scene, id: string) {
  const [row] = await site.db.query<{ held: bigint; spent: bigint; promised: bigint; owner: string | null }>(
    { text: 'select held, spent, promised, owner from work.runs where run_id = $1' },
    [id],
  )
  return row!
}

/** Step by step: state, cost and worst case. */
export const stepsOf = async ({ site }: Scene, id: string) => {
  const rows = await site.db.query<{ step: string; state: string; cost: bigint; worst: bigint }>(
    { text: 'select step, state, cost, worst from work.steps where run_id = $1 order by started_at' },
    [id],
  )
  return new Map(rows.map((row) => [row.step, row]))
}

export interface Expected {
  /** Steps that nobody knows the end of. */
  lost?: readonly string[]
  /** Calls of the upstream, by step; one where nothing is said. */
  calls?: Readonly<Record<string, number>>
}

/** After everything the run has ended, no step was asked twice, and the books say what its steps did cost. */
export async function expectEnd(
  at: Scene,
  client: Client,
  id: string,
  { lost = [], calls = {} }: Expected = {},
) {
  const { site, person } = at
  const run = await ended(client, id)
  expect(run).toMatchObject({ status: 'succeeded', is_partial: lost.length > 0, error: null })
  const names = run.title ?? script
  const steps = await stepsOf(at, id)
  for (const name of names.split(' ')) {
    expect(at.calls.get(name) ?? 0, name).toBe(calls[name] ?? 1)
    const isLost = lost.includes(name)
    expect(steps.get(name), name).toMatchObject({ state: isLost ? 'lost' : 'done' })
    if (isLost) expect(steps.get(name)!.cost).toBe(steps.get(name)!.worst)
  }
  expect(await answersOf(client, id)).toEqual(
    names.split(' ').map((name: string) => (lost.includes(name) ? '(lost)' : `answer to ${name}`)),
  )
  await expectBooks(at, id)
  expect((await site.balances(person)).held).toBe(0n)
}

/** One receipt, charged at the sum of the steps, and every invariant. */
export async function expectBooks(at: Scene, id: string): Promise<void> {
  const { site, person } = at
  await site.over(person)
  const sum = [...(await stepsOf(at, id)).values()].reduce((total, { cost }) => total + cost, 0n)
  const receipts = await site.receipts(person)
  expect(receipts).toHaveLength(1)
  expect(receipts[0]).toMatchObject({ charged: sum, status_code: 202, ambiguous: false })
  expect((await site.balances(person)).balance).toBe(credits - sum)
  expect(await rowOf(at, id)).toMatchObject({ spent: sum, promised: 0n, owner: null })
  expect(await site.violations()).toEqual([])
}
