/** A key that was revoked, restricted or has expired, or an account that was suspended: work under way pays for nothing more. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { revokeKey, setAccountState, setKey } from '#platform/auth'
import { startKherad } from '../../../src/server.ts'
import type { Client } from '../../harness/client.ts'
import { type FakeUpstream, fakeUpstream, json, type Script } from '../../harness/upstream.ts'
import { boot, upstreamConfig, type World } from '../../harness/world.ts'
import { create as createBatch, ended as endedBatch, results, row } from '../../text/batches-world.ts'
import { explained, requestIdOf } from '../../text/chat-world.ts'
import { agentOf, run as runAgent } from '../../work/agents-world.ts'
import { ask, create as createWork, ended as endedWork, openStage } from '../../work/work-world.ts'

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const said = (content: string): Script =>
  json(200, {
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage,
  })
const calls = (name: string, args: object): Script =>
  json(200, {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage,
  })
const fallback = `
    fallbacks: [test/backup]
  - id: test/backup
    kind: text
    deployments: [{ provider: fake, model: backup-model }]
    context_length: 128000
    max_output_tokens: 16384
    input_modalities: [text]
    features: [tools]
    pricing: { input_per_million: 1.0, output_per_million: 2.0 }`

const stage = openStage()
let world: World
let upstream: FakeUpstream
let open: AsyncDisposableStack
beforeAll(async () => {
  open = new AsyncDisposableStack()
  upstream = open.use(await fakeUpstream())
  const config = upstreamConfig(upstream.url, { model: fallback, rest: 'batches: { rows_per_account: 1 }' })
  world = open.use(await boot({ config, pipelines: stage.pipelines }))
})
afterAll(() => open.disposeAsync())

/** How a key loses its right, and the code that says so. `clock` is the server's own. */
const ways: [string, string, (key: Client) => Promise<unknown>, (() => Promise<unknown>)?][] = [
  [
    'a revoked key',
    'INVALID_API_KEY',
    (key) => world.app.db.tx((tx) => revokeKey(tx, key.keyId, new Date())),
  ],
  [
    'an expired key',
    'INVALID_API_KEY',
    (key) => world.app.db.tx((tx) => setKey(tx, key.keyId, { expiresAt: new Date(Date.now() - 1_000) })),
  ],
  [
    'a key whose models were narrowed',
    'MODEL_NOT_ALLOWED',
    (key) => world.app.db.tx((tx) => setKey(tx, key.keyId, { models: ['test/other'] })),
  ],
  [
    'a suspended account',
    'ACCOUNT_SUSPENDED',
    () => world.app.db.tx((tx) => setAccountState(tx, world.account, 'suspended')),
    () => world.app.db.tx((tx) => setAccountState(tx, world.account, 'active')),
  ],
]

/** The first call ends the right of its key, and is answered; whatever follows must not be asked. */
async function endingAtFirst(
  key: Client,
  end: (key: Client) => Promise<unknown>,
  first: Script,
): Promise<void> {
  upstream.calls.length = 0
  upstream.reply(async () => {
    if (upstream.calls.length === 1) await end(key)
    return upstream.calls.length === 1 ? first : said('More.')
  })
}

describe.each(ways)('%s', (_, code, end, mend) => {
  test('a run of work takes no further paid step, fails clearly, and settles what it did', async () => {
    const key = await world.key()
    const reader = await world.key()
    await endingAtFirst(key, end, said('One.'))
    const input = `Two steps, and then no more (${code}, ${Math.random()}).`
    stage.play(
      input,
      async (context) => {
        for (const step of ['one', 'two', 'three']) await ask(context, step)
        return undefined
      },
      { asks: [{ count: 3, promptBytes: 400, maxOutputTokens: 100 }] },
    )
    const made = await createWork(key, { input })
    expect(made.status, made.text).toBe(202)
    await endedInBooks(made.body.id)
    await mend?.()
    const ended = await endedWork(reader, made.body.id)
    expect(upstream.calls).toHaveLength(1)
    expect(ended).toMatchObject({ status: 'failed', error: { code } })
    const { details, microcredits } = await explained(reader, requestIdOf(made))
    expect(microcredits).toBe(String(3 * 1_000 + 2 * 2_000))
    expect(details).toMatchObject({ steps: [{ step: 'one', state: 'done' }] })
  })

  test('the rounds of a hosted tool end with a clear failure, and what was done is charged', async () => {
    const key = await world.key()
    const reader = await world.key()
    const agent = await agentOf(key, { model: 'test/model' })
    await endingAtFirst(
      key,
      end,
      calls('request_handoff', { reason: 'a person is wanted', summary: 'They ask.' }),
    )
    const reply = await runAgent(key, agent, { input: 'I want to talk to a person.' })
    await mend?.()
    expect(upstream.calls).toHaveLength(1)
    expect(reply.body.error.code, reply.text).toBe(code)
    expect(reply.body.error.execution_started).toBeUndefined()
    const receipt = await explained(reader, requestIdOf(reply))
    expect(receipt).toMatchObject({ state: 'failed', microcredits: String(3 * 1_000 + 2 * 2_000) })
  })

  test('no row of a batch begins that had not begun', async () => {
    const key = await world.key()
    const reader = await world.key()
    await endingAtFirst(key, end, said('One.'))
    const made = await createBatch(key, [row('a'), row('b'), row('c')])
    expect(made.status, made.text).toBe(200)
    await expect.poll(() => endedRows()).toBe(true)
    await mend?.()
    await endedBatch(reader, made.body.id)
    const lines = await results(reader, made.body.id)
    expect(upstream.calls).toHaveLength(1)
    // Which of them was first is the queue's affair.
    const told = lines.map(({ result }) => result.error?.error.code ?? result.type)
    expect(told.sort()).toEqual(['succeeded', code, code].sort())
  })

  test('an attempt that failed is not made again, nor at a fallback', async () => {
    const key = await world.key()
    await endingAtFirst(key, end, json(500, 'oops'))
    const reply = await key.chat({ model: 'test/model', max_tokens: 50 })
    await mend?.()
    expect(upstream.calls).toHaveLength(1)
    expect(reply.body.error.code, reply.text).toBe(code)
  })
})

test('revoked in another process: the one that works takes no further paid step', async () => {
  const key = await world.key()
  const reader = await world.key()
  await using other = await startKherad({
    config: { ...world.app.config, port: 0, roles: { api: true, worker: false } },
    log: quiet,
  })
  await endingAtFirst(key, () => other.app.db.tx((tx) => revokeKey(tx, key.keyId, new Date())), said('One.'))
  const input = 'Two steps, and another process revokes the key between them.'
  stage.play(
    input,
    async (context) => {
      for (const step of ['one', 'two']) await ask(context, step)
      return undefined
    },
    { asks: [{ count: 2, promptBytes: 400, maxOutputTokens: 100 }] },
  )
  const made = await createWork(key, { input })
  const ended = await endedWork(reader, made.body.id)
  expect(upstream.calls).toHaveLength(1)
  expect(ended).toMatchObject({ status: 'failed', error: { code: 'INVALID_API_KEY' } })
})

test('a fallback that the key may not use any more is not asked', async () => {
  const key = await world.key({ models: ['test/model', 'test/backup'] })
  await endingAtFirst(
    key,
    () => world.app.db.tx((tx) => setKey(tx, key.keyId, { models: ['test/model'] })),
    json(401, 'no'),
  )
  const reply = await key.chat({ model: 'test/model', max_tokens: 50 })
  expect(upstream.calls).toHaveLength(1)
  expect(reply.body.error.code).toBe('MODEL_NOT_ALLOWED')
})

const endedInBooks = (id: string) =>
  expect
    .poll(
      async () =>
        (
          await world.app.db.query(
            { text: 'select 1 from work.runs where run_id = $1 and ended_at is not null' },
            [id],
          )
        ).length,
      { timeout: 60_000 },
    )
    .toBe(1)
const endedRows = async (): Promise<boolean> =>
  (await world.app.db.query({ text: 'select 1 from batches.batches where ended_at is null' }, [])).length ===
  0
