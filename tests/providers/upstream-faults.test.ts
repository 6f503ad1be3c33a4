import { createServer } from 'node:net'
import { setImmediate as immediate, setTimeout as pace } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chatCompletionsProvider } from '#providers/chat-completions'
import { generated } from '../harness/parts.ts'
import { until } from '../harness/until.ts'
import {
  chunk,
  done,
  fakeUpstream,
  json,
  reset,
  type Script,
  type Step,
  silence,
  stall,
  stream,
} from '../harness/upstream.ts'
import { callOf, chatTurn, finishOf, hear, patient, providerOf, textOf } from './asking.ts'

async function hearScript(script: Script, timeouts = patient) {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream, { apiKey: 'sk-live-abcdefgh' })
  upstream.reply(script)
  return await hear(provider, callOf(chatTurn(), { timeouts }))
}

const openai = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, code, type, param: null },
})

test.each<[number, unknown, string, boolean]>([
  [400, openai('bad temperature'), 'invalid_request', false],
  [
    400,
    openai("This model's maximum context length is 10 tokens.", 'context_length_exceeded'),
    'context_overflow',
    false,
  ],
  [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
    },
    'context_overflow',
    false,
  ],
  [
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size',
        type: 'exceed_context_size_error',
      },
    },
    'context_overflow',
    false,
  ],
  [413, 'Payload Too Large', 'invalid_request', false],
  [400, openai('no', 'content_policy_violation'), 'content_refused', false],
  [
    400,
    openai(
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      'content_filter',
    ),
    'content_refused',
    false,
  ],
  [401, openai('Incorrect API key', 'invalid_api_key'), 'authentication', false],
  [402, openai('Insufficient credits'), 'authentication', false],
  [403, { detail: 'forbidden' }, 'authentication', false],
  [
    404,
    { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 },
    'not_found',
    false,
  ],
  [408, {}, 'timeout', true],
  [
    422,
    { detail: [{ loc: ['body', 'x'], msg: 'extra fields not permitted', type: 'value_error' }] },
    'invalid_request',
    false,
  ],
  [429, openai('slow down', 'rate_limit_exceeded'), 'rate_limited', false],
  [429, openai('You exceeded your current quota', 'insufficient_quota'), 'authentication', false],
  [500, 'oops', 'unavailable', true],
  [503, openai('The model is overloaded'), 'overloaded', false],
  [503, '', 'unavailable', false],
  [504, '<html><h1>Gateway Time-out</h1></html>', 'timeout', true],
  [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded', false],
  [302, '', 'unavailable', true],
])('status %i with %j is %s', async (status, body, fault, executed) => {
  const { error, parts } = await hearScript(json(status, body))
  expect(error).toMatchObject({ fault, status, executed })
  expect(parts).toEqual([])
})

test('what the upstream said is kept, short and without keys', async () => {
  const { error } = await hearScript(
    json(
      401,
      openai(`Incorrect API key provided: sk-live-abcdefgh or sk-proj-1234567890. ${'x'.repeat(900)}`),
    ),
  )
  expect(error?.detail).toContain('Incorrect API key provided')
  expect(error?.detail).not.toMatch(/abcdefgh|1234567890/)
  expect(error?.detail?.length).toBeLessThanOrEqual(500)
  const param = await hearScript(json(400, { error: { message: 'no', param: 'temperature' } }))
  expect(param.error?.param).toBe('temperature')
  const page = await hearScript(json(500, `<html>${'y'.repeat(200_000)}</html>`))
  expect(page.error?.detail?.length).toBeLessThanOrEqual(500)
})

test('the wait that a busy upstream asks for is read in every spelling', async () => {
  const wait = async (headers: Record<string, string>) =>
    (await hearScript(json(429, openai('x'), headers))).error?.retryAfterMs
  expect(await wait({ 'retry-after': '7' })).toBe(7_000)
  expect(await wait({ 'retry-after': '7', 'retry-after-ms': '250' })).toBe(250)
  expect(await wait({ 'retry-after': new Date(Date.now() - 60_000).toUTCString() })).toBe(0)
  const future = await wait({ 'retry-after': new Date(Date.now() + 30_000).toUTCString() })
  expect(future).toBeGreaterThan(25_000)
  expect(future).toBeLessThanOrEqual(30_000)
  expect(await wait({ 'retry-after': 'soon' })).toBeUndefined()
  expect(await wait({})).toBeUndefined()
})

test('an error in a 200 answer, an answer without choices and one that is not JSON are failures', async () => {
  expect((await hearScript(json(200, openai('model crashed', null, 'server_error')))).error).toMatchObject({
    fault: 'unavailable',
    executed: true,
  })
  expect((await hearScript(json(200, { choices: [] }))).error?.fault).toBe('malformed')
  expect((await hearScript(json(200, 'hello'))).error?.fault).toBe('malformed')
})

test('nobody listening is a connect fault, and nothing was executed', async () => {
  await using provider = chatCompletionsProvider({ id: 'gone', baseUrl: 'http://127.0.0.1:1/v1' })
  const { error } = await hear(provider, callOf(chatTurn()))
  expect(error).toMatchObject({ fault: 'connect', executed: false })
})

test('a connection that breaks before the answer is a reset', async () => {
  expect((await hearScript(reset)).error).toMatchObject({ fault: 'reset', executed: true })
})

test('something that is not HTTP is malformed', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => socket.end('SSH-2.0-hello\r\n\r\n'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await using provider = chatCompletionsProvider({ id: 'odd', baseUrl: `http://127.0.0.1:${port}` })
  expect((await hear(provider, callOf(chatTurn()))).error?.fault).toBe('malformed')
  server.close()
})

test('a silent upstream costs one first-byte time', async () => {
  const { error } = await hearScript(silence, { ...patient, firstByteMs: 80 })
  expect(error).toMatchObject({ fault: 'timeout', executed: true })
  expect(error?.detail).toContain('80 ms')
})

test('an upstream that opens the stream and writes no token costs one first-token time', async () => {
  const { error } = await hearScript(
    stream([': processing\n\n', chunk({ role: 'assistant', content: '' }), stall]),
    { ...patient, firstTokenMs: 80 },
  )
  expect(error?.fault).toBe('timeout')
  expect(error?.detail).toContain('first token')
})

test('a stall after the first token costs one idle time, and heartbeats do not hide it', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  const heartbeats = Array.from({ length: 500 }, (): Step[] => [() => pace(5), ': beat\n\n']).flat()
  upstream.reply(stream([chunk({ content: 'a' }), ...heartbeats]))
  const { error, parts } = await hear(provider, callOf(chatTurn(), { timeouts: { ...patient, idleMs: 120 } }))
  expect(textOf(parts)).toBe('a')
  expect(error?.detail).toContain('silence')
  await (await upstream.call(0)).whenAborted
})

test('an answer that never ends costs the total time', async () => {
  const { error } = await hearScript(stream([chunk({ content: 'a' }), stall]), { ...patient, totalMs: 1_000 })
  expect(error).toMatchObject({ fault: 'timeout', executed: true })
  expect(error?.detail).toContain('1000 ms')
})

test('a slow reader is not mistaken for a silent upstream', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  const gate = Promise.withResolvers<void>()
  upstream.reply(
    stream([chunk({ content: 'a' }), () => gate.promise, chunk({ content: 'b' }), chunk({}, 'stop'), done]),
  )
  let text = ''
  for await (const part of generated(
    provider,
    callOf(chatTurn(), { timeouts: { ...patient, idleMs: 60 } }),
  )) {
    if (part.type !== 'text') continue
    text += part.text
    if (text !== 'a') continue
    // The reader holds the first part for longer than the idle time before it asks for more.
    gate.resolve()
    await pace(150)
  }
  expect(text).toBe('ab')
})

test('an upstream that speaks while this process is too busy to listen is not mistaken for a silent one', async () => {
  const heldUp = async (): Promise<void> => {
    // From here the loop goes on to its timers, and only then to its sockets.
    await immediate()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_600)
  }
  // What came before is read, and its timeout has begun. A pause would be one more silence, which the machine may make too long.
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await immediate()
  }
  const busy = [turns, heldUp] satisfies Step[]
  const whole = [...busy, chunk({ content: 'a' }), ...busy, chunk({ content: 'b' }), chunk({}, 'stop'), done]
  const limits = { ...patient, firstTokenMs: 2_500, idleMs: 2_500 }
  const { error, parts } = await hearScript(stream(whole), limits)
  expect(error).toBeUndefined()
  expect(textOf(parts)).toBe('ab')
})

test('after the finish a lingering upstream is not waited for until it fails', async () => {
  const { error, parts } = await hearScript(stream([chunk({ content: 'a' }), chunk({}, 'stop'), stall]), {
    ...patient,
    idleMs: 60,
  })
  expect(error).toBeUndefined()
  expect(finishOf(parts)).toEqual(['stop'])
})

test('aborting in mid-stream ends the upstream call at once', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  upstream.reply(stream([chunk({ content: 'a' }), stall]))
  const caller = new AbortController()
  const heard = hear(provider, callOf(chatTurn()), caller.signal)
  const call = await upstream.call(0)
  await until(() => call.bytesSent > 0)
  caller.abort()
  await call.whenAborted
  expect((await heard).error?.fault).toBe('aborted')
  expect(call.aborted).toBe(true)
})

test('aborting before the answer, before the connection and before the call are distinguished by what was executed', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  upstream.reply(silence)
  const waiting = new AbortController()
  const first = hear(provider, callOf(chatTurn()), waiting.signal)
  const call = await upstream.call(0)
  waiting.abort()
  await call.whenAborted
  expect((await first).error).toMatchObject({ fault: 'aborted', executed: true })

  const gone = await hear(provider, callOf(chatTurn()), AbortSignal.abort())
  expect(gone.error).toMatchObject({ fault: 'aborted', executed: false })
  const connecting = new AbortController()
  const third = hear(provider, callOf(chatTurn()), connecting.signal)
  connecting.abort()
  expect((await third).error).toMatchObject({ fault: 'aborted', executed: false })
  upstream.reply(json(200, { choices: [{ message: { content: 'next' }, finish_reason: 'stop' }] }))
  expect(textOf((await hear(provider, callOf(chatTurn()))).parts)).toBe('next')
  expect(upstream.calls, 'a call that was given up before it was sent never arrives').toHaveLength(2)
})

test('a reader that leaves early ends the upstream call', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  upstream.reply(stream([chunk({ content: 'a' }), stall]))
  for await (const part of generated(provider, callOf(chatTurn()))) if (part.type === 'text') break
  const call = await upstream.call(0)
  await call.whenAborted
  expect(call.aborted).toBe(true)
})

test('many streams at once each get their own answer', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  const gate = Promise.withResolvers<void>()
  const streams = 200
  upstream.reply((call) =>
    stream([chunk({ content: String(call.body?.['seed']) }), () => gate.promise, chunk({}, 'stop'), done]),
  )
  const heard = Array.from({ length: streams }, (_, seed) => hear(provider, callOf(chatTurn({ seed }))))
  await until(() => upstream.calls.length === streams)
  expect(upstream.connections.open).toBe(streams)
  gate.resolve()
  const texts = (await Promise.all(heard)).map(({ parts }) => textOf(parts))
  expect(texts).toEqual(Array.from({ length: streams }, (_, seed) => String(seed)))
})
