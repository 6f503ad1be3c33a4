import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setCaps } from '#platform/ledger'
import { expectRefusal } from '../contract/refusal.ts'
import { startMs, until } from '../harness/until.ts'
import { MovableClock } from '../harness/world.ts'
import { create, rows } from '../text/batches-world.ts'
import {
  bootWebhooks,
  checkSignature,
  connected,
  deliveries,
  delivery,
  happen,
  nudge,
  path,
  type WebhooksWorld,
} from './webhooks-world.ts'

let at: WebhooksWorld
beforeAll(async () => {
  at = await bootWebhooks()
})
afterAll(() => at[Symbol.asyncDispose]())

test('an event is delivered once to each matching connection, signed as the contract and Standard Webhooks say', async () => {
  const one = await connected(at, 'one', 'agent.lead', 'agent.handoff')
  const other = await connected(at, 'other', 'agent.lead')
  await connected(at, 'deaf', 'batch.completed')
  await happen(at)
  for (const [name, { id, secret }] of [
    ['one', one],
    ['other', other],
  ] as const) {
    await until(() => at.receiver.got(name).length === 1)
    const [received] = at.receiver.got(name)
    checkSignature(received!, secret)
    const { body, headers } = received!
    const event = new Webhook(secret).verify(body, headers as Record<string, string>) as Record<
      string,
      unknown
    >
    expect(event).toEqual({
      id: headers['webhook-id'],
      type: 'agent.lead',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      project_id: at.world.project,
      data: { n: 0, name: 'زهرا' },
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'webhook-timestamp': headers['x-service-timestamp'],
    })
    const delivered = await delivery(at.key, id, ({ status }) => status === 'delivered')
    expect(delivered).toEqual({
      id: expect.any(String),
      webhook_id: id,
      event_id: event['id'],
      event: 'agent.lead',
      status: 'delivered',
      attempts: 1,
      http_status: 204,
      error: null,
      duration_ms: expect.any(Number),
      created_at: event['created_at'],
      last_attempt_at: expect.any(String),
      next_attempt_at: null,
      ended_at: expect.any(String),
    })
  }
  const [first, second] = [...at.receiver.got('one'), ...at.receiver.got('other')]
  expect(first!.body).toBe(second!.body)
  expect(at.receiver.got('deaf')).toEqual([])
  const ours = new Set([one.id, other.id])
  expect((await deliveries(at.key)).filter(({ webhook_id }) => ours.has(webhook_id))).toHaveLength(2)
})

test('the guide’s own code takes what was sent, and nothing else', async () => {
  const { secret } = await connected(at, 'guide', 'agent.handoff')
  await happen(at, 1, 'agent.handoff')
  await until(() => at.receiver.got('guide').length === 1)
  const { headers, body } = at.receiver.got('guide')[0]!
  const guide = await readFile(new URL('../../docs/guides/account/webhooks.md', import.meta.url), 'utf8')
  const code = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide)![1]!
  const { isFromKherad } = await import(`data:text/javascript,${encodeURIComponent(code('js'))}`)
  const cases = [
    [headers, body, secret, true],
    [headers, body.replace('زهرا', 'زهره'), secret, false],
    [headers, body, `${secret}=`, false],
    [
      { ...headers, 'x-service-timestamp': String(Number(headers['x-service-timestamp']) - 301) },
      body,
      secret,
      false,
    ],
    [{}, body, secret, false],
  ] as const
  for (const [headers, raw, with_, expected] of cases)
    expect(isFromKherad(headers, Buffer.from(raw), with_)).toBe(expected)
  if (spawnSync('python3', ['--version']).status !== 0) return
  const python = `${code('python')}
import json, sys
print([is_from_kherad({k.title(): v for k, v in h.items()}, b.encode(), s) for h, b, s, _ in json.load(sys.stdin)])`
  const verified = spawnSync('python3', ['-c', python], { input: JSON.stringify(cases), encoding: 'utf8' })
  expect(verified.stdout.trim(), verified.stderr).toBe('[True, False, False, False, False]')
})

test('a rotation: both secrets sign Standard Webhooks for a day, the contract’s header is of the new one alone', async () => {
  const made = await connected(at, 'rotated', 'agent.handoff')
  const { body: rotated } = await at.key.request('POST', `${path}/${made.id}/rotate-secret`)
  expect(rotated).toEqual({
    ...made,
    secret: expect.stringMatching(/^whsec_/),
    updated_at: expect.any(String),
    previous_secret_until: expect.any(String),
  })
  expect(rotated.secret).not.toBe(made.secret)
  expect(Date.parse(rotated.previous_secret_until) - Date.parse(rotated.updated_at)).toBe(86_400_000)
  await happen(at, 1, 'agent.handoff')
  await until(() => at.receiver.got('rotated').length === 1)
  const [received] = at.receiver.got('rotated')
  const headers = received!.headers as Record<string, string>
  for (const secret of [made.secret, rotated.secret]) new Webhook(secret).verify(received!.body, headers)
  expect(headers['webhook-signature']!.split(' ')).toHaveLength(2)
  checkSignature(received!, rotated.secret)
  expect(() => checkSignature(received!, made.secret)).toThrow()
  // A day later, as the database has it.
  await at.world.app.db.query(
    { text: `update webhooks.connections set old_secret_until = now() where connection_id = $1` },
    [made.id],
  )
  await happen(at, 1, 'agent.handoff')
  await until(() => at.receiver.got('rotated').length === 2)
  expect(at.receiver.got('rotated')[1]!.headers['webhook-signature']).toMatch(/^v1,\S+$/)
})

test('a test sends ping once, to one connection, whatever its events, and at most ten times a minute', async () => {
  const { id, secret } = await connected(at, 'tested')
  at.receiver.answer('tested', (response, nth) => response.writeHead(nth === 1 ? 200 : 500).end())
  const test = (headers = {}) => at.key.request('POST', `${path}/${id}/test`, undefined, headers)
  const first = await test({ 'idempotency-key': 'ping-1' })
  expect(first.status, first.text).toBe(202)
  expect(first.body).toMatchObject({ webhook_id: id, event: 'ping', status: 'pending', attempts: 0 })
  expect((await test({ 'idempotency-key': 'ping-1' })).text).toBe(first.text)
  await delivery(at.key, id, ({ status }) => status === 'delivered')
  const [received] = at.receiver.got('tested')
  checkSignature(received!, secret)
  expect(JSON.parse(received!.body)).toEqual({
    id: first.body.event_id,
    type: 'ping',
    created_at: first.body.created_at,
    project_id: at.world.project,
    data: { webhook_id: id },
  })
  const more = await Promise.all(Array.from({ length: 12 }, () => test()))
  expect(more.filter(({ status }) => status === 202)).toHaveLength(9)
  const refused = more.filter(({ status }) => status !== 202)
  for (const one of refused) expectRefusal(one, { status: 429, code: 'TOO_MANY_TESTS' })
  expect(refused[0]!.headers.get('retry-after')).toBe('60')
  // A failed ping is not repeated.
  await until(async () => (await deliveries(at.key, { webhook_id: id, status: 'failed' })).length === 9)
  expect(at.receiver.got('tested')).toHaveLength(10)
})

test('an event is sent once more under its own id, when it is not on its way and its connection is there', async () => {
  // Its clock stands still, so that no retry falls due while the refusals are looked at.
  await using at = await bootWebhooks({ clock: new MovableClock() })
  const { id } = await connected(at, 'again', 'batch.cancelled')
  at.receiver.answer('again', (response, nth) => response.writeHead(nth === 2 ? 500 : 200).end())
  await happen(at, 1, 'batch.cancelled')
  const first = await delivery(at.key, id, ({ status }) => status === 'delivered')
  const ask = (headers = {}) =>
    at.key.request('POST', `${path}/deliveries/${first.id}/redeliver`, undefined, headers)
  const second = await ask({ 'idempotency-key': 'again-1' })
  expect(second.status, second.text).toBe(202)
  expect(second.body).toMatchObject({ event_id: first.event_id, status: 'pending', attempts: 0 })
  expect(second.body.id).not.toBe(first.id)
  await delivery(at.key, id, ({ id, attempts }) => id === second.body.id && attempts === 1)
  expectRefusal(await ask(), { status: 409, code: 'DELIVERY_PENDING' })
  expect((await ask({ 'idempotency-key': 'again-1' })).text).toBe(second.text)
  const [one, two] = at.receiver.got('again')
  expect(two!.body).toBe(one!.body)
  const patch = (enabled: boolean) => at.key.request('PATCH', `${path}/${id}`, JSON.stringify({ enabled }))
  await patch(false)
  expectRefusal(await ask(), { status: 409, code: 'WEBHOOK_DISABLED' })
  expectRefusal(await at.key.request('POST', `${path}/${id}/test`), { status: 409, code: 'WEBHOOK_DISABLED' })
  await patch(true)
  expect((await ask()).status).toBe(202)
  await until(() => at.receiver.got('again').length === 3)
  await at.key.request('DELETE', `${path}/${id}`)
  expectRefusal(await at.key.request('DELETE', `${path}/${id}`), {
    status: 404,
    code: 'NOT_FOUND',
    param: 'id',
  })
  expectRefusal(await ask(), { status: 409, code: 'WEBHOOK_DISABLED' })
  expect(await deliveries(at.key, { webhook_id: id })).toHaveLength(3)
})

test('a connection made switched off gets nothing', async () => {
  const body = { url: at.receiver.url('off'), events: ['agent.lead'], enabled: false }
  const { id } = (await at.key.post(path, body)).body
  await happen(at)
  expect(await deliveries(at.key, { webhook_id: id })).toEqual([])
})

const many = Number(process.env['KHERAD_TEST_EVENTS'] ?? 500)

test(
  `${many} events to a slow and a fast target: neither waits for the other, each gets all, at most eight at a time`,
  async () => {
    // What waits for the slow one longer than an attempt may take is given up, and falls due again with this clock.
    const clock = new MovableClock()
    await using at = await bootWebhooks({ clock })
    const slow = await connected(at, 'slow')
    const fast = await connected(at, 'fast')
    const silent = await connected(at, 'silent')
    let released = false
    const held: (() => void)[] = []
    at.receiver.answer('slow', (response) => {
      const end = () => void response.writeHead(200).end()
      if (released) setTimeout(end, 5)
      else held.push(end)
    })
    at.receiver.answer('silent', () => undefined)
    for (let n = 0; n < many; n += 500) await happen(at, Math.min(500, many - n))
    // The fast one has everything while the slow one has not answered once.
    await until(() => at.receiver.got('fast').length >= many, startMs)
    await until(() => at.receiver.busy('slow').max >= 8)
    for (const name of ['slow', 'fast', 'silent']) expect(at.receiver.busy(name).max).toBeLessThanOrEqual(8)
    await at.key.request('DELETE', `${path}/${silent.id}`)
    released = true
    for (const end of held) end()
    const idsAt = (name: string) => new Set(at.receiver.got(name).map(({ headers }) => headers['webhook-id']))
    for (const { id } of [slow, fast])
      await until(async () => {
        clock.moveMs(10_000)
        await nudge(at)
        return (await deliveries(at.key, { webhook_id: id, status: 'pending' })).length === 0
      }, startMs)
    for (const name of ['slow', 'fast']) expect(idsAt(name).size).toBe(many)
    for (const { id } of [slow, fast])
      expect(await deliveries(at.key, { webhook_id: id, status: 'failed' })).toEqual([])
  },
  2 * startMs,
)

test('a budget’s thresholds reach the webhook once for account, project and key', async () => {
  const project = await at.world.newProject({ cap: 10_000_000n })
  const key = await at.world.key({ project, caps: { cap: 10_000_000n } })
  const { app, account } = at.world
  const here = { ...at, key }
  const { id } = await connected(here, 'thresholds', 'budget.threshold')
  const spend = async (credits: bigint) => {
    const hold = await app.ledger.hold({
      payer: { accountId: account, projectId: project, keyId: key.keyId },
      receiptId: crypto.randomUUID(),
      endpoint: '/test',
      microcredits: credits * 1_000_000n,
      started: true,
      lifetimeMs: 60_000,
    })
    await hold.settle({ microcredits: credits * 1_000_000n, state: 'completed', statusCode: 200 })
  }
  await app.db.tx((tx) => setCaps(tx, account, 'account', account, { cap: 10_000_000n }))
  const percents = () =>
    at.receiver
      .got('thresholds')
      .map(({ body }) => JSON.parse(body))
      .map(
        ({ project_id, data }) =>
          `${data.scope} ${data.threshold_percent} ${project_id === null ? 'all' : 'own'}`,
      )
      .toSorted()
  await spend(4n)
  await spend(2n)
  const halves = ['account 50 all', 'key 50 own', 'project 50 own']
  await until(() => percents().length === 3)
  expect(percents()).toEqual(halves)
  // Held beyond and paid back, and spent on below the next threshold: nothing new.
  await spend(1n)
  await app.db.tx((tx) => setCaps(tx, account, 'account', account, { cap: 10_000_000n }))
  await spend(1n)
  await until(() => percents().length === 6)
  expect(percents()).toEqual([...halves, 'account 80 all', 'key 80 own', 'project 80 own'].toSorted())
  await app.db.tx((tx) => setCaps(tx, account, 'account', account, { cap: null }))
  expect(await deliveries(key, { webhook_id: id })).toHaveLength(6)
})

test('the end of a batch reaches the webhook as completed, or as cancelled', async () => {
  const { id } = await connected(at, 'batches', 'batch.completed', 'batch.cancelled')
  const { body } = await create(at.key, rows(1))
  await until(() => at.receiver.got('batches').length === 1)
  expect(JSON.parse(at.receiver.got('batches')[0]!.body)).toMatchObject({
    type: 'batch.completed',
    data: { id: body.id, processing_status: 'ended', request_counts: { succeeded: 1 } },
  })
  expect(await deliveries(at.key, { webhook_id: id })).toHaveLength(1)
})
