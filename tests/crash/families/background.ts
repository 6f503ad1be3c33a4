/** Work that a server was given and answered at once: another goes on with it, and asks nobody twice. */
import { expect } from 'vitest'
import { until } from '../../harness/until.ts'
import { answer, type UpstreamCall } from '../../harness/upstream.ts'
import * as batches from '../../text/batches-world.ts'
import { version } from '../../text/messages-world.ts'
import * as knowledge from '../../work/knowledge-world.ts'
import { embedded } from '../../work/vectors-world.ts'
import { filesOf, reservationsOf } from '../lost.ts'
import { costOf } from './configuration.ts'
import { type Family, once, type Place } from './scene.ts'

const textOf = ({ body }: UpstreamCall): string => JSON.stringify(body?.['messages'] ?? '')
const callsWith = (at: Place, words: string): UpstreamCall[] =>
  at.calls.filter((call) => textOf(call).includes(words))
const costOfCalls = (calls: readonly UpstreamCall[]): bigint =>
  calls.reduce((sum, { usage }) => sum + costOf(usage), 0n)

/** The request that was accepted is accepted again under its key, with the same id. */
async function expectReplay(at: Place, path: string, body: unknown, id: string, headers = {}): Promise<void> {
  const repeat = await at.client.post(path, body, { ...once, ...headers })
  expect([repeat.body.id, repeat.headers.get('idempotent-replayed')], repeat.text).toEqual([id, 'true'])
}

const batch: Family = {
  name: 'a batch with a row answered, one in its call and one that waits',
  async begin(at) {
    const prompts = ['first', 'second', 'third'].map((place) => `${at.person.account} ${place}`)
    const requests = prompts.map((content, place) =>
      batches.row(`row-${place}`, { max_tokens: 100, messages: [{ role: 'user', content }] }),
    )
    at.hangs = (call) => textOf(call).includes('second')
    const made = await at.client.post(batches.path, { requests }, { ...once, ...version })
    expect(made.status, made.text).toBe(200)
    const { id } = made.body
    await until(() => at.calls.length === 2)
    // The answer is paid for and written down.
    await until(async () => (await batches.read(at.client, id)).body.request_counts.succeeded === 1)
    const held = await at.held()
    return {
      async ends() {
        expect(held).toBeGreaterThan(0n)
        expect((await batches.ended(at.client, id)).request_counts).toMatchObject({
          succeeded: 2,
          errored: 1,
        })
        const lines = await batches.results(at.client, id)
        const results = new Map(lines.map((line) => [line.custom_id, line.result]))
        expect(results.get('row-1')).toMatchObject({ error: { error: { code: 'AMBIGUOUS_RESULT' } } })
        for (const row of ['row-0', 'row-2']) expect(results.get(row)).toMatchObject({ type: 'succeeded' })
        for (const prompt of prompts) expect(callsWith(at, prompt), prompt).toHaveLength(1)
        await expectReplay(at, batches.path, { requests }, id, version)
        return { charged: costOfCalls(at.calls) + held, lost: 0n }
      },
    }
  },
}

const filmPath = '/v1/studio/video'
/** Of four seconds. */
const filmPrice = 400_000_000n
const filmsOf = ({ scene, person }: Place, name: string) =>
  scene.films.jobs.filter(({ order }) => JSON.stringify(order).includes(`${person.account} ${name}`))

async function orderFilm(at: Place, name: string) {
  const body = { model: 'test/film', prompt: `${at.person.account} ${name}` }
  const key = { 'idempotency-key': name }
  const made = await at.client.post(filmPath, body, key)
  expect(made.status, made.text).toBe(202)
  const { id, providerJobId } = made.body
  return {
    id,
    ended: () =>
      until(async () => {
        const { body: seen } = await at.client.post(`${filmPath}/status`, { id, providerJobId })
        return seen.pending ? undefined : seen
      }),
    /** Ordered once, after the repeat too. */
    async expectOnce() {
      await expectReplay(at, filmPath, body, id, key)
      expect(filmsOf(at, name)).toHaveLength(1)
    },
  }
}

const films: Family = {
  name: 'a video whose bytes are being fetched, and one that is being ordered',
  async begin(at) {
    const { films } = at.scene
    films.plan({ states: ['completed'] })
    films.fail('content', 'stalled')
    const fetching = films.arrival('content')
    const fetched = await orderFilm(at, 'fetched')
    await fetching
    films.fail('submit', 'hang')
    const ordered = await orderFilm(at, 'ordered')
    await until(() => filmsOf(at, 'ordered').length === 1)
    return {
      async ends() {
        const ordering = `select from videos.jobs where job_id = $1 and ambiguous_until is not null`
        await until(async () => {
          expect(filmsOf(at, 'ordered')).toHaveLength(1)
          return (await at.query(ordering, [ordered.id])).length === 1
        })
        // The ten minutes are over in which the vendor might have named it.
        const over = `update videos.jobs set ambiguous_until = now(), next_at = now() where job_id = $1`
        await at.query(over, [ordered.id])
        expect(await ordered.ended()).toMatchObject({ status: 'failed' })
        expect(await fetched.ended()).toMatchObject({ status: 'completed' })
        await until(async () => (await at.held()) === 0n)
        expect(await reservationsOf(at.site, at.person)).toEqual([])
        expect(await filesOf(at.site, at.person)).toHaveLength(1)
        for (const film of [ordered, fetched]) await film.expectOnce()
        return { charged: filmPrice, lost: filmPrice }
      },
    }
  },
}

/** What a run that writes a program asks, in its order. */
const program = [
  [
    'Plan this project',
    '{"name":"Words","description":"Counts words.","files":[{"path":"one.txt","purpose":"the first"},{"path":"two.txt","purpose":"the second"}]}',
  ],
  ['Write the file one.txt', '```\nthe first file\n```'],
  ['Write the file two.txt', '```\nthe second file\n```'],
  ['Write README.md', '# Words\n\nCounts words.'],
] as const
const [, [lostOrder]] = program

const run: Family = {
  name: 'a run of work in the call of its second step',
  async begin(at) {
    const path = '/v1/work'
    const body = { kind: 'code', input: at.person.account }
    const orderOf = (call: UpstreamCall) => program.find(([order]) => textOf(call).includes(order))
    at.hangs = (call) => orderOf(call)?.[0] === lostOrder
    at.answers = (call) => answer(orderOf(call)?.[1])
    const made = await at.client.post(path, body, once)
    expect(made.status, made.text).toBe(202)
    const { id } = made.body
    await until(() => at.calls.length === 2)
    const started = `select worst from work.steps where run_id = $1 and state = 'started'`
    const [step] = await at.query<{ worst: bigint }>(started, [id])
    return {
      async ends() {
        const end = await until(async () => {
          const { body: seen } = await at.client.get(`${path}/${id}`)
          return seen.ended_at ? seen : undefined
        })
        expect(end).toMatchObject({ status: 'succeeded', is_partial: true, error: null })
        for (const [order] of program) expect(callsWith(at, order), order).toHaveLength(1)
        await until(async () => (await at.held()) === 0n)
        await expectReplay(at, path, body, id)
        const answered = at.calls.filter((call) => !textOf(call).includes(lostOrder))
        return { charged: costOfCalls(answered) + step!.worst, lost: 0n }
      },
    }
  },
}

const source: Family = {
  name: 'a source of knowledge whose vectors are in their call',
  async begin(at) {
    const id = await knowledge.create(at.client)
    const body = { type: 'text', text: `# الف\n\n${at.person.account} گربه` }
    const made = await knowledge.add(at.client, id, body, once)
    expect(made.status, made.text).toBe(201)
    await until(() => at.calls.length === 1)
    const held = await at.held()
    return {
      async ends() {
        expect(held).toBeGreaterThan(0n)
        const { state, vectors } = await embedded(at.client, id, made.body.id)
        expect({ state, vectors }).toMatchObject({
          state: 'ready',
          vectors: { problem: { code: 'lost' } },
        })
        expect(await knowledge.textsFound(at.client, id, 'گربه')).toHaveLength(1)
        await expectReplay(at, `${knowledge.path}/${id}/sources`, body, made.body.id)
        expect(at.calls).toHaveLength(1)
        return { charged: 0n, lost: held }
      },
    }
  },
}

export const backgroundFamilies: Family[] = [batch, films, run, source]
