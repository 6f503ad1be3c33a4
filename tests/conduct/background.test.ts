/** Background work: a call that an upstream may have executed is sent once, and costs at most its hold. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { chunk, cut, done, json, reset, type Script, silence, stream } from '../harness/upstream.ts'
import { create as createBatch, ended as endedBatch, results, row } from '../text/batches-world.ts'
import { ask, create as createWork, ended as endedWork, openStage } from '../work/work-world.ts'
import { bootConduct, type Conduct, hastyWith, shareConduct } from './conduct-world.ts'

const stage = openStage()
let at: Conduct
beforeAll(async () => {
  at = await bootConduct({
    models: [
      {
        id: 'test/model',
        deployments: [
          { on: 'first', priority: 0 },
          { on: 'second', priority: 1 },
        ],
        fallbacks: ['test/backup'],
        resume: 'restart',
      },
      { id: 'test/backup', deployments: [{ on: 'backup' }] },
    ],
    timeouts: hastyWith('first', {
      first_byte_ms: 5_000,
      first_token_ms: 5_000,
      idle_ms: 5_000,
      total_ms: 20_000,
    }),
    pipelines: stage.pipelines,
  })
})
afterAll(() => at[Symbol.asyncDispose]())

const callsOf = () => ['first', 'second', 'backup'].map((name) => at.on(name).calls.length)
beforeEach(async () => {
  for (const name of ['first', 'second', 'backup']) {
    // A breaker that an earlier test filled would hide what is asked.
    at.on(name).reply(json(200, whole))
    at.on(name).calls.length = 0
  }
  await at.key.chat({ model: 'test/model', max_tokens: 4 })
  for (const name of ['first', 'second', 'backup']) at.on(name).calls.length = 0
})

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const choice = (content: string) => ({
  index: 0,
  message: { role: 'assistant', content },
  finish_reason: 'stop',
})
const whole = { id: 'one', object: 'chat.completion', choices: [choice('All is well.')], usage }
const half = JSON.stringify(whole).slice(0, 60)
const inJson = { 'content-type': 'application/json' }

interface Receipt {
  state: string
  held: bigint
  charged: bigint
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  detail: any
}
const receiptOf = (endpoint: string): Promise<Receipt> =>
  until(async () => {
    const [found] = await at.world.app.db.query<Receipt>(
      {
        text: `select state, held, charged, detail from ledger.receipts
          where endpoint = $1 and model is not null order by created_at desc, receipt_id desc limit 1`,
      },
      [endpoint],
    )
    return found && found.state !== 'running' ? found : undefined
  })

const ofRow = async (key: Client = at.key) => {
  const { body, text } = await createBatch(key, [row('one', { model: 'test/model', max_tokens: 50 })])
  expect(body.id, text).toBeDefined()
  await endedBatch(key, body.id)
  const [line] = await results(key, body.id)
  return { line, receipt: await receiptOf('/v1/messages/batches') }
}

/** After any of these the upstream may have worked, and may bill it. */
const ambiguous: [string, () => Script, () => Script][] = [
  ['a connection that breaks before the headers', () => reset, () => reset],
  ['half of a 200 body', () => stream([half, cut], inJson), () => stream([chunk({ content: 'half' }), cut])],
  ['an answer that is none', () => json(200, '<html>'), () => json(200, '<html>')],
  ['a 500', () => json(500, 'oops'), () => json(500, 'oops')],
  ['a 502', () => json(502, 'bad gateway'), () => json(502, 'bad gateway')],
  ['a 504', () => json(504, 'late'), () => json(504, 'late')],
  ['silence', () => silence, () => silence],
  [
    'an error inside an answer that had begun',
    () => json(200, { error: { code: 429, message: 'slow down', type: 'rate_limit_error' } }),
    () => stream([chunk({ content: 'half' }), { error: { code: 429, type: 'rate_limit_error' } }]),
  ],
]

/** These say that nothing was done. */
const refused: [string, () => Script][] = [
  ['a 503', () => json(503, 'later')],
  ['a 429', () => json(429, 'slow', { 'retry-after-ms': '1' })],
  ['a 529', () => json(529, 'busy')],
]

describe('a row of a batch', () => {
  test.each(ambiguous)(
    'after %s it is not asked again: not there, nor elsewhere, and it costs nothing',
    async (_, script) => {
      at.on('first').reply(script())
      const { line, receipt } = await ofRow()
      expect(callsOf()).toEqual([1, 0, 0])
      expect(line.result.type).toBe('errored')
      expect(receipt).toMatchObject({ state: 'failed', charged: 0n, detail: { may_have_run: true } })
      expect(receipt.detail.attempts).toHaveLength(1)
    },
  )

  test.each(refused)('after %s it is asked again, and answered', async (_, script) => {
    at.on('first').replyOnce(script())
    const { line } = await ofRow()
    expect(line.result.type).toBe('succeeded')
    expect(callsOf()).toEqual([2, 0, 0])
  })

  test('whose upstream nobody reaches goes to the next', async () => {
    await using away = await shareConduct({
      models: [
        {
          id: 'test/model',
          deployments: [
            { on: 'first', priority: 0 },
            { on: 'second', priority: 1 },
          ],
        },
      ],
    })
    await away.on('first')[Symbol.asyncDispose]()
    const made = await createBatch(away.key, [row('one', { model: 'test/model', max_tokens: 50 })])
    await endedBatch(away.key, made.body.id)
    expect((await results(away.key, made.body.id))[0].result.type).toBe('succeeded')
    expect(away.on('second').calls).toHaveLength(1)
  })

  test('that costs more than was held for it is charged its hold; the rest is the loss of the platform, in its books', async () => {
    at.on('first').reply(json(200, { ...whole, usage: { prompt_tokens: 4_000, completion_tokens: 2 } }))
    const before = await lossInBooks()
    const { line, receipt } = await ofRow()
    expect(line.result.type).toBe('succeeded')
    const { held, charged } = receipt
    expect(charged).toBe(held)
    const lost = 4_000n * 1_000n + 2n * 2_000n - held
    expect((await lossInBooks()) - before).toBe(lost)
    // Interactive, the same is an honest difference of estimates, paid from what is free.
    const reply = await at.key.chat({ model: 'test/model', max_tokens: 50 })
    expect(reply.status).toBe(200)
    const interactive = await receiptOf('/v1/chat/completions')
    expect(interactive.charged).toBe(4_000n * 1_000n + 2n * 2_000n)
  })
})

const lossInBooks = async (): Promise<bigint> => {
  const [{ lost }] = (await at.world.app.db.query<{ lost: bigint }>(
    { text: `select coalesce(-sum(amount), 0)::bigint as lost from ledger.entries where book = 'loss'` },
    [],
  )) as [{ lost: bigint }]
  return lost
}

describe('a step of work', () => {
  const play = async (input: string) => {
    stage.play(input, async (context) => {
      await ask(context, 'draft')
      return undefined
    })
    const made = await createWork(at.key, { input, model: 'test/model' })
    expect(made.status, made.text).toBe(202)
    const run = await endedWork(at.key, made.body.id)
    return { run, receipt: await receiptOf('/v1/work') }
  }

  test.each(ambiguous)(
    'after %s it is not asked again: not there, nor elsewhere, and it costs nothing',
    async (name, _, script) => {
      at.on('first').reply(script())
      const { run, receipt } = await play(`Draft something, after ${name}.`)
      expect(callsOf()).toEqual([1, 0, 0])
      expect(run.status).toBe('failed')
      expect(receipt).toMatchObject({
        charged: 0n,
        detail: { steps: [{ state: 'failed', may_have_run: true }] },
      })
    },
  )

  test.each(refused)('after %s it is asked again, and answered', async (name, script) => {
    at.on('first').replyOnce(script())
    const { run } = await play(`Draft something else, after ${name}.`)
    expect(run.status).toBe('succeeded')
    expect(callsOf()).toEqual([2, 0, 0])
  })

  test('that costs more than the whole run was held at leaves the run at its hold, and the rest to the platform', async () => {
    const steps = [chunk({ content: 'Done.' }), chunk({}, 'stop')]
    const claimed = {
      choices: [],
      usage: { prompt_tokens: 4_000, completion_tokens: 2, total_tokens: 4_002 },
    }
    at.on('first').reply(stream([...steps, claimed, done]))
    const before = await lossInBooks()
    const { run, receipt } = await play('Draft what costs too much.')
    expect(run.status).toBe('succeeded')
    expect(receipt.charged).toBe(receipt.held)
    expect((await lossInBooks()) - before).toBe(4_000n * 1_000n + 2n * 2_000n - receipt.held)
  })
})
