import { expect, test } from 'vitest'
import { setCaps } from '#platform/ledger'
import type { Client, Seen } from '../harness/client.ts'
import { upstreamConfig } from '../harness/config-text.ts'
import { type OpenWorld, type SharedWorldOptions, sharedWorld } from '../harness/shared-world.ts'
import { answer, type FakeUpstream, fakeUpstream, json, type Script } from '../harness/upstream.ts'
import { boot, MovableClock, type World, type WorldOptions } from '../harness/world.ts'

interface Stage extends AsyncDisposable {
  world: World
  upstream: FakeUpstream
  key: Client
}

/** A world on a fake upstream, with one key. A call costs 1,000 micro-credits a word of the prompt and 2,000 a word of the answer. */
const stage = (options: Omit<SharedWorldOptions, 'config'> = {}) => openStage(sharedWorld, options)

/** The same on a server of its own, for its clock or settings. */
const bootStage = (options: WorldOptions & { rest?: string }) => openStage(boot, options)

async function openStage(
  start: OpenWorld,
  { rest = '', ...ask }: WorldOptions & { rest?: string },
): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  const world = stack.use(await start({ ...ask, config: upstreamConfig(upstream.url, { rest }) }))
  const key = await world.key()
  const open = stack.move()
  return { world, upstream, key, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** A header carries bytes: those of UTF-8. */
const asHeader = (text: string): string => Buffer.from(text).toString('latin1')
const idOf = (reply: Seen): string => reply.headers.get('x-request-id')!
const perCall = 27_000n

/**
 * A call that holds 853,000 micro-credits at most and costs a whole credit, as its upstream says: 200 tokens of prompt, 400 of
 * answer, both of which can be. So a cap can be filled to the last micro-credit.
 */
const oneCredit = { messages: [{ role: 'user', content: 'two words' }], max_tokens: 400 }
const oneCreditAnswer = json(200, {
  id: 'chatcmpl-upstream',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'upstream-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'long' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 200, completion_tokens: 400, total_tokens: 600 },
})

const lookup = (key: Client, idempotencyKey: string) =>
  key.get(`/v1/requests/lookup?idempotency_key=${encodeURIComponent(idempotencyKey)}`)

test('the balance rounds down, charges round up, and the exact figures stand beside them', async () => {
  await using at = await stage({ credits: 10 })
  expect((await at.key.get('/v1/balance')).body).toEqual({
    balance_credits: 10,
    plan: 'standard',
    currency: 'service_credits',
    shared_balance: true,
    reserved_credits: 0,
    balance_microcredits: '10000000',
    reserved_microcredits: '0',
    budgets: [],
  })
  const reply = await at.key.chat({})
  await at.world.settled()
  expect((await at.key.get('/v1/balance')).body).toMatchObject({
    balance_credits: 9,
    balance_microcredits: String(10_000_000n - perCall),
  })
  expect((await at.key.receipt(idOf(reply))).body).toMatchObject({
    credits: 1,
    microcredits: String(perCall),
  })
  expect((await at.key.get('/v1/usage')).body.totals).toMatchObject({
    credits: 1,
    microcredits: String(perCall),
  })
})

test('while a call runs its receipt is pending and its hold is reserved; afterwards neither', async () => {
  await using at = await stage({ credits: 10 })
  const released = Promise.withResolvers<Script>()
  at.upstream.reply(() => released.promise)
  const running = at.key.chat(
    { max_tokens: 100 },
    { 'idempotency-key': 'order', 'x-customer-id': asHeader('مشتری'), 'x-reference-id': 'r-1' },
  )
  await at.upstream.call(0)
  const { body: found } = await lookup(at.key, 'order')
  const [pending] = found.data
  expect(pending).toMatchObject({
    idempotency_key: 'order',
    endpoint: '/v1/chat/completions',
    state: 'running',
    status_code: null,
    credits: 0,
    pending: true,
    model: 'test/model',
    customer_id: 'مشتری',
    reference_id: 'r-1',
    finished_at: null,
  })
  const held = BigInt(pending.reserved_microcredits)
  expect(held).toBeGreaterThan(200_000n)
  expect((await at.key.get('/v1/balance')).body).toMatchObject({
    balance_credits: 9,
    balance_microcredits: String(10_000_000n - held),
    reserved_credits: 1,
    reserved_microcredits: String(held),
  })
  // Usage is written with the settlement.
  expect((await at.key.get('/v1/usage')).body.totals.requests).toBe(0)

  released.resolve(answer())
  const reply = await running
  expect(idOf(reply)).toBe(pending.id)
  const { body: done } = await at.key.receipt(pending.id)
  expect(done).toMatchObject({
    object: 'request',
    id: pending.id,
    state: 'completed',
    status_code: 200,
    pending: false,
    ambiguous: false,
  })
  expect(done.details).toMatchObject({
    outcome: 'completed',
    finish_reason: 'stop',
    usage_source: 'upstream',
    tokens: { input: 1, output: 13 },
  })
  expect(done.details.attempts).toMatchObject([
    { provider: 'fake', outcome: 'answered', upstream_id: 'chatcmpl-upstream' },
  ])
  expect(JSON.stringify(done)).not.toMatch(/hello|quick brown/)
  expect((await at.key.get('/v1/balance')).body.reserved_microcredits).toBe('0')
})

test('a receipt is seen by its project alone; to others it looks like one that never was', async () => {
  await using at = await stage()
  const reply = await at.key.chat({})
  await at.world.settled()
  const sibling = await at.world.key()
  const elsewhere = await at.world.key({ project: await at.world.newProject() })
  const { client: stranger } = await at.world.stranger()
  expect((await at.key.receipt(idOf(reply))).status).toBe(200)
  expect((await sibling.receipt(idOf(reply))).status).toBe(200)

  const face = (seen: Seen) => ({
    status: seen.status,
    code: seen.body.error.code,
    message: seen.body.error.message,
    param: seen.body.error.param,
  })
  const missing = face(await at.key.receipt('01890000-0000-7000-8000-000000000000'))
  expect(missing).toMatchObject({ status: 404, code: 'NOT_FOUND', param: 'id' })
  expect(face(await elsewhere.receipt(idOf(reply)))).toEqual(missing)
  expect(face(await stranger.receipt(idOf(reply)))).toEqual(missing)
  for (const odd of ['x', 'lookup2', `${idOf(reply)}0`, '%00', "' or 1=1", '۱']) {
    expect(face(await at.key.receipt(encodeURIComponent(odd)))).toEqual(missing)
  }
})

test('a lookup finds the receipts of the calling key alone, never runs anything, and an unknown key is an empty list', async () => {
  await using at = await stage()
  const reply = await at.key.chat({}, { 'idempotency-key': 'order:1_a.b-C' })
  const found = await lookup(at.key, 'order:1_a.b-C')
  expect(found.status).toBe(200)
  expect(found.body.data).toHaveLength(1)
  expect(found.body.data[0]).toMatchObject({
    id: idOf(reply),
    idempotency_key: 'order:1_a.b-C',
    state: 'completed',
    pending: false,
  })
  const others = [await at.world.key(), (await at.world.stranger()).client]
  for (const other of others) expect((await lookup(other, 'order:1_a.b-C')).body).toEqual({ data: [] })
  expect((await lookup(at.key, 'never')).body).toEqual({ data: [] })
  expect(at.upstream.calls).toHaveLength(1)
})

test('a lookup takes 1 to 128 characters of the pattern, and nothing else', async () => {
  await using at = await stage()
  for (const good of ['a', 'z'.repeat(128), 'Aa0._:-']) expect((await lookup(at.key, good)).status).toBe(200)
  for (const bad of ['', 'z'.repeat(129), 'with space', 'slash/', 'کلید', 'new\nline', 'end\n']) {
    const refused = await lookup(at.key, bad)
    expect([bad, refused.status]).toEqual([bad, 400])
    expect(refused.body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'idempotency_key' })
  }
  expect((await at.key.get('/v1/requests/lookup')).body.error).toMatchObject({
    code: 'INVALID_REQUEST',
    param: 'idempotency_key',
  })
})

interface Made {
  by: Client
  reply: Seen
}

/** Seven requests of one project, one of them failed and the last of another day; beside them one of another project and of another account. */
async function useVariously(at: Stage, clock: MovableClock): Promise<Made[]> {
  const sibling = await at.world.key()
  const made: Made[] = []
  const ask = async (by: Client, headers: Record<string, string>, words: number): Promise<void> => {
    at.upstream.reply(answer(Array.from({ length: words }, () => 'w').join(' ')))
    made.push({ by, reply: await by.chat({}, headers) })
  }
  await ask(at.key, {}, 3)
  await ask(at.key, {}, 4)
  await ask(at.key, { 'x-customer-id': 'c1' }, 5)
  await ask(at.key, { 'x-customer-id': 'c1', 'x-reference-id': 'r1' }, 6)
  await ask(sibling, { 'x-customer-id': 'c1' }, 7)
  at.upstream.reply(json(500, {}))
  made.push({ by: at.key, reply: await at.key.chat({}) })
  clock.moveMs(20 * 60_000)
  await ask(at.key, {}, 8)
  // Of another project and another account: not in the sums.
  const elsewhere = await at.world.key({ project: await at.world.newProject() })
  await elsewhere.chat({})
  await (await at.world.stranger()).client.chat({})
  await at.world.settled()
  return made
}

type Row = Record<string, string | number | null>

const grouping = ['day', 'key_id', 'endpoint', 'model', 'customer_id', 'reference_id'] as const
const groupOf = (row: Row): string => grouping.map((name) => row[name]).join()

/** What usage has to say of these receipts, by all that it may be grouped by. */
function groupsOf(receipts: readonly Row[]) {
  const groups = new Map<string, { requests: number; micro: bigint; failures: number }>()
  for (const receipt of receipts) {
    const name = groupOf(receipt)
    const group = groups.get(name) ?? { requests: 0, micro: 0n, failures: 0 }
    group.requests++
    group.micro += BigInt(receipt['microcredits']!)
    if (receipt['state'] === 'failed') group.failures++
    groups.set(name, group)
  }
  return groups
}

const dayInTehran = (at: string): string =>
  new Date(new Date(at).getTime() + 3.5 * 3_600_000).toISOString().slice(0, 10)
const sumOf = (rows: readonly { microcredits: string }[]): string =>
  String(rows.reduce((total, row) => total + BigInt(row.microcredits), 0n))

test('usage is the sum of the receipts, in all and by day, key, model, endpoint, customer and reference', async () => {
  // 20:20 UTC is 23:50 in Tehran.
  const clock = new MovableClock(Date.UTC(2026, 2, 10, 20, 20))
  await using at = await bootStage({ clock })
  const made = await useVariously(at, clock)
  const receipts = await Promise.all(
    made.map(async ({ by, reply }) => {
      const { body } = await at.key.receipt(idOf(reply))
      return { ...body, day: dayInTehran(body.created_at), key_id: by.keyId }
    }),
  )

  const { body: usage } = await at.key.get('/v1/usage?group_by=reference')
  expect(usage).toMatchObject({
    object: 'usage',
    from: '2026-02-10',
    to: '2026-03-11',
    time_zone: 'Asia/Tehran',
  })
  expect(usage.totals).toMatchObject({
    requests: 7,
    failures: 1,
    microcredits: sumOf(receipts),
    tokens: { input: 6, output: 33 },
  })
  expect(sumOf(usage.data)).toBe(sumOf(receipts))
  const groups = groupsOf(receipts)
  const reported = usage.data.map((row: Row) => [
    groupOf(row),
    { requests: row['requests'], micro: BigInt(row['microcredits']!), failures: row['failures'] },
  ])
  expect(new Map(reported)).toEqual(groups)
  expect(usage.data[0].day).toBe('2026-03-11')
  expect(groups.size).toBe(5)

  // Without references the rows of one customer are one, and add up to the same.
  const { body: grouped } = await at.key.get('/v1/usage')
  expect(grouped.totals).toEqual(usage.totals)
  expect(sumOf(grouped.data)).toBe(sumOf(receipts))
  expect(grouped.data).toHaveLength(4)
  expect(grouped.data.some((row: object) => 'reference_id' in row)).toBe(false)
  expect(
    grouped.data.find((row: Row) => row['customer_id'] === 'c1' && row['key_id'] === at.key.keyId),
  ).toMatchObject({ requests: 2, tokens: { output: 11 } })
})

test('usage without a window is that of 30 days with today', async () => {
  const clock = new MovableClock(Date.UTC(2026, 2, 10, 20, 20))
  await using at = await bootStage({ clock })
  await useVariously(at, clock)
  const usage = async () => (await at.key.get('/v1/usage')).body
  clock.moveMs(28 * 86_400_000)
  expect(await usage()).toMatchObject({ from: '2026-03-10', totals: { requests: 7 } })
  clock.moveMs(86_400_000)
  expect(await usage()).toMatchObject({ from: '2026-03-11', totals: { requests: 1 } })
  clock.moveMs(86_400_000)
  expect(await usage()).toMatchObject({ totals: { requests: 0, credits: 0 }, data: [] })
})

interface BudgetThreshold {
  scope: string
  period: string
  threshold_percent: number
  cap_credits: number
  spent_credits: number
}

/** Answers the threshold events since it was last asked, each as a line. */
function thresholdsOf(world: World): () => Promise<string[]> {
  const seen = new Set<string>()
  return async () => {
    const rows = await world.app.db.query<{ event_id: string; data: BudgetThreshold }>(
      {
        text: `select event_id, data from events.outbox where type = 'budget.threshold' and account_id = $1`,
      },
      [world.account],
    )
    const fresh = rows.filter(({ event_id: id }) => !seen.has(id))
    for (const { event_id: id } of fresh) seen.add(id)
    return fresh
      .map(
        ({ data: it }) =>
          `${it.scope} ${it.period}: ${it.threshold_percent}% (${it.spent_credits} of ${it.cap_credits})`,
      )
      .sort()
  }
}

test('each threshold of a cap is reported once in its period, for account, project and key', async () => {
  const clock = new MovableClock(Date.UTC(2026, 2, 10))
  await using at = await bootStage({ clock })
  const key = await at.world.key({ caps: { cap: 10_000_000n } })
  const { account, project } = at.world
  await at.world.app.db.tx(async (tx) => {
    await setCaps(tx, account, 'account', account, { monthCap: 20_000_000n })
    await setCaps(tx, account, 'project', project, { cap: 40_000_000n, monthCap: 4_000_000n })
  })
  const news = thresholdsOf(at.world)
  at.upstream.reply(oneCreditAnswer)
  const spend = async (calls: number): Promise<void> => {
    for (let call = 0; call < calls; call++) {
      expect((await key.chat(oneCredit)).status).toBe(200)
      await at.world.settled()
    }
  }
  await spend(1)
  expect(await news()).toEqual([])
  await spend(3)
  expect(await news()).toEqual([
    'project 2026-03: 100% (4 of 4)',
    'project 2026-03: 50% (2 of 4)',
    'project 2026-03: 80% (4 of 4)',
  ])
  const refused = await key.chat(oneCredit)
  expect(refused.status).toBe(402)
  expect(refused.body.error).toMatchObject({
    code: 'BUDGET_EXCEEDED',
    type: 'billing_error',
    execution_started: false,
  })
  expect(refused.headers.get('x-should-retry')).toBe('false')

  clock.moveMs(25 * 86_400_000)
  await spend(4)
  expect(await news()).toEqual([
    'key total: 50% (5 of 10)',
    'key total: 80% (8 of 10)',
    'project 2026-04: 100% (4 of 4)',
    'project 2026-04: 50% (2 of 4)',
    'project 2026-04: 80% (4 of 4)',
  ])
  await at.world.app.db.tx((tx) => setCaps(tx, account, 'project', project, { monthCap: null }))
  await spend(2)
  expect(await news()).toEqual(['key total: 100% (10 of 10)'])
  const many = await Promise.all(Array.from({ length: 12 }, () => at.key.chat(oneCredit)))
  expect(many.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200))
  await at.world.settled()
  const last = await news()
  expect(last.map((line) => line.replace(/\(.*/, ''))).toEqual([
    'account 2026-04: 50% ',
    'account 2026-04: 80% ',
    'project total: 50% ',
  ])
})

test('an operator says at which shares of a cap word is sent', async () => {
  await using at = await bootStage({ rest: 'budgets: { thresholds_percent: [25, 100] }' })
  const key = await at.world.key({ caps: { cap: 4_000_000n } })
  at.upstream.reply(oneCreditAnswer)
  const news = thresholdsOf(at.world)
  expect((await key.chat(oneCredit)).status).toBe(200)
  await at.world.settled()
  expect(await news()).toEqual(['key total: 25% (1 of 4)'])
  for (let call = 0; call < 3; call++) expect((await key.chat(oneCredit)).status).toBe(200)
  await at.world.settled()
  expect(await news()).toEqual(['key total: 100% (4 of 4)'])
})

test('the month turns at midnight in Tehran: its caps begin anew, total caps do not', async () => {
  // 23:59 in Tehran on the last day of March.
  const clock = new MovableClock(Date.UTC(2026, 2, 31, 20, 29))
  await using at = await bootStage({ clock })
  const key = await at.world.key({ caps: { monthCap: 1_000_000n, cap: 2_000_000n } })
  at.upstream.reply(oneCreditAnswer)
  const spent = async () =>
    (await key.get('/v1/balance')).body.budgets.map((one: { period: string; spent_credits: number }) => [
      one.period,
      one.spent_credits,
    ])
  expect((await key.chat(oneCredit)).status).toBe(200)
  await at.world.settled()
  expect(await spent()).toEqual([
    ['total', 1],
    ['month', 1],
  ])
  expect((await key.chat(oneCredit)).body.error.code).toBe('BUDGET_EXCEEDED')
  clock.moveMs(2 * 60_000)
  expect(await spent()).toEqual([
    ['total', 1],
    ['month', 0],
  ])
  expect((await key.chat(oneCredit)).status).toBe(200)
  await at.world.settled()
  expect(await spent()).toEqual([
    ['total', 2],
    ['month', 1],
  ])
  clock.moveMs(40 * 86_400_000)
  expect((await key.chat(oneCredit)).body.error.code).toBe('BUDGET_EXCEEDED')
})

test('what was held in one month and is settled in the next counts in neither month’s cap but in the total', async () => {
  const clock = new MovableClock(Date.UTC(2026, 2, 31, 20, 29))
  await using at = await bootStage({ clock })
  const key = await at.world.key({ caps: { monthCap: 1_000_000n, cap: 9_000_000n } })
  const released = Promise.withResolvers<Script>()
  at.upstream.reply(() => released.promise)
  const late = key.chat(oneCredit)
  await at.upstream.call(0)
  clock.moveMs(2 * 60_000)
  const early = key.chat(oneCredit)
  await at.upstream.call(1)
  released.resolve(oneCreditAnswer)
  expect([(await late).status, (await early).status]).toEqual([200, 200])
  await at.world.settled()
  expect((await key.get('/v1/balance')).body.budgets).toMatchObject([
    { period: 'total', spent_credits: 2, reserved_credits: 0 },
    { period: 'month', spent_credits: 1, reserved_credits: 0 },
  ])
})

test('a cap lowered below what is spent, or is held, stops new calls and breaks nothing that runs', async () => {
  await using at = await stage()
  const key = await at.world.key({ caps: { cap: 5_000_000n } })
  const { account } = at.world
  at.upstream.reply(oneCreditAnswer)
  expect((await key.chat(oneCredit)).status).toBe(200)
  // Its settlement is in the books before the cap is lowered under it.
  await at.world.settled()
  const released = Promise.withResolvers<Script>()
  at.upstream.reply(() => released.promise)
  const running = key.chat(oneCredit)
  await at.upstream.call(1)
  await at.world.app.db.tx((tx) => setCaps(tx, account, 'key', key.keyId, { cap: 500_000n }))
  expect((await key.chat(oneCredit)).body.error.code).toBe('BUDGET_EXCEEDED')
  expect((await key.chat({ messages: oneCredit.messages })).status).toBe(402)
  released.resolve(oneCreditAnswer)
  const reply = await running
  expect(reply.status).toBe(200)
  await at.world.settled()
  // Nothing above its hold is taken any more: the rest is the platform's loss.
  const { body: receipt } = await key.receipt(idOf(reply))
  expect(receipt.microcredits).toBe(receipt.reserved_microcredits)
  const losses = await at.world.app.db.query<{ amount: bigint }>(
    { text: `select amount from ledger.entries where book = 'loss' and account_id = $1` },
    [at.world.account],
  )
  expect(losses).toEqual([{ amount: BigInt(receipt.microcredits) - 1_000_000n }])
  expect((await at.key.chat(oneCredit)).status).toBe(200)
})

test('what an upstream says in failing never keeps a hold open, be it NUL, half a letter or half an emoji', async () => {
  await using at = await stage()
  const sayings = ['\u0000', 'bad \ud800 half', `${'x'.repeat(499)}😀`, '\\u0000', '"\u0000"']
  for (const message of sayings) {
    at.upstream.replyOnce(json(400, { error: { message } }))
    const reply = await at.key.chat({}, { 'idempotency-key': 'order' })
    expect(reply.status).toBe(400)
    expect((await at.key.receipt(idOf(reply))).body).toMatchObject({
      state: 'failed',
      microcredits: '0',
      pending: false,
    })
  }
  expect(await at.world.balance()).toEqual({ available: 1_000_000_000n, held: 0n })
  for (const text of sayings) {
    at.upstream.replyOnce(answer(text))
    const reply = await at.key.chat({}, { 'idempotency-key': `answer ${sayings.indexOf(text)}` })
    const repeat = await at.key.chat({}, { 'idempotency-key': `answer ${sayings.indexOf(text)}` })
    expect(repeat.text).toBe(reply.text)
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
  }
})
