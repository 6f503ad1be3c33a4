/** Callers who disconnect, against an upstream with exact counts: at every piece of an answer, under both policies. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readUntil } from '../harness/read-until.ts'
import { until } from '../harness/until.ts'
import { answer, chunk, done, type Step, stall, stream, type UpstreamCall } from '../harness/upstream.ts'
import { type Explained, explained, shareOnUpstream, type UpstreamWorld } from '../text/chat-world.ts'
import { type Piece, promptTokens, Stopping, streamed, whole, words } from './billing-upstream.ts'

const perInputToken = 1_000n
const perOutputToken = 2_000n
const costOf = (input: number, output: number): bigint =>
  BigInt(input) * perInputToken + BigInt(output) * perOutputToken
const path = '/v1/chat/completions'
const question = (stream: boolean) => ({
  stream,
  max_tokens: 20,
  messages: [{ role: 'user', content: 'hi' }],
})

/** One figure of `/metrics`; 0 where it does not stand. */
async function figure({ key }: UpstreamWorld, series: string): Promise<number> {
  const { text } = await key.get('/metrics')
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1) ?? 0,
  )
}

const left = (at: UpstreamWorld, action: string): Promise<number> =>
  figure(at, `kherad_callers_left_total{provider="fake",action="${action}"}`)
/** A figure follows what the database shows by a moment. */
const drained = (at: UpstreamWorld, count: number): Promise<boolean> =>
  until(async () => (await figure(at, 'kherad_drains{provider="fake"}')) === count)

/** Asks, reads until `seen` went by (or until `when`), breaks the connection and waits until the server knows. Answers the request's receipt id. */
async function leave(
  at: UpstreamWorld,
  ask: { stream: boolean; when: Promise<unknown>; seen?: string | undefined; action: string },
): Promise<string> {
  const before = await left(at, ask.action)
  const reference = `leaver ${++leavers}`
  const leaving = new AbortController()
  const reading = (async () => {
    const body = JSON.stringify(question(ask.stream))
    const response = await at.key.raw('POST', path, body, { 'x-reference-id': reference }, leaving.signal)
    if (ask.seen === undefined) return
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    await readUntil(reader, `"${ask.seen}"`)
  })()
  await (ask.seen === undefined ? Promise.race([ask.when, reading]) : Promise.all([ask.when, reading]))
  leaving.abort()
  await reading.catch(() => undefined)
  await until(async () => (await left(at, ask.action)) > before)
  const [row] = await at.world.app.db.query<{ receipt_id: string }>(
    { text: 'select receipt_id from ledger.receipts where reference_id = $1' },
    [reference],
  )
  return row!.receipt_id
}
let leavers = 0

/** No hold is left, nothing but this charge is taken, the books are whole, and the next call is as good as any. */
async function expectWell(at: UpstreamWorld, before: bigint, receipt: Explained): Promise<void> {
  const charge = BigInt(receipt.microcredits)
  expect(charge).toBeGreaterThan(0n)
  expect(charge).toBeLessThanOrEqual(BigInt(receipt.reserved_microcredits))
  await at.world.settled()
  expect(await at.world.balance()).toEqual({ available: before - charge, held: 0n })
  expect(await at.world.app.ledger.violations()).toEqual([])
  await drained(at, 0)
  at.upstream.reply(answer('well'))
  const next = await at.key.chat({})
  expect([next.status, next.body?.choices[0].message.content]).toEqual([200, 'well'])
  await at.world.settled()
  expect(await at.world.balance()).toEqual({ available: before - charge - costOf(1, 1), held: 0n })
}

/** Every place at which an answer can be left. */
const placesOf = (kind: string, pieces: readonly Piece[], last = pieces.length) =>
  Array.from({ length: last + 2 }, (_, place) => place - 1).map((stopAfter) => ({
    kind,
    pieces,
    stopAfter,
    place: stopAfter < 0 ? 'before the headers' : `after ${pieces[stopAfter - 1]?.name ?? 'the headers'}`,
  }))
const places = [...placesOf('a stream', streamed), ...placesOf('a whole answer', whole, whole.length - 1)]

describe.each(['cancel', 'drain'] as const)('on_disconnect: %s', (policy) => {
  let at: UpstreamWorld
  beforeAll(async () => {
    at = await shareOnUpstream({ provider: `    on_disconnect: ${policy}` })
  })
  afterAll(() => at[Symbol.asyncDispose]())
  /** Of all answers that were cancelled: their prompts are the same. */
  const estimates = new Set<number>()

  test.each(places)(
    '$kind left $place is charged what the upstream can bill',
    async ({ pieces, stopAfter }) => {
      const { available: before } = await at.world.balance()
      const stopping = new Stopping(at.upstream, pieces, stopAfter)
      const id = await leave(at, {
        stream: pieces === streamed,
        when: stopping.stopped,
        seen: pieces[stopAfter - 1]?.seen,
        action: policy,
      })
      const call = await stopping.call
      if (policy === 'drain') stopping.goOn()
      await call.whenClosed
      const receipt = await explained(at.key, id)
      const tokens = receipt.details.tokens as { input: number; output: number }
      expect(receipt.details.outcome).toBe('client_left')
      expect(BigInt(receipt.microcredits)).toBe(costOf(tokens.input, tokens.output))
      if (policy === 'drain') {
        expect(call.aborted).toBe(false)
        expect(stopping.written).toBe(words.length)
        expect(receipt).toMatchObject({ state: 'completed', status_code: 200 })
        expect(receipt.details).toMatchObject({
          usage_source: 'upstream',
          attempts: [{ outcome: 'answered' }],
        })
        expect(tokens).toMatchObject({ input: promptTokens, output: words.length })
      } else {
        expect(call.aborted).toBe(true)
        expect(receipt).toMatchObject({ state: 'failed', status_code: 499 })
        expect(receipt.details).toMatchObject({ attempts: [{ outcome: 'aborted' }] })
        // Of a whole answer nothing can be seen before it is there.
        expect(tokens.output).toBe(pieces === streamed ? stopping.written : 0)
        const isReported = pieces[stopAfter - 1]?.name === 'the usage'
        expect(receipt.details.usage_source).toBe(isReported ? 'upstream' : 'estimated')
        if (isReported) expect(tokens.input).toBe(promptTokens)
        else expect([...estimates.add(tokens.input)]).toEqual([tokens.input])
      }
      await expectWell(at, before, receipt)
    },
  )

  test('who reads to the last word and then leaves has not left', async () => {
    const stopping = new Stopping(at.upstream, streamed, streamed.length)
    stopping.goOn()
    const reply = await at.key.chat(question(true))
    const receipt = await explained(at.key, reply.headers.get('x-request-id')!)
    expect(receipt.details).toMatchObject({ outcome: 'completed', usage_source: 'upstream' })
    expect(BigInt(receipt.microcredits)).toBe(costOf(promptTokens, words.length))
  })

  test('an upstream that wrote more than it was asked to costs a disconnected caller the hold and no more', async () => {
    const { available: before } = await at.world.balance()
    const many = Array.from({ length: 400 }, () => chunk({ content: ' on' }))
    // A prompt of so many tokens can be, though not this one; what the limit of 20 forbids cannot.
    const usage = { prompt_tokens: 500, completion_tokens: 401, total_tokens: 901 }
    const release = Promise.withResolvers<void>()
    const last = chunk({ content: 'last' })
    const report = { ...chunk({}, 'stop'), usage }
    at.upstream.reply(stream([...many, last, release.promise, report, done]))
    const lostNow = () => figure(at, 'kherad_platform_loss_microcredits_total')
    const lost = await lostNow()
    const id = await leave(at, { stream: true, when: Promise.resolve(), seen: 'last', action: policy })
    release.resolve()
    const receipt = await explained(at.key, id)
    const { input, output } = receipt.details.tokens as { input: number; output: number }
    expect(output).toBe(20)
    await expectWell(at, before, receipt)
    const loss = costOf(input, output) - BigInt(receipt.microcredits)
    if (policy === 'drain') {
      expect(input).toBe(500)
      expect(receipt.microcredits).toBe(receipt.reserved_microcredits)
      expect(receipt.charge).toMatchObject({
        sum_microcredits: String(costOf(input, output)),
        adjustment: { kind: 'within_hold', microcredits: String(-loss) },
      })
      expect(loss).toBeGreaterThan(0n)
      await until(async () => (await lostNow()) > lost)
    }
    expect((await lostNow()) - lost).toBe(Number(loss))
  })
})

test('a process drains max_drains answers at a time; beyond them a disconnect cancels the call, and receipts and a metric say so', async () => {
  await using at = await shareOnUpstream({ provider: '    on_disconnect: drain\n    max_drains: 2' })
  const abandon = async (action: string): Promise<{ id: string; call: UpstreamCall; goOn: () => void }> => {
    const stopping = new Stopping(at.upstream, streamed, 2)
    const id = await leave(at, { stream: true, when: stopping.stopped, seen: words[0], action })
    return { id, call: await stopping.call, goOn: () => stopping.goOn() }
  }
  const draining = [await abandon('drain'), await abandon('drain')]
  const cancelled = [
    await abandon('cancel_at_cap'),
    await abandon('cancel_at_cap'),
    await abandon('cancel_at_cap'),
  ]
  await drained(at, 2)
  for (const { id, call } of cancelled) {
    await call.whenAborted
    const { charge, details, microcredits } = await explained(at.key, id)
    expect(details).toMatchObject({
      outcome: 'client_left',
      usage_source: 'estimated',
      attempts: [{ outcome: 'aborted', detail: expect.stringContaining('max_drains') }],
    })
    const { input, output } = details.tokens as { input: number; output: number }
    expect(output).toBe(1)
    expect(BigInt(microcredits)).toBe(costOf(input, output))
    expect(charge).toMatchObject({
      lines: [
        { unit: 'input_tokens', quantity: input },
        { unit: 'output_tokens', quantity: output },
      ],
      ...{ rounding_microcredits: '0', sum_microcredits: microcredits, adjustment: null },
    })
  }
  expect(draining.map(({ call }) => call.aborted)).toEqual([false, false])
  const finish = async ({ id, call, goOn }: (typeof draining)[0]): Promise<void> => {
    goOn()
    const { microcredits, details } = await explained(at.key, id)
    expect(BigInt(microcredits)).toBe(costOf(promptTokens, words.length))
    expect(details.attempts[0]).not.toHaveProperty('detail')
    expect(call.aborted).toBe(false)
  }
  // Each that ends makes room for another.
  await finish(draining[0]!)
  await drained(at, 1)
  draining[0] = await abandon('drain')
  await drained(at, 2)
  for (const one of draining) await finish(one)
  await drained(at, 0)
})

describe('a drain does not go on for ever:', () => {
  // Each is left before it is over, however busy this machine is.
  test.each([
    ['one that trickles', 'total_ms: 5000', 'trickle'],
    ['one that falls silent', 'idle_ms: 5000', 'silence'],
  ])('%s ends by its %s, and its place is free again', async (_, timeout, how) => {
    await using at = await shareOnUpstream({
      provider: `    on_disconnect: drain\n    max_drains: 1\n    timeouts: { ${timeout} }`,
    })
    const { available: before } = await at.world.balance()
    const trickling = Array.from({ length: 20_000 }, (): Step[] => [
      () => pause(2),
      chunk({ content: ' on' }),
    ])
    const then: Step[] = how === 'trickle' ? trickling.flat() : [stall]
    at.upstream.reply(stream([chunk({ content: 'first' }), ...then]))
    const id = await leave(at, { stream: true, when: Promise.resolve(), seen: 'first', action: 'drain' })
    const receipt = await explained(at.key, id)
    expect(receipt.details).toMatchObject({
      outcome: 'client_left',
      usage_source: 'estimated',
      attempts: [{ outcome: 'timeout' }],
    })
    await expectWell(at, before, receipt)
  })
})
