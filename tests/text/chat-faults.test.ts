/** Upstream faults: the caller's answer, its cost, and its receipt. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  answer,
  chunk,
  cut,
  done,
  json,
  reset,
  type Script,
  silence,
  stall,
  stream,
} from '../harness/upstream.ts'
import { MovableClock } from '../harness/world.ts'
import {
  bootOnUpstream,
  chunksOf,
  contentOf,
  explained,
  recover,
  requestIdOf,
  type UpstreamWorld,
} from './chat-world.ts'

/** For who says nothing, and for who stops in the middle; all others are waited for, whatever this machine does meanwhile. */
const silent = '    timeouts: { first_byte_ms: 500, first_token_ms: 500 }'
const halting = '    timeouts: { first_byte_ms: 300000, first_token_ms: 300000, idle_ms: 500 }'

const clock = new MovableClock()
let at: UpstreamWorld
let ofSilent: UpstreamWorld
let ofHalting: UpstreamWorld
let used: UpstreamWorld | undefined
beforeAll(async () => {
  at = await bootOnUpstream({ clock })
  ofSilent = await bootOnUpstream({ provider: silent, clock })
  ofHalting = await bootOnUpstream({ provider: halting, clock })
})
afterEach(async () => {
  // A rate limit is over before the next test.
  clock.moveMs(30_000)
  await recover(at)
  if (used) await recover(used)
  used = undefined
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await ofSilent[Symbol.asyncDispose]()
  await ofHalting[Symbol.asyncDispose]()
})
function worldFor(outcome: string, impatient: UpstreamWorld): UpstreamWorld {
  used = outcome === 'timeout' ? impatient : undefined
  return used ?? at
}

const complaint = (message: string, code: string | null = null) => ({
  error: { message, code, type: 'invalid_request_error', param: null },
})

interface Case {
  name: string
  /** How often the only deployment is asked. */
  tries: number
  script: Script
  status: number
  code: string
  outcome: string
  upstreamStatus?: number
}

const cases: Case[] = [
  {
    name: '400',
    tries: 1,
    script: json(400, complaint('temperature is too high')),
    status: 400,
    code: 'UPSTREAM_INVALID_REQUEST',
    outcome: 'invalid_request',
    upstreamStatus: 400,
  },
  {
    name: 'a full context',
    tries: 1,
    script: json(400, complaint('too long', 'context_length_exceeded')),
    status: 400,
    code: 'CONTEXT_LENGTH_EXCEEDED',
    outcome: 'context_overflow',
    upstreamStatus: 400,
  },
  {
    name: 'a content policy',
    tries: 1,
    script: json(400, complaint('no', 'content_policy_violation')),
    status: 400,
    code: 'CONTENT_REFUSED',
    outcome: 'content_refused',
    upstreamStatus: 400,
  },
  {
    name: '401, our own bad key',
    tries: 1,
    script: json(401, complaint('Incorrect API key provided: upstream-secret')),
    status: 502,
    code: 'UPSTREAM_MISCONFIGURED',
    outcome: 'authentication',
    upstreamStatus: 401,
  },
  {
    name: '404, a model it does not know',
    tries: 1,
    script: json(404, complaint('no model upstream-model')),
    status: 502,
    code: 'UPSTREAM_MISCONFIGURED',
    outcome: 'not_found',
    upstreamStatus: 404,
  },
  {
    name: '429',
    tries: 1,
    script: json(429, complaint('slow down'), { 'retry-after': '30' }),
    status: 429,
    code: 'UPSTREAM_RATE_LIMITED',
    outcome: 'rate_limited',
    upstreamStatus: 429,
  },
  {
    name: '500',
    tries: 3,
    script: json(500, 'Internal Server Error'),
    status: 502,
    code: 'UPSTREAM_FAILED',
    outcome: 'unavailable',
    upstreamStatus: 500,
  },
  {
    name: '529',
    tries: 3,
    script: json(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    status: 529,
    code: 'UPSTREAM_OVERLOADED',
    outcome: 'overloaded',
    upstreamStatus: 529,
  },
  { name: 'silence', tries: 1, script: silence, status: 504, code: 'UPSTREAM_TIMEOUT', outcome: 'timeout' },
  {
    name: 'a stream without a token',
    tries: 1,
    script: stream([chunk({ role: 'assistant', content: '' }), stall]),
    status: 504,
    code: 'UPSTREAM_TIMEOUT',
    outcome: 'timeout',
  },
  {
    name: 'a broken connection',
    tries: 3,
    script: reset,
    status: 502,
    code: 'UPSTREAM_FAILED',
    outcome: 'reset',
  },
  {
    name: 'a cut before the first token',
    tries: 2,
    script: stream([chunk({ role: 'assistant' }), cut]),
    status: 502,
    code: 'UPSTREAM_FAILED',
    outcome: 'cut',
  },
  {
    name: 'an answer that is not JSON',
    tries: 2,
    script: json(200, '<html>it works</html>'),
    status: 502,
    code: 'UPSTREAM_FAILED',
    outcome: 'malformed',
  },
  {
    name: 'a stream that is not JSON',
    tries: 2,
    script: stream(['data: nope\n\n', 'data: {"broken\n\n', done]),
    status: 502,
    code: 'UPSTREAM_FAILED',
    outcome: 'malformed',
  },
  {
    name: 'an error inside a 200',
    tries: 1,
    script: json(200, complaint('something broke', 'server_error')),
    status: 400,
    code: 'UPSTREAM_INVALID_REQUEST',
    outcome: 'invalid_request',
  },
]

describe.each([{ streamed: false }, { streamed: true }])('streamed: $streamed', ({ streamed }) => {
  test.each(cases)(
    '$name costs nothing, is reported as what it is, and the next call works',
    async ({ tries, script, status, code, outcome, upstreamStatus }) => {
      const at = worldFor(outcome, ofSilent)
      await at.world.settled()
      const before = await at.world.balance()
      const callsBefore = at.upstream.calls.length
      at.upstream.reply(script)
      const reply = await at.key.chat({ stream: streamed, max_tokens: 1 })
      expect(reply.status).toBe(status)
      expect(reply.body).toMatchObject({ type: 'error', error: { code, request_id: requestIdOf(reply) } })
      if (status === 429)
        expect([reply.headers.get('retry-after'), reply.headers.get('retry-after-ms')]).toEqual([
          '30',
          '30000',
        ])
      const address = new URL(at.upstream.url)
      for (const secret of ['upstream-secret', address.host, 'upstream-model'])
        expect(reply.text).not.toContain(secret)

      const receipt = await explained(at.key, requestIdOf(reply))
      expect(receipt).toMatchObject({ state: 'failed', status_code: status, microcredits: '0', credits: 0 })
      expect(receipt.details).toMatchObject({
        outcome: 'failed',
        error_code: code,
        usage_source: 'none',
        tokens: null,
      })
      expect(at.upstream.calls).toHaveLength(callsBefore + tries)
      expect(receipt.details.attempts).toHaveLength(tries)
      for (const attempt of receipt.details.attempts)
        expect(attempt).toMatchObject({
          outcome,
          provider: 'fake',
          ...(upstreamStatus && { status: upstreamStatus }),
        })
      expect(JSON.stringify(receipt)).not.toContain('upstream-secret')
      expect(await at.world.balance()).toEqual(before)
      at.upstream.reply(answer())
      clock.moveMs(30_000)
      // An answer that is not streamed is waited for by its length, half a second or not.
      expect((await at.key.chat({ stream: streamed && !used })).status).toBe(200)
      await at.world.settled()
    },
  )
})

test('an upstream that repeats its secret and address in a complaint is quoted without them', async () => {
  const { host } = new URL(at.upstream.url)
  at.upstream.replyOnce(
    json(400, complaint(`bad call of http://${host}/v1 with Bearer upstream-secret (upstream-secret)`)),
  )
  const reply = await at.key.chat({})
  expect(reply.body.error.message).toMatch(/bad call of http:\/\/\*\*\*\/v1/)
  const receipt = JSON.stringify(await explained(at.key, requestIdOf(reply)))
  for (const secret of ['upstream-secret', host]) {
    expect(reply.text).not.toContain(secret)
    expect(receipt).not.toContain(secret)
  }
})

const input = 1_000n
const output = 2_000n

test('a stream that is cut after its usage report costs exactly what was reported', async () => {
  const usage = { prompt_tokens: 13, completion_tokens: 2, total_tokens: 15 }
  at.upstream.replyOnce(stream([chunk({ content: 'one' }), chunk({ content: ' two' }, null, { usage }), cut]))
  const reply = await at.key.chat({ stream: true })
  expect(chunksOf(reply.text).at(-1)?.error).toMatchObject({ code: 'UPSTREAM_FAILED' })
  const receipt = await explained(at.key, requestIdOf(reply))
  expect(receipt.details).toMatchObject({
    outcome: 'failed',
    usage_source: 'upstream',
    attempts: [{ outcome: 'cut' }],
  })
  expect(BigInt(receipt.microcredits)).toBe(13n * input + 2n * output)
})

test.each([
  ['cut', cut, 'UPSTREAM_FAILED', 'cut', 502],
  ['stalled', stall, 'UPSTREAM_TIMEOUT', 'timeout', 504],
] as const)(
  'a stream that is %s costs the question and the words that were delivered, no more',
  async (_, end, code, outcome, status) => {
    const at = worldFor(outcome, ofHalting)
    at.upstream.replyOnce(
      stream([chunk({ content: 'one' }), chunk({ content: ' two' }), chunk({ content: ' three' }), end]),
    )
    const reply = await at.key.chat({ stream: true })
    const chunks = chunksOf(reply.text)
    expect(contentOf(chunks.slice(0, -1))).toBe('one two three')
    expect(chunks.at(-1)?.error).toMatchObject({ code })
    const receipt = await explained(at.key, requestIdOf(reply))
    expect(receipt).toMatchObject({ state: 'failed', status_code: status })
    expect(receipt.details).toMatchObject({
      usage_source: 'estimated',
      tokens: { output: 3 },
      attempts: [{ outcome }],
    })
    expect(BigInt(receipt.microcredits)).toBe(
      BigInt(receipt.details.tokens?.['input'] ?? 0) * input + 3n * output,
    )
  },
)

test('a whole answer that breaks in the middle is an error, and what was written of it costs nothing', async () => {
  at.upstream.reply(stream([chunk({ content: 'half an ans' }), cut]))
  const reply = await at.key.chat({ stream: false })
  expect(reply).toMatchObject({ status: 502, body: { error: { code: 'UPSTREAM_FAILED' } } })
  expect(reply.text).not.toContain('half')
  expect((await explained(at.key, requestIdOf(reply))).microcredits).toBe('0')
})

test('a chunk that is torn is skipped when the rest makes sense, and a missing [DONE] is a normal end', async () => {
  at.upstream.replyOnce(
    stream([chunk({ content: 'one' }), 'data: {"torn":\n\n', chunk({ content: ' two' }, 'stop')]),
  )
  const chunks = chunksOf((await at.key.chat({ stream: true })).text)
  expect(contentOf(chunks)).toBe('one two')
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
})

test('a failed call with an idempotency key may be sent again under it', async () => {
  at.upstream.replyOnce(json(500, 'no'), json(500, 'no'), json(500, 'no'))
  const ask = () => at.key.chat({}, { 'idempotency-key': 'second-try' })
  expect((await ask()).status).toBe(502)
  expect((await ask()).status).toBe(200)
})
