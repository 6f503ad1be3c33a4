/** Content of callers and models appears in no log line (down to trace), no metric and no span; nor do secrets. */

import { expect, test } from 'vitest'
import { openDb } from '#platform/db'
import { until } from '../../harness/until.ts'
import { chunk, cut, json, stall, stream } from '../../harness/upstream.ts'
import { MovableClock } from '../../harness/world.ts'
import { bootWatched, type Watched } from './watched.ts'

const canary = 'kanarienvogel'
const messages = [{ role: 'user', content: `say ${canary}` }]

/** Everything that was written anywhere. */
async function everything(world: Watched): Promise<{ logs: string; metrics: string; spans: string }> {
  const metrics = await world.metrics()
  await world.stop()
  return { logs: world.lines.join(''), metrics, spans: world.collector.bodies.join('') }
}

test('whatever happens to a chat, its words stay out of logs, metrics and spans', async () => {
  // By a clock that stands, so that no breaker half opens and sends a call elsewhere.
  await using world = await bootWatched({ clock: new MovableClock() })
  const { key, upstream, second } = world
  const ids: string[] = []
  const ask = async (body: object, headers = {}): Promise<number> => {
    const reply = await key.chat({ messages, ...body }, headers)
    ids.push(reply.headers.get('x-request-id')!)
    return reply.status
  }
  const says = chunk({ content: canary })
  const echo = { error: { message: `Invalid message: "${canary}"`, type: 'invalid_request_error' } }
  const fails = (reply: Parameters<typeof upstream.reply>[0]): void => {
    upstream.reply(reply)
    second.reply(reply)
  }

  fails(() => stream([says, chunk({}, 'stop'), 'data: [DONE]\n\n']))
  expect(await ask({ stream: true, stop: [canary], user: canary })).toBe(200)
  fails({ kind: 'answer', text: canary })
  expect(await ask({ tools: [tool], metadata: { note: canary } })).toBe(200)
  expect(await ask({}, { 'idempotency-key': 'one' })).toBe(200)
  expect(await ask({}, { 'idempotency-key': 'one' })).toBe(200)
  fails(json(400, echo))
  expect(await ask({})).toBe(400)
  fails(json(500, echo))
  expect(await ask({})).toBe(502)
  fails(json(200, `{"choices":[{"message":{"content":"${canary}`))
  expect(await ask({})).toBe(502)
  fails(() => stream([says, `data: {"choices":[{"delta":{"content":"${canary}\n\n`, cut]))
  expect(await ask({ stream: true })).toBe(200)
  fails(() => stream([says, { error: { message: canary } }]))
  expect(await ask({ stream: true })).toBe(200)
  expect(await ask({ model: canary })).toBe(404)
  expect(await ask({ temperature: canary })).toBe(400)
  expect(await ask({ max_tokens: 16_000, messages: [{ role: canary, content: canary }] })).toBe(400)
  const broken = await key.request('POST', '/v1/chat/completions', `{"messages": [{"content": "${canary}`)
  expect(broken.status).toBe(400)
  ids.push(broken.headers.get('x-request-id')!)

  fails(() => stream([says, stall]))
  const leaving = new AbortController()
  const begun = upstream.calls.length
  const left = await key.raw(
    'POST',
    '/v1/chat/completions',
    JSON.stringify({ messages, stream: true }),
    {},
    leaving.signal,
  )
  await upstream.call(begun)
  leaving.abort()
  await left.text().catch(() => undefined)
  ids.push(left.headers.get('x-request-id')!)

  for (const id of ids) expect(await world.line(id)).toMatchObject({ request_id: id })
  const { logs, metrics, spans } = await everything(world)
  for (const id of ids) expect(spans).toContain(id)
  await using db = await openDb({ url: world.databaseUrl })
  const details = await db.query({ text: 'select detail::text, model, endpoint from ledger.receipts' }, [])
  const receipts = JSON.stringify(details)
  expect(receipts).toContain('attempts')
  for (const place of [logs, metrics, spans, receipts]) {
    expect(place).not.toContain(canary)
    expect(place).not.toContain(key.secret)
    expect(place).not.toContain('upstream-secret')
  }
})

const tool = {
  type: 'function',
  function: { name: canary, description: canary, parameters: { type: 'object', description: canary } },
}

test('the line of a paid request names model, deployment, tokens and charge; one of a refusal names the code', async () => {
  await using world = await bootWatched()
  const { key } = world
  const paid = await key.chat({ stream: true, stream_options: { include_usage: true } })
  const line = await world.line(paid.headers.get('x-request-id')!)
  const receipt = (await key.receipt(paid.headers.get('x-request-id')!)).body
  expect(line).toMatchObject({
    operation: 'chat.complete',
    status: 200,
    ms: expect.any(Number),
    account_id: expect.any(String),
    key_id: key.keyId,
    model: 'test/model',
    deployment: 'fake/upstream-model',
    attempts: 1,
    input_tokens: receipt.details.tokens.input,
    output_tokens: receipt.details.tokens.output,
    charged_microcredits: receipt.microcredits,
  })
  const missing = await key.chat({ model: 'no/such' })
  expect(await world.line(missing.headers.get('x-request-id')!)).toMatchObject({
    operation: 'chat.complete',
    status: 404,
    code: 'MODEL_NOT_FOUND',
  })
  const stranger = await fetch(`${world.url}/v1/models`, { headers: { authorization: 'Bearer khr_wrong' } })
  const refused = await world.line(stranger.headers.get('x-request-id')!)
  expect(refused).toMatchObject({ status: 401, code: 'INVALID_API_KEY' })
  expect(refused).not.toHaveProperty('account_id')
})

test('the line of a caller who disconnected waits for what the upstream still had to say, and reports its charge', async () => {
  await using world = await bootWatched({ provider: '    on_disconnect: drain' })
  const going = Promise.withResolvers<void>()
  world.upstream.reply(() =>
    stream([
      chunk({ content: 'half' }),
      going.promise,
      chunk({}, 'stop'),
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 } },
      'data: [DONE]\n\n',
    ]),
  )
  const leaving = new AbortController()
  const ask = JSON.stringify({ messages, stream: true })
  const left = await world.key.raw('POST', '/v1/chat/completions', ask, {}, leaving.signal)
  const id = left.headers.get('x-request-id')!
  leaving.abort()
  const gone = 'kherad_http_requests_total{operation="chat.complete",status="200"} 1'
  await until(async () => (await world.metrics()).includes(gone))
  going.resolve()
  expect(await world.line(id)).toMatchObject({
    client_left: true,
    input_tokens: 5,
    output_tokens: 9,
    charged_microcredits: '23000',
  })
})
