import { expect, test } from 'vitest'
import { dataOf } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { json } from '../../harness/upstream.ts'
import { create, ended, row } from '../../text/batches-world.ts'
import { bootWatched, type SeenSpan } from './watched.ts'

const server = 2
const client = 3
const consumer = 5
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpan = '00f067aa0ba902b7'

/** The spans of one trace as lines, each below its parent. */
function tree(spans: SeenSpan[], parentSpanId: string | undefined, depth = 0): string[] {
  return spans
    .filter((span) => (span.parentSpanId || undefined) === parentSpanId)
    .sort((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)))
    .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...tree(spans, span.spanId, depth + 1)])
}

const treeOf = (spans: SeenSpan[], root: SeenSpan): string[] =>
  tree(
    spans.filter(({ traceId }) => traceId === root.traceId),
    undefined,
  )

const one = (spans: SeenSpan[], name: string): SeenSpan => {
  const found = spans.filter((span) => span.name === name)
  expect(found).toHaveLength(1)
  return found[0]!
}

test('a streamed chat that failed over is one tree: request, hold, chat with both attempts, settle', async () => {
  await using world = await bootWatched()
  world.upstream.reply(json(400, { error: { message: 'no such model', code: 'model_not_found' } }))
  const reply = await world.key.chat(
    {
      stream: true,
      max_tokens: 300,
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stream_options: { include_usage: true },
    },
    { traceparent: `00-${callersTrace}-${callersSpan}-01` },
  )
  const usage = JSON.parse(dataOf(reply.text).at(-2)!).usage
  await world.line(reply.headers.get('x-request-id')!)
  await world.stop()

  const spans = world.collector.spans().filter(({ traceId }) => traceId === callersTrace)
  expect(tree(spans, callersSpan)).toEqual([
    'POST /v1/chat/completions',
    '  hold',
    '  chat test/model',
    '    attempt fake/upstream-model',
    '    attempt second/second-model',
    '  settle',
  ])
  expect(one(spans, 'POST /v1/chat/completions')).toMatchObject({
    kind: server,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'url.path': '/v1/chat/completions',
      'kherad.request_id': reply.headers.get('x-request-id'),
      'kherad.operation': 'chat.complete',
    },
  })
  const chat = one(spans, 'chat test/model')
  expect(chat).toMatchObject({
    kind: client,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'second',
      'gen_ai.request.model': 'test/model',
      'gen_ai.request.max_tokens': 300,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.seed': 7,
      'gen_ai.request.stream': true,
      'gen_ai.output.type': 'text',
      'gen_ai.response.model': 'second-model',
      'gen_ai.response.id': 'chatcmpl-upstream',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': usage.prompt_tokens,
      'gen_ai.usage.output_tokens': usage.completion_tokens,
    },
  })
  expect(chat.status.code ?? 0).toBe(0)
  expect(chat.attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThan(0)
  expect(one(spans, 'attempt fake/upstream-model')).toMatchObject({
    status: { code: 2 },
    attributes: {
      'error.type': 'not_found',
      'kherad.outcome': 'not_found',
      'http.response.status_code': 400,
    },
  })
  expect(one(spans, 'attempt second/second-model').attributes).toMatchObject({ 'kherad.outcome': 'answered' })
  expect(one(spans, 'settle').attributes['kherad.charged_microcredits']).toBe(
    String(usage.prompt_tokens * 1000 + usage.completion_tokens * 2000),
  )
  expect(world.collector.resource()).toMatchObject({ 'service.name': 'kherad' })
})

test('a call that is refused for want of credits ends its hold span with the code', async () => {
  await using world = await bootWatched({ credits: 1n })
  const reply = await world.key.chat({ max_tokens: 10_000 })
  expect(reply.status).toBe(402)
  await world.stop()
  const spans = world.collector.spans().filter(({ name }) => name !== 'GET /metrics')
  expect(one(spans, 'hold')).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'INSUFFICIENT_CREDITS' },
  })
  expect(one(spans, 'POST /v1/chat/completions').attributes).toMatchObject({
    'http.response.status_code': 402,
    'kherad.error_code': 'INSUFFICIENT_CREDITS',
  })
})

test('a traceparent that is none of the W3C form begins a trace of its own', async () => {
  await using world = await bootWatched()
  const wrong = ['nonsense', `00-${'0'.repeat(32)}-${callersSpan}-01`, `ff-${callersTrace}-${callersSpan}-01`]
  for (const traceparent of wrong) await world.key.get('/v1/models', { traceparent })
  await world.stop()
  const spans = world.collector.spans()
  expect(spans).toHaveLength(wrong.length)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(wrong.length)
  for (const span of spans)
    expect([span.parentSpanId || undefined, span.traceId === callersTrace]).toEqual([undefined, false])
})

test('a caller whose trace is not sampled is not traced', async () => {
  await using world = await bootWatched()
  await world.key.get('/v1/models', { traceparent: `00-${callersTrace}-${callersSpan}-00` })
  await world.key.get('/v1/models')
  await world.stop()
  expect(world.collector.spans()).toHaveLength(1)
  expect(world.collector.spans()[0]?.traceId).not.toBe(callersTrace)
})

test('the trace goes on to a provider only where its entry says so', async () => {
  const traceparent = `00-${callersTrace}-${callersSpan}-01`
  await using silent = await bootWatched()
  await silent.key.chat({}, { traceparent })
  expect(silent.upstream.calls[0]?.headers).not.toHaveProperty('traceparent')

  await using told = await bootWatched({ provider: '    pass_traceparent: true' })
  await told.key.chat({}, { traceparent })
  await told.stop()
  const chat = one(told.collector.spans(), 'chat test/model')
  expect(told.upstream.calls[0]?.headers['traceparent']).toBe(`00-${callersTrace}-${chat.spanId}-01`)
})

test('work in the background has a trace of its own: a row of a batch', async () => {
  await using world = await bootWatched()
  const made = await create(world.key, [row('only')])
  await ended(world.key, made.body.id)
  await world.stop()
  const spans = world.collector.spans()
  const process = one(spans, 'process batches.row')
  expect(process).toMatchObject({
    kind: consumer,
    attributes: {
      'messaging.system': 'kherad',
      'messaging.operation.name': 'process',
      'messaging.destination.name': 'batches.row',
      'kherad.batch_id': made.body.id,
      'kherad.outcome': 'done',
    },
  })
  expect(treeOf(spans, process)).toEqual([
    'process batches.row',
    '  hold',
    '  chat test/model',
    '    attempt fake/upstream-model',
    '  settle',
  ])
})

test('a run of durable work shows each question that it asks a model', async () => {
  await using world = await bootWatched({ provider: '    pass_traceparent: true' })
  const { status, text, body } = await world.key.post('/v1/work', {
    kind: 'document',
    model: 'test/model',
    input: 'گزارشی کوتاه از بازار تبریز',
  })
  expect(status, text).toBe(202)
  await until(async () => {
    const { status } = (await world.key.get(`/v1/work/${body.id}`)).body
    return status === 'succeeded' || status === 'failed'
  })
  await world.stop()
  const spans = world.collector.spans()
  const process = one(spans, 'process work.run')
  expect(process.attributes).toMatchObject({ 'kherad.run_id': body.id, 'kherad.work.kind': 'document' })
  const chats = spans.filter(({ name }) => name === 'chat test/model')
  expect(world.upstream.calls.map(({ headers }) => headers['traceparent'])).toEqual(
    chats.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  )
  expect(treeOf(spans, process)).toEqual([
    'process work.run',
    ...chats.flatMap(() => ['  chat test/model', '    attempt fake/upstream-model']),
  ])
  expect(chats[0]!.attributes['gen_ai.usage.output_tokens']).toBe(
    world.upstream.calls[0]!.usage.completion_tokens,
  )
})

test('without an endpoint nobody traces, and calls are answered as ever', async () => {
  await using world = await bootWatched({ traces: false, provider: '    pass_traceparent: true' })
  const reply = await world.key.chat({}, { traceparent: `00-${callersTrace}-${callersSpan}-01` })
  expect(reply.status).toBe(200)
  expect(world.upstream.calls[0]?.headers).not.toHaveProperty('traceparent')
  await world.stop()
  expect(world.collector.bodies).toEqual([])
})
