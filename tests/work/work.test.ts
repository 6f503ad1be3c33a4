import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { revokeKey } from '#platform/auth'
import { expectRefusal, uuidPattern } from '../contract/refusal.ts'
import { requestOf, Wire } from '../contract/wire.ts'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { answer, json } from '../harness/upstream.ts'
import {
  ask,
  bootWork,
  cancel,
  create,
  cut,
  ended,
  eventsOf,
  fileOf,
  input,
  keep,
  path,
  read,
  type WorkWorld,
  whole,
} from './work-world.ts'

let at: WorkWorld
let key: Client
beforeAll(async () => {
  at = await bootWork({ credits: 1_000_000 })
  key = at.key
})
afterAll(() => at[Symbol.asyncDispose]())

const fa = { 'accept-language': 'fa' }

test('work is accepted as queued, done in the background, and handed over as files', async () => {
  at.upstream.replyOnce(answer('the whole report'))
  const made = await create(key, { title: 'The sun' })
  expect(made.status, made.text).toBe(202)
  const { id, request_id } = made.body
  expect(made.body).toEqual({
    id: expect.stringMatching(uuidPattern),
    object: 'run',
    status: 'queued',
    status_url: `${at.world.url}${path}/${id}`,
    files_url: `${at.world.url}${path}/${id}/files`,
    reserved_credits: expect.any(Number),
    request_id: made.headers.get('x-request-id'),
  })
  const run = await ended(key, id)
  expect(run).toMatchObject({
    id,
    object: 'run',
    status: 'succeeded',
    kind: 'research',
    title: 'The sun',
    model: 'test/model',
    is_sandbox: false,
    is_partial: false,
    progress: { percent: 100, message: 'It is ready.' },
    error: null,
    reserved_credits: made.body.reserved_credits,
    request_id,
    retry_at: null,
    events_url: `${at.world.url}${path}/${id}/events`,
  })
  const days = (Date.parse(run.expires_at) - Date.parse(run.ended_at)) / 86_400_000
  expect(days).toBe(30)
  expect(run.events.map((event: { type: string }) => event.type)).toEqual([
    'queued',
    'running',
    'progress',
    'file',
    'succeeded',
  ])
  expect(run.files.map((file: { path: string }) => file.path)).toEqual(['report.md', 'manifest.json'])
  const report = await fileOf(key, id, 'path=report.md')
  expect(await report.text()).toBe('the whole report')
  expect(at.planned.at(-1)).toMatchObject({ kind: 'research', input, language: 'en', isSandbox: false })
})

test('words are Persian for who reads Persian, and the task speaks the language of its input', async () => {
  const { body } = await create(key, { input: 'گزارشی دربارهٔ خورشید و PostgreSQL بنویس', kind: 'document' })
  const run = await ended(key, body.id)
  expect(run.progress.message).toBe('It is ready.')
  const persian = (await read(key, body.id, fa)).body
  expect(persian.progress.message).toBe('آماده است.')
  expect(persian.events[0].message).toBe('در نوبت.')
  expect(persian.events.find(({ type }: { type: string }) => type === 'file').message).toBe(
    'report.md آماده شد.',
  )
  expect(persian.files.at(-1)).toMatchObject({ path: 'manifest.json', title: 'فهرست فایل‌ها' })
  expect(at.planned.at(-1)).toMatchObject({ kind: 'document', language: 'fa' })
})

describe('money', () => {
  test('one receipt and one hold: what is reserved is the worst case, what is charged the sum of the steps', async () => {
    await at.world.settled()
    const before = await at.world.balance()
    at.play(
      'two questions, one sum',
      async (context) => {
        await ask(context, 'one')
        await ask(context, 'two')
        return whole
      },
      { asks: [{ count: 2, promptBytes: 1000, maxOutputTokens: 100 }] },
    )
    const headers = { 'x-customer-id': 'c-1', 'x-reference-id': 'r-1' }
    const { body } = await create(key, { input: 'two questions, one sum' }, headers)
    // (1000 + 1024 + 64) / 2 tokens of prompt at 1 credit a thousand, 100 of answer at 2; twice.
    const reserved = 2n * (1_044n * 1_000n + 100n * 2_000n)
    expect(body.reserved_credits).toBe(3)
    const run = await ended(key, body.id)
    const calls = at.upstream.calls.slice(-2).map(({ usage }) => usage)
    const cost = calls.reduce(
      (sum, usage) => sum + BigInt(usage.prompt_tokens) * 1_000n + BigInt(usage.completion_tokens) * 2_000n,
      0n,
    )
    expect(run.credits).toBe(1)
    expect(await at.world.balance()).toEqual({ available: before.available - cost, held: 0n })
    const { body: receipt } = await key.receipt(body.request_id)
    expect(receipt).toMatchObject({
      state: 'completed',
      endpoint: path,
      status_code: 202,
      microcredits: String(cost),
      reserved_microcredits: String(reserved),
      model: 'test/model',
      customer_id: 'c-1',
      reference_id: 'r-1',
      details: { outcome: 'succeeded', run_id: body.id, kind: 'research', usage_source: 'upstream' },
    })
    expect(receipt.details.steps).toMatchObject([
      { step: 'one', kind: 'ask', state: 'done' },
      { step: 'two', kind: 'ask', state: 'done' },
    ])
    const { attempts } = receipt.details
    expect(attempts).toMatchObject(
      calls.map(({ prompt_tokens: input, completion_tokens: output }) => ({
        tokens: { input, output },
        microcredits: input * 1_000 + output * 2_000,
        usage_source: 'upstream',
      })),
    )
    // What the upstream was told as its id, and times that are those of the whole run.
    const idempotencyKeys = at.upstream.calls.slice(-2).map(({ headers }) => headers['idempotency-key'])
    expect(attempts.map(({ attempt_id }: { attempt_id: string }) => attempt_id)).toEqual(idempotencyKeys)
    expect(attempts[1].started_ms).toBeGreaterThanOrEqual(attempts[0].ended_ms)
    const { body: usage } = await key.get('/v1/usage?group_by=reference')
    expect(usage.data.find((row: { reference_id: string }) => row.reference_id === 'r-1')).toMatchObject({
      endpoint: path,
      requests: 1,
      failures: 0,
      microcredits: String(cost),
      tokens: {
        input: calls[0]!.prompt_tokens + calls[1]!.prompt_tokens,
        output: calls[0]!.completion_tokens + calls[1]!.completion_tokens,
      },
    })
  })

  test('work that cannot be paid is refused, keeps nothing and leaves its key free', async () => {
    const { client, account } = await at.world.stranger(0.5)
    const before = at.upstream.calls.length
    const plan = { asks: [{ count: 10, promptBytes: 100, maxOutputTokens: 100 }] }
    at.play('more than there is', async () => whole, plan)
    const headers = { 'idempotency-key': 'poor-1' }
    const refused = await create(client, { input: 'more than there is' }, headers)
    expectRefusal(refused, { status: 402, code: 'INSUFFICIENT_CREDITS' })
    expect((await client.get(path)).body.data).toEqual([])
    expect(await at.world.app.ledger.balance(account)).toEqual({ balance: 500_000n, held: 0n })
    // The key is free: it buys something that can be paid.
    at.play('nearly nothing at all', async () => whole, { asks: [] })
    const taken = await create(client, { input: 'nearly nothing at all' }, headers)
    expect(taken.status, taken.text).toBe(202)
    await ended(client, taken.body.id)
    expect(at.upstream.calls).toHaveLength(before)
  })

  test('a cap that is too low refuses as a budget', async () => {
    const capped = await at.world.key({ caps: { cap: 1_000n } })
    expectRefusal(await create(capped), { status: 402, code: 'BUDGET_EXCEEDED' })
    const slow = await at.world.key({ caps: { ratePerMinute: 1 } })
    const { body } = await create(slow)
    expectRefusal(await create(slow), { status: 429, code: 'RATE_LIMITED' })
    await ended(key, body.id)
  })

  test('a run holds its place among the calls under way until it ends', async () => {
    const released = Promise.withResolvers<void>()
    at.play('as long as I hold you', async () => void (await released.promise))
    const single = await at.world.key({ caps: { concurrency: 1 } })
    const { body } = await create(single, { input: 'as long as I hold you' })
    expectRefusal(await create(single), { status: 429, code: 'CONCURRENCY_LIMITED' })
    released.resolve()
    await ended(key, body.id)
    const again = await create(single)
    expect(again.status).toBe(202)
    await ended(key, again.body.id)
  })

  test('the run stops with a partial deliverable rather than overspend', async () => {
    const calls = at.upstream.calls.length
    at.play(
      'until the money ends',
      async (context) => {
        const parts: string[] = []
        try {
          for (let step = 1; step <= 5; step++)
            parts.push((await ask(context, `part/${step}`, 'go on', 340)).text)
        } catch (error) {
          expect((error as Error).name).toBe('OutOfCredits')
        }
        await keep(context, 'parts.md', parts.join('\n'))
        return cut
      },
      { asks: [{ count: 1, promptBytes: 0, maxOutputTokens: 100 }] },
    )
    const { body } = await create(key, { input: 'until the money ends' })
    const run = await ended(key, body.id)
    expect(run).toMatchObject({
      status: 'succeeded',
      is_partial: true,
      progress: { percent: 100, message: 'A part is missing.' },
    })
    expect(run.credits).toBeLessThanOrEqual(run.reserved_credits)
    // The worst case of a second one is more than the first has left, whatever it would cost in the end.
    expect(at.upstream.calls).toHaveLength(calls + 1)
  })

  test('credits that end before anything can be handed over fail the run', async () => {
    at.play('nothing to be had', async (context) => void (await ask(context, 'draft')), { asks: [] })
    const { body } = await create(key, { input: 'nothing to be had' })
    expect(body.reserved_credits).toBe(0)
    expect(await ended(key, body.id)).toMatchObject({
      status: 'failed',
      credits: 0,
      error: { code: 'WORK_OUT_OF_CREDITS' },
    })
  })
})

describe('idempotency', () => {
  test('a repeat gets the first answer while the work goes on, after it, and whatever has changed', async () => {
    const released = Promise.withResolvers<void>()
    at.play('say it only once', async () => void (await released.promise))
    const headers = { 'idempotency-key': 'once-1' }
    const first = await create(key, { input: 'say it only once' }, headers)
    const during = await create(key, { input: 'say it only once' }, headers)
    released.resolve()
    await ended(key, first.body.id)
    const after = await create(key, { input: 'say it only once' }, headers)
    for (const repeat of [during, after]) {
      expect(repeat.status).toBe(202)
      expect(repeat.text).toBe(first.text)
      expect(repeat.headers.get('idempotent-replayed')).toBe('true')
      expect(repeat.headers.get('x-request-id')).toBe(first.body.request_id)
    }
    expectRefusal(await create(key, { input: 'say something else' }, headers), {
      status: 409,
      code: 'IDEMPOTENCY_CONFLICT',
    })
    const { body } = await key.get('/v1/requests/lookup?idempotency_key=once-1')
    expect(body.data).toMatchObject([{ id: first.body.request_id, state: 'completed', status_code: 202 }])
  })
})

describe('steps', () => {
  test('a name is asked once however often, and what was computed once is reported again', async () => {
    const calls = at.upstream.calls.length
    let computed = 0
    at.play('the same name twice', async (context) => {
      const both = await Promise.all([ask(context, 'draft'), ask(context, 'draft', 'otherwise')])
      expect(both[0]).toEqual(both[1])
      expect(await ask(context, 'draft')).toEqual(both[0])
      const number = () => context.once('number', async () => ({ computed: ++computed }))
      expect([await number(), await number()]).toEqual([{ computed: 1 }, { computed: 1 }])
      expect(await context.recall('passages', 'sun')).toEqual([])
      // Neither is set up here, or what is asked for is not public.
      expect(await context.search('found', 'sun')).toEqual([])
      expect(await context.read('page', 'https://127.0.0.1/')).toBeUndefined()
      return whole
    })
    const { body } = await create(key, { input: 'the same name twice' })
    expect((await ended(key, body.id)).error).toBeNull()
    expect(at.upstream.calls).toHaveLength(calls + 1)
  })

  test('a large result lives in the storage and comes back whole', async () => {
    const large = 'خ'.repeat(100_000)
    let runs = 0
    at.play('something very large', async (context) => {
      runs++
      expect(await context.once('large', async () => large)).toBe(large)
      if (runs === 1) await ask(context, 'busy')
      await keep(context, 'large.txt', large, 'text/plain')
      return whole
    })
    at.upstream.replyOnce(json(429, { error: { message: 'slow down' } }, { 'retry-after': '0' }))
    const { body } = await create(key, { input: 'something very large' })
    const run = await ended(key, body.id)
    expect(run.error).toBeNull()
    expect(run.files[0].bytes).toBe(200_000)
  })

  test('a step that the upstream refuses fails with its code, is not asked again, and costs nothing', async () => {
    at.play('what nobody answers', async (context) => {
      await keep(context, 'notes.md', 'so far')
      await ask(context, 'draft')
    })
    at.upstream.replyOnce(json(400, { error: { message: 'no such thing' } }))
    const { body } = await create(key, { input: 'what nobody answers' })
    const run = await ended(key, body.id)
    expect(run).toMatchObject({ status: 'failed', credits: 0, error: { code: 'UPSTREAM_INVALID_REQUEST' } })
    expect(run.error.message).toContain('draft')
    expect(await (await fileOf(key, body.id, 'path=notes.md')).text()).toBe('so far')
    const { body: receipt } = await key.receipt(body.request_id)
    expect(receipt).toMatchObject({ state: 'failed', microcredits: '0', status_code: 202 })
  })

  test('a pipeline that breaks fails the run in words, and reveals nothing of what broke', async () => {
    at.play('what breaks inside', async () => {
      throw new Error('a secret of the house')
    })
    const { body } = await create(key, { input: 'what breaks inside' })
    const run = await ended(key, body.id)
    expect(run).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } })
    expect(JSON.stringify(run)).not.toContain('secret')
  })

  test('an upstream that wants to be asked later is: the run waits, and then goes on', async () => {
    const busy = json(429, { error: { message: 'slow down' } }, { 'retry-after': '1' })
    at.upstream.reply(busy)
    const { body } = await create(key)
    const waiting = await until(async () => {
      const { body: run } = await read(key, body.id)
      return run.status === 'waiting' ? run : undefined
    })
    expect(Date.parse(waiting.retry_at)).toBeGreaterThan(Date.parse(waiting.started_at))
    expect(waiting.progress.message).toContain('busy')
    at.upstream.reply(answer('at last'))
    const run = await ended(key, body.id)
    expect(run.status).toBe('succeeded')
    expect(run.events.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['waiting', 'running', 'succeeded']),
    )
    expect(await (await fileOf(key, body.id, 'path=report.md')).text()).toBe('at last')
    at.upstream.reply(answer())
  })

  test('progress never goes back, and is reported once', async () => {
    at.play('forth and never back', async (context) => {
      await context.progress(40, { fa: 'الف', en: 'A' })
      await context.progress(40, { fa: 'الف', en: 'A' })
      await context.progress(10, { fa: 'ب', en: 'B' })
      await context.progress(100, { fa: 'پ', en: 'C' })
      return whole
    })
    const { body } = await create(key, { input: 'forth and never back' })
    const run = await ended(key, body.id)
    const events = run.events.filter(({ type }: { type: string }) => type === 'progress')
    expect(
      events.map(({ percent, message }: { percent: number; message: string }) => [percent, message]),
    ).toEqual([
      [40, 'A'],
      [40, 'B'],
      [99, 'C'],
    ])
  })
})

describe('cancel', () => {
  test('a running run is notified, its step is cut, and what it used is charged', async () => {
    const calls = at.upstream.calls.length
    at.upstream.reply(() => new Promise(() => {}))
    const { body } = await create(key, {}, { 'x-reference-id': 'cancelled' })
    const call = await at.upstream.call(calls)
    const headers = { 'idempotency-key': `cancel-${body.id}` }
    const reply = await cancel(key, body.id, headers)
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toMatchObject({ id: body.id, object: 'run', status: 'cancelling' })
    await call.whenAborted
    at.upstream.reply(answer())
    const run = await ended(key, body.id)
    expect(run).toMatchObject({ status: 'cancelled', error: null })
    expect(run.progress.percent).toBeLessThan(100)
    expect(at.upstream.calls).toHaveLength(calls + 1)
    // To the byte, though it has ended meanwhile.
    expect((await cancel(key, body.id, headers)).text).toBe(reply.text)
    const again = await cancel(key, body.id)
    expect(again.body).toMatchObject({ status: 'cancelled' })
    const { body: receipt } = await key.receipt(body.request_id)
    expect(receipt).toMatchObject({ state: 'completed', details: { outcome: 'cancelled' } })
  })

  test('a run that has not begun is over at once, and costs nothing', async () => {
    const released = Promise.withResolvers<void>()
    at.play('all the places taken', async () => void (await released.promise))
    const before = await Promise.all(
      Array.from({ length: 4 }, () => create(key, { input: 'all the places taken' })),
    )
    for (const { body } of before)
      await until(async () => (await read(key, body.id)).body.status === 'running')
    const { body } = await create(key)
    const reply = await cancel(key, body.id)
    expect(reply.body).toMatchObject({ status: 'cancelled', credits: 0, started_at: null })
    released.resolve()
    for (const { body: one } of before) await ended(key, one.id)
    expect((await read(key, body.id)).body.status).toBe('cancelled')
  })
})

describe('files', () => {
  let id: string
  const title = 'گزارش: خورشید/ماه'
  const png = Uint8Array.from([137, 80, 78, 71])
  beforeAll(async () => {
    at.play('files of many kinds', async (context) => {
      await keep(context, 'گزارش.md', '# سلام')
      await context.saveFile({ path: 'charts/sales.png', bytes: png, mediaType: 'image/png', title: 'Sales' })
      await keep(context, 'گزارش.md', '# سلام دنیا')
      return whole
    })
    const { body } = await create(key, { input: 'files of many kinds', title })
    id = body.id
    await ended(key, id)
  })

  test('a file has its type, its name in any script, its length and its hash', async () => {
    const file = await fileOf(key, id, `path=${encodeURIComponent('گزارش.md')}`)
    const text = await file.text()
    expect(text).toBe('# سلام دنیا')
    const sum = createHash('sha256').update(text).digest('hex')
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'content-disposition': `attachment; filename="gzarsh.md"; filename*=UTF-8''${encodeURIComponent('گزارش.md')}`,
      'content-length': String(Buffer.byteLength(text)),
      'x-content-type-options': 'nosniff',
      etag: `"${sum}"`,
    })
    const picture = await fileOf(key, id, 'path=charts/sales.png')
    expect(picture.headers.get('content-type')).toBe('image/png')
    expect(picture.headers.get('content-disposition')).toBe('attachment; filename="sales.png"')
    expect(new Uint8Array(await picture.arrayBuffer())).toEqual(png)
    const known = await fileOf(key, id, 'path=charts/sales.png', {
      'if-none-match': `W/"x", ${picture.headers.get('etag')}`,
    })
    expect([known.status, await known.text()]).toEqual([304, ''])
  })

  test('manifest.json is always there, and names the others as the status does', async () => {
    const { body } = await read(key, id)
    const file = await fileOf(key, id, 'path=manifest.json')
    expect(file.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const text = await file.text()
    expect(JSON.parse(text)).toEqual({ files: body.files.slice(0, -1) })
    expect(body.files.at(-1)).toMatchObject({
      path: 'manifest.json',
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    })
    expect(body.files.slice(0, 2)).toMatchObject([
      { path: 'گزارش.md', media_type: 'text/markdown' },
      { path: 'charts/sales.png', media_type: 'image/png', bytes: 4, title: 'Sales' },
    ])
  })

  test('the bundle is a zip of all of them', async () => {
    const { unzipSync } = await import('fflate')
    const bundle = await fileOf(key, id, 'bundle=1')
    expect(bundle.headers.get('content-type')).toBe('application/zip')
    // `curl -OJ` saves it under the first name, browsers under the second.
    expect(bundle.headers.get('content-disposition')).toBe(
      `attachment; filename="gzarsh-khorshid-mah.zip"; filename*=UTF-8''${encodeURIComponent('گزارش خورشید ماه.zip')}`,
    )
    const etag = bundle.headers.get('etag')!
    const files = unzipSync(new Uint8Array(await bundle.arrayBuffer()))
    expect(Object.keys(files).sort()).toEqual(['charts/sales.png', 'manifest.json', 'گزارش.md'])
    expect((await fileOf(key, id, 'bundle=1', { 'if-none-match': etag })).status).toBe(304)
  })

  test.each([
    ['neither path nor bundle', '', { status: 400, code: 'INVALID_REQUEST', param: 'path' }],
    ['both', 'path=a&bundle=1', { status: 400, code: 'INVALID_REQUEST', param: 'path' }],
    ['a path in other letters', 'path=CHARTS/sales.png', { status: 404, code: 'NOT_FOUND', param: 'path' }],
    ['a path out of the run', 'path=../manifest.json', { status: 404, code: 'NOT_FOUND', param: 'path' }],
    ['a file that is not there', 'path=report.pdf', { status: 404, code: 'NOT_FOUND', param: 'path' }],
  ])('refused: %s', async (_, query, refusal) => {
    expectRefusal(await key.get(`${path}/${id}/files?${query}`), refusal)
  })

  test.each([
    'manifest.json',
    '../up.md',
    'a//b',
    'con.txt',
    '/root.md',
    'CHARTS/Sales.PNG',
    'charts',
    'گزارش.md/x',
  ])('a pipeline cannot hand over %s beside the others', async (name) => {
    let refused: unknown
    at.play(`files like ${name}`, async (context) => {
      await context.saveFile({ path: 'charts/sales.png', bytes: png, mediaType: 'image/png', title: 'Sales' })
      await keep(context, 'گزارش.md', 'x')
      refused = await keep(context, name, 'x').catch((error: unknown) => error)
      return whole
    })
    const { body } = await create(key, { input: `files like ${name}` })
    await ended(key, body.id)
    expect(refused).toBeInstanceOf(RangeError)
  })
})

describe('events', () => {
  test('are streamed as they come, resumed after the last one seen, and end with the run', async () => {
    const released = Promise.withResolvers<void>()
    at.play('look at me work', async (context) => {
      await context.progress(20, { fa: 'آغاز', en: 'Begun' })
      await released.promise
      return whole
    })
    const { body } = await create(key, { input: 'look at me work' })
    const stream = await key.raw('GET', `${path}/${body.id}/events`)
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const text = stream.text()
    await until(async () => (await read(key, body.id)).body.progress.percent === 20)
    released.resolve()
    const events = eventsOf(await text)
    expect(events.map(({ event, id }) => [id, event])).toEqual([
      ['1', 'queued'],
      ['2', 'running'],
      ['3', 'progress'],
      ['4', 'succeeded'],
    ])
    expect(events[2]!.data).toMatchObject({ id: 3, type: 'progress', percent: 20, message: 'Begun' })
    const rest = await key.get(`${path}/${body.id}/events`, { 'last-event-id': '3', ...fa })
    expect(eventsOf(rest.text)).toMatchObject([
      { id: '4', event: 'succeeded', data: { message: 'آماده است.' } },
    ])
    expect((await key.get(`${path}/${body.id}/events`, { 'last-event-id': '4' })).text).toBe('')
    expect(
      eventsOf((await key.get(`${path}/${body.id}/events`, { 'last-event-id': 'x' })).text),
    ).toHaveLength(4)
  })

  test('HEAD describes the stream and does not wait for the run: its connection serves the next request', async () => {
    const released = Promise.withResolvers<void>()
    at.play('go on while I look', async () => {
      await released.promise
      return whole
    })
    const { body } = await create(key, { input: 'go on while I look' })
    await using wire = await Wire.open(at.world.url)
    const headers = { authorization: `Bearer ${key.secret}` }
    await wire.write(requestOf('HEAD', `${path}/${body.id}/events`, headers))
    const head = await wire.next()
    expect(head.status).toBe(200)
    expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    await wire.write(requestOf('GET', `${path}/${body.id}`, headers))
    expect((await wire.next()).body).toMatchObject({ id: body.id, ended_at: null })
    released.resolve()
    await ended(key, body.id)
  })
})

test('runs are listed newest first, page by page, each project its own', async () => {
  const { client } = await at.world.stranger()
  const ids: string[] = []
  for (let number = 0; number < 3; number++) ids.unshift((await create(client)).body.id)
  const { body: first } = await client.get(`${path}?limit=2`)
  expect(first).toMatchObject({ has_more: true, first_id: ids[0], last_id: ids[1] })
  const { body: second } = await client.get(`${path}?limit=2&after_id=${first.last_id}`)
  expect(second.data.map(({ id }: { id: string }) => id)).toEqual([ids[2]])
  expect(second.has_more).toBe(false)
  for (const id of ids) await ended(client, id)
})

describe('refused before anything is kept or held', () => {
  test.each<[string, Record<string, unknown>, { status?: number; code: string; param: string }]>([
    ['an unknown model', { model: 'no/model' }, { status: 404, code: 'MODEL_NOT_FOUND', param: 'model' }],
    ['a model of pictures', { model: 'sandbox/image' }, { code: 'MODEL_KIND_MISMATCH', param: 'model' }],
  ])('%s', async (_, body, refusal) => {
    const { client, account } = await at.world.stranger()
    expectRefusal(await create(client, body), { status: 400, ...refusal })
    expect((await client.get(path)).body.data).toEqual([])
    expect((await at.world.app.ledger.balance(account)).held).toBe(0n)
  })
})

test('a key that was revoked meanwhile does no more work, and one does no work by a model that it may not use', async () => {
  const released = Promise.withResolvers<void>()
  at.play('while all are busy', async () => void (await released.promise))
  const busy = await Promise.all(
    Array.from({ length: 4 }, () => create(key, { input: 'while all are busy' })),
  )
  for (const { body } of busy) await until(async () => (await read(key, body.id)).body.status === 'running')
  const narrow = await at.world.key({ models: ['sandbox/fast'] })
  expectRefusal(await create(narrow, { model: 'test/model' }), {
    status: 403,
    code: 'MODEL_NOT_ALLOWED',
    param: 'model',
  })
  const made = await create(narrow, { model: 'sandbox/fast' })
  expect(made.status, made.text).toBe(202)
  const { app } = at.world
  await app.db.tx((tx) => revokeKey(tx, narrow.keyId, new Date()))
  released.resolve()
  expect(await ended(key, made.body.id)).toMatchObject({
    status: 'failed',
    is_sandbox: true,
    credits: 0,
    error: { code: 'INVALID_API_KEY' },
  })
  for (const { body } of busy) await ended(key, body.id)
})
