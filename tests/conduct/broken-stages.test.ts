/** A stage of a call that throws: the codec of a wire blames the upstream, everything after it is a defect of ours. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#app'
import { type AnswerListener, startPaidTurn } from '#core/inference'
import type { UpstreamError } from '#core/spec'
import { type JsonAnswer, respondJson, settleInBackground } from '#core/text'
import type { AnswerPart, Turn } from '#core/turn'
import type { Failure } from '#platform/errors'
import type { PushOut } from '#platform/http'
import { type AnswerReader, type ClientCodec, generate, UpstreamClient } from '#providers/kit'
import { chunk, done, fakeUpstream, json, stall, stream } from '../harness/upstream.ts'
import { callOf, chatTurn } from '../providers/asking.ts'
import { shareOnUpstream, type UpstreamWorld } from '../text/chat-world.ts'

let at: UpstreamWorld
let caller: Caller
beforeAll(async () => {
  at = await shareOnUpstream({ credits: 1_000 })
  const key = await at.world.key()
  caller = (await at.world.app.keys.caller(key.secret)) as Caller
})
afterAll(() => at[Symbol.asyncDispose]())

const reader = (broken: Partial<AnswerReader>): AnswerReader => ({
  finished: false,
  closed: false,
  read: (_event, _name, parts) => {
    parts.push({ type: 'text', text: 'one' })
    return 'token'
  },
  close: () => undefined,
  end: () => [],
  usageSoFar: () => [],
  ...broken,
})

const defect = (): never => {
  throw new TypeError('a defect of the codec')
}

const codec: ClientCodec = {
  path: '/chat/completions',
  body: () => ({}),
  reader: () => reader({}),
  readComplete: () => [],
}

const stages: [string, Partial<ClientCodec>, { stream: boolean; executed: boolean }][] = [
  ['writes the request', { body: defect }, { stream: true, executed: false }],
  ['makes its reader', { reader: defect }, { stream: true, executed: true }],
  ['reads an event', { reader: () => reader({ read: defect }) }, { stream: true, executed: true }],
  ['reads the end', { reader: () => reader({ end: defect }) }, { stream: true, executed: true }],
  ['reads a whole answer', { readComplete: defect }, { stream: false, executed: true }],
]

for (const [stage, broken, { stream: streamed, executed }] of stages)
  test(`a codec that throws while it ${stage} makes the answer malformed, once`, async () => {
    await using upstream = await fakeUpstream()
    await using client = new UpstreamClient({ baseUrl: upstream.url })
    upstream.reply(streamed ? stream([chunk({ content: 'a' }), done]) : json(200, { choices: [] }))
    const ends: unknown[] = []
    await new Promise<void>((resolve) => {
      const end = (how: unknown): void => {
        ends.push(how)
        setTimeout(resolve, 50)
      }
      generate(
        client,
        callOf(chatTurn({}, { stream: streamed })),
        { ...codec, ...broken },
        {
          part: () => undefined,
          flush: () => undefined,
          done: () => end('done'),
          failed: (error: UpstreamError) => end(error),
        },
      )
    })
    expect(ends).toHaveLength(1)
    expect(ends[0]).toMatchObject({
      fault: 'malformed',
      executed,
      cause: { message: 'a defect of the codec' },
    })
  })

async function paidTurn(requestId: string) {
  const { app } = at.world
  const turn: Turn = chatTurn({ model: 'm' }, { requestedOutputTokens: 20 })
  return startPaidTurn(app, {
    caller,
    model: app.models.defaults.text,
    turn,
    showsReasoning: false,
    endpoint: '/v1/chat/completions',
    requestId,
    receivedMs: app.clock.nowMs(),
  })
}

/** A turn whose receiver throws at a part. */
async function breakAt(poison: (part: AnswerPart) => boolean) {
  const requestId = randomUUID()
  const paid = await paidTurn(requestId)
  const delivered: AnswerPart[] = []
  const failure = await new Promise<Failure>((resolve, reject) => {
    const listener: AnswerListener = {
      part(part) {
        if (poison(part)) throw new TypeError('a defect of the writer')
        delivered.push(part)
      },
      flush: () => undefined,
      done: () => reject(new Error('it was well')),
      failed: resolve,
    }
    paid.start(listener)
  })
  return { paid, failure, delivered, requestId }
}

test('a writer that throws ends the call as INTERNAL: the upstream is stopped, not asked again and not blamed, and what was not delivered is free', async () => {
  const { available: before } = await at.world.balance()
  const asked = at.upstream.calls.length
  at.upstream.replyOnce(stream([chunk({ content: 'a' }), chunk({ content: 'b' }), stall]))
  const { paid, failure, requestId } = await breakAt(({ type }) => type === 'text')
  expect(failure).toMatchObject({ code: 'INTERNAL', cause: { message: 'a defect of the writer' } })
  const { keepsClaim } = await paid.finish({ statusCode: failure.status, failure, undelivered: true })
  expect(keepsClaim).toBe(false)
  const call = await at.upstream.call(asked)
  await call.whenAborted
  await pause(500)
  expect(at.upstream.calls).toHaveLength(asked + 1)
  const { accountId, projectId } = caller
  const receipt = await at.world.app.ledger.receipt(accountId, projectId, requestId)
  expect(receipt).toMatchObject({ state: 'failed', charged: 0n })
  expect(receipt!.detail).toMatchObject({ error_code: 'INTERNAL', attempts: [{ outcome: 'aborted' }] })
  expect(await at.world.balance()).toEqual({ available: before, held: 0n })
  // The deployment is well for the next caller.
  at.upstream.replyOnce(stream([chunk({ content: 'well' }), chunk({}, 'stop'), done]))
  const next = await at.key.chat({ messages: [{ role: 'user', content: 'hi' }] })
  expect(next.status).toBe(200)
})

const unwritable: JsonAnswer = {
  add: () => undefined,
  body: () => {
    throw new RangeError('a defect of the writer')
  },
}

test.each(['at once', 'in the background'])(
  'a whole answer that the platform cannot write %s is INTERNAL and free',
  async (how) => {
    const { available: before } = await at.world.balance()
    at.upstream.replyOnce(json(200, { choices: [{ message: { content: 'well' }, finish_reason: 'stop' }] }))
    const requestId = randomUUID()
    const paid = await paidTurn(requestId)
    if (how === 'at once') {
      const reply = respondJson({ claim: undefined, setHeader: () => undefined }, paid, unwritable)
      const failure = await new Promise((fail) => reply.answer.start({ fail } as unknown as PushOut))
      expect(failure).toMatchObject({ code: 'INTERNAL' })
    } else {
      const end = { gone: new AbortController().signal, describeFailure: () => 'failed' }
      expect((await settleInBackground(paid, unwritable, end)).failure?.code).toBe('INTERNAL')
    }
    const { accountId, projectId } = caller
    const receipt = await at.world.app.ledger.receipt(accountId, projectId, requestId)
    expect(receipt).toMatchObject({ state: 'failed', charged: 0n })
    expect(await at.world.balance()).toEqual({ available: before, held: 0n })
  },
)
