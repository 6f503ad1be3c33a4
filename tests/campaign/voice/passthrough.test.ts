/** The engine `passthrough`: a vendor that talks with the caller directly, what it is paid for, and that it is hung up. */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { revokeKey } from '#platform/auth'
import type { Tx } from '#platform/db'
import { type CallRow, callIdOf } from '#voice/realtime'
import { Client, type Seen } from '../../harness/client.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { openAiUsage } from '../../harness/voice-wires.ts'
import { boot, MovableClock, quietEnvironment, type World } from '../../harness/world.ts'
import { browserPath } from '../../media/browser.ts'
import { temporaryFolder } from '../../platform/db/cluster-world.ts'
import { LeanPeer } from '../../platform/webrtc/lean-peer.ts'
import { offer } from '../../voice/offer.ts'
import { connect } from '../../voice/socket-call.ts'
import { addAgentsSdk, openCallerPage } from './browser-call.ts'
import { Vendor, type VendorCall } from './passthrough-vendor.ts'

let vendor: Vendor
let world: World
let clock: MovableClock

// Nobody can listen there: such calls need no port of this machine.
const config = (url: string): string => `
voice: { capacity: 4, calls_per_key: 4, idle_seconds: 60 }
webrtc: { listen: [203.0.113.1], ports: [0, 0] }
providers:
  - { id: talk, base_url: "${url}", api_key: upstream-secret, dialects: [realtime] }
  - { id: gone, base_url: "http://127.0.0.1:9/v1", api_key: upstream-secret, dialects: [realtime] }
models:
  - id: acme/direct
    kind: realtime
    engine: passthrough
    deployments: [{ provider: gone, model: voice-0 }, { provider: talk, model: voice-1, priority: 1 }]
    realtime: { voices: [marin], transcription_model: ears-1, max_input_tokens: 1000, max_output_tokens: 200 }
    pricing: { text_input_per_million: 1, audio_input_per_million: 2, cached_text_input_per_million: 0.5,
        cached_audio_input_per_million: 1, text_output_per_million: 4, audio_output_per_million: 8, transcription_per_minute: 0.00006 }
  - id: acme/timed
    kind: realtime
    engine: passthrough
    deployments: [{ provider: talk, model: voice-2 }]
    pricing: { per_minute: 0.00006 }
`

beforeAll(async () => {
  vendor = await Vendor.open()
  clock = new MovableClock()
  world = await boot({
    clock,
    credits: 100_000,
    config: config(vendor.sockets.url),
    env: { KHERAD_LEASE_MS: '9000' },
  })
})
afterEach(async () => {
  await until(() => world.app.realtime.busy === 0)
  vendor.reset()
  clock.moveMs(1)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await vendor[Symbol.asyncDispose]()
})

const calls = '/v1/realtime/calls'
const model = 'acme/direct'
/** Of a response in micro-credits: `[]`, 1,000 tokens at the price of sound, 200 of spoken sound. */
const worst = 2_000 + 2_000_000 + 1_600_000
/** 59 + 60 cached tokens of text, 9 + 4 cached of sound; 30 of text and 91 of sound come out. */
const response = 59_000 + 30_000 + 18_000 + 4_000 + 120_000 + 728_000

const create = (key: Client, more: object = {}, sdp = offer): Promise<Seen> =>
  key.post(calls, { sdp, model, ...more })

/** A caller that is connected to the vendor, and what the vendor knows of it. */
async function talk(key: Client, more: object = {}) {
  const came = { packets: 0, texts: [] as string[] }
  let made: Seen | undefined
  const peer = await LeanPeer.connect({
    answer: async (sdp) => {
      made = await create(key, more, sdp)
      expect(made.status).toBe(201)
      return made.body.sdp
    },
    audio: () => void came.packets++,
    text: (text) => void came.texts.push(text),
  })
  const call = await vendor.call(vendor.calls.length - 1)
  return { peer, call, came, created: made!.body, id: made!.body.id as string }
}
async function ended(key: Client, id: string) {
  const record = async () => (await key.get(`${calls}/${id}`)).body
  await until(async () => (await record()).status === 'ended')
  const { body } = await key.receipt((await record()).request_id)
  return { record: await record(), receipt: body, steps: body.details.steps }
}
const rowOf = async (requestId: string): Promise<CallRow> =>
  world.app.db.kysely
    .selectFrom('realtime.calls')
    .selectAll()
    .where('receipt_id', '=', requestId)
    .executeTakeFirstOrThrow()
/** In micro-credits. */
async function lossOf(requestId: string): Promise<bigint> {
  const [row] = await world.app.db.query<{ loss: bigint }>(
    {
      text: `select -sum(amount)::bigint as loss from ledger.entries where receipt_id = $1 and book = 'loss'`,
    },
    [requestId],
  )
  return row!.loss
}
const stepsOf = (name: string) =>
  world.app.db.kysely
    .selectFrom('realtime.steps')
    .selectAll()
    .where('call_id', '=', callIdOf(name)!)
    .orderBy('position')
    .execute()
/** What is done. */
const isSpent = (name: string, microcredits: number) => async () =>
  (await stepsOf(name)).reduce((sum, { cost }) => sum + (cost ?? 0n), 0n) === BigInt(microcredits)
/** Nobody changes a hold of the call's account until the transaction ends. */
const lockMoney = (tx: Tx, name: string) =>
  sql`select ledger.lock(array[account_id]) from realtime.calls where call_id = ${callIdOf(name)!}`.execute(
    tx,
  )
async function isMoneyAwaited(): Promise<boolean> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return (await world.app.db.query({ text }, [])).length > 0
}
const isHungUp = async (call: VendorCall, requestId: string): Promise<boolean> =>
  call.hangUps > 0 && (await rowOf(requestId)).upstream_call === null

test('caller and vendor talk past this server; each response is charged by its tokens, and DELETE hangs up at the vendor', async () => {
  const key = await world.key()
  const { peer, call, came, created, id } = await talk(key, { instructions: 'کوتاه' })
  await using _peer = peer
  expect(created).toMatchObject({ engine: 'passthrough', model })
  expect(call.session).toMatchObject({
    ...{ type: 'realtime', model: 'voice-1', instructions: 'کوتاه', max_output_tokens: 200 },
    truncation: { token_limits: { post_instructions: 1_000 } },
    audio: {
      input: { turn_detection: { type: 'semantic_vad' }, transcription: { model: 'ears-1' } },
      output: { voice: 'marin' },
    },
  })
  expect(await rowOf(created.request_id)).toMatchObject({
    ...{ upstream_call: call.id, upstream_provider: 'talk', status: 'starting' },
  })
  peer.sendAudio(new Uint8Array(40), 960)
  await until(() => call.heard > 0 && came.packets > 0)
  const item = { item_id: 'item_1' }
  call.tell({ type: 'input_audio_buffer.speech_started', ...item, audio_start_ms: 1_000 })
  call.tell({ type: 'input_audio_buffer.speech_stopped', ...item, audio_end_ms: 3_500 })
  call.tell({ type: 'conversation.item.input_audio_transcription.completed', ...item, transcript: 'سلام' })
  peer.sendText('{"type":"response.create"}')
  await until(() => came.texts.some((text) => text.includes('response.done')))
  await until(async () => (await key.get(`${calls}/${id}`)).body.status === 'active')
  expect((await key.request('DELETE', `${calls}/${id}`)).status).toBe(200)
  const { record, receipt, steps } = await ended(key, id)
  expect(record).toMatchObject({ engine: 'passthrough', reason: 'client', turns: 1 })
  expect(steps).toHaveLength(2)
  expect(steps).toContainEqual(
    expect.objectContaining({ step: 'transcription', microcredits: 2_500, quantities: { seconds: 3 } }),
  )
  expect(steps).toContainEqual({
    ...{ step: 'response', model, microcredits: response },
    quantities: expect.objectContaining({ input_tokens: 132, cached_tokens: 64, audio_output_tokens: 91 }),
  })
  expect(receipt).toMatchObject({ state: 'completed', microcredits: String(response + 2_500) })
  await until(() => isHungUp(call, created.request_id))
  expect(world.app.realtime.codecs.open).toBe(0)
})

test.each([
  ['zeros', { input_tokens: 0, output_tokens: 0 }],
  ['nothing', null],
])('no response of it is free: a vendor that counts %s is paid what was held', async (_, usage) => {
  const key = await world.key()
  const { peer, call, id } = await talk(key)
  await using _peer = peer
  call.finish(call.begin(), usage)
  await until(isSpent(id, worst))
  expect((await key.request('DELETE', `${calls}/${id}`)).status).toBe(200)
  const { steps } = await ended(key, id)
  expect(steps).toMatchObject([{ step: 'response', microcredits: worst }])
})

test.each([
  ['zero seconds of words whose length is known', 2_500, 3],
  ['zero seconds of words whose length nobody knows', 0, 64],
])('no words that are written down are free: a vendor that counts %s', async (_, ms, seconds) => {
  const key = await world.key()
  const { peer, call, id } = await talk(key)
  await using _peer = peer
  const item = { item_id: 'item_1' }
  const place = { started: 1_000, stopped: 1_000 + ms }
  if (ms > 0) {
    call.tell({ type: 'input_audio_buffer.speech_started', ...item, audio_start_ms: place.started })
    call.tell({ type: 'input_audio_buffer.speech_stopped', ...item, audio_end_ms: place.stopped })
  }
  const usage = { type: 'duration', seconds: 0 }
  const heard = { type: 'conversation.item.input_audio_transcription.completed', ...item, transcript: 'سلام' }
  call.tell({ ...heard, usage })
  const cost = ms > 0 ? ms : 64_000
  await until(isSpent(id, cost))
  expect((await key.request('DELETE', `${calls}/${id}`)).status).toBe(200)
  const { steps } = await ended(key, id)
  expect(steps).toMatchObject([{ step: 'transcription', microcredits: cost, quantities: { seconds } }])
})

test.skipIf(browserPath === undefined)(
  'a page of Chromium talks with the vendor, and hears it, without a port of this server',
  async () => {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(await temporaryFolder('kherad-passthrough-'))
    const caller = await openCallerPage(stack, folder.path, new Int16Array(16_000))
    const key = await world.key()
    const { id, ...page } = await caller.call({ url: world.url, secret: key.secret }, { model })
    await until(async () => (await page.state()).channel === 'open')
    await page.say(Int16Array.from({ length: 16_000 }, (_, at) => 8_000 * Math.sin(at / 8)))
    // The vendor says what it hears.
    await until(async () => (await page.state()).energy > 0.005)
    // What was answered before the side connection was open nobody here has heard of.
    await vendor.call(0)
    await page.send({ type: 'response.create' })
    expect((await page.event('response.done')).response.status).toBe('completed')
    await until(isSpent(id, response))
    await page.close()
    const { record, receipt } = await ended(key, id)
    expect([record.reason, receipt.microcredits]).toEqual(['client', String(response)])

    // OpenAI's Agents SDK, unchanged: it sets a session of its own, with a transcription that nobody has paid for.
    const secret = (await key.post('/v1/realtime/client_secrets', { session: { model } })).body.value
    await addAgentsSdk(caller.page)
    await caller.page.evaluate(`(async () => {
      const { RealtimeAgent, RealtimeSession, OpenAIRealtimeWebRTC } = OpenAIAgentsRealtime
      const transport = new OpenAIRealtimeWebRTC({ baseUrl: ${JSON.stringify(world.url + calls)} })
      const session = new RealtimeSession(new RealtimeAgent({ name: 'guide', instructions: 'کوتاه' }), { transport })
      const done = new Promise((resolve) =>
        transport.on('*', ({ type }) => type === 'response.done' && resolve()))
      await session.connect({ apiKey: ${JSON.stringify(secret)} })
      globalThis.talk = async () => {
        session.sendMessage('سلام')
        await done
        const { callId } = transport
        session.close()
        return callId
      }
    })()`)
    const call = await vendor.call(1)
    await until(() => call.said.filter(({ type }) => type === 'session.update').length >= 2)
    expect(call.session).toMatchObject({
      ...{ instructions: 'کوتاه', max_output_tokens: 200 },
      audio: { input: { transcription: { model: 'ears-1' } } },
    })
    const second = await ended(key, (await caller.page.evaluate('talk()')) as string)
    expect([second.record.reason, second.receipt.microcredits]).toEqual(['client', String(response)])
  },
)

test('time that costs credits counts from the first event on; a key that is revoked hangs up at the vendor', async () => {
  const [key, reader] = [await world.key(), await world.key()]
  const { peer, call, id } = await talk(key, { model: 'acme/timed' })
  await using _peer = peer
  clock.moveMs(20_000)
  call.finish(call.begin())
  await until(async () => (await stepsOf(id)).some(({ kind }) => kind === 'seconds'))
  clock.moveMs(10_000)
  await world.app.db.tx((tx) => revokeKey(tx, key.keyId, new Date(clock.nowMs())))
  await until(async () => {
    await world.app.realtime.tick()
    return call.hangUps > 0
  })
  const { record, steps } = await ended(reader, id)
  expect(record).toMatchObject({ reason: 'revoked', seconds: 10 })
  expect(steps).toContainEqual(
    expect.objectContaining({ step: 'seconds', microcredits: 10_000, quantities: { seconds: 10 } }),
  )
})

test('where the balance bears no further response the call is hung up; what the vendor made beyond what was held is no debt of the account', async () => {
  const { client: key } = await world.stranger(4)
  const { peer, call, created, id } = await talk(key)
  await using _peer = peer
  const dear = { input_tokens: 2_000, output_tokens: 100_000 }
  call.finish(call.begin(), { ...openAiUsage, ...dear })
  const { record, receipt, steps } = await ended(key, id)
  expect(record).toMatchObject({ reason: 'credits', turns: 1 })
  expect(steps).toMatchObject([{ step: 'response', microcredits: worst, quantities: dear }])
  expect(receipt.microcredits).toBe(String(worst))
  expect((await key.get('/v1/balance')).body).toMatchObject({
    balance_microcredits: String(4_000_000 - worst),
  })
  await until(() => isHungUp(call, created.request_id))
  const lost = await lossOf(created.request_id)
  // Tokens that no kind explains are sound: 1,868 heard and 99,879 spoken more than usual.
  expect(lost).toBe(BigInt(response + 1_868 * 2_000 + 99_879 * 8_000 - worst))
})

test('a response that the balance did not bear, begun beside one that is paid, ends the call and costs nothing', async () => {
  const { client: key } = await world.stranger(4)
  const { peer, call, created, id } = await talk(key)
  await using _peer = peer
  const first = call.begin()
  call.begin()
  await until(() => call.hangUps > 0)
  call.finish(first)
  const { record, steps } = await ended(key, id)
  expect(record).toMatchObject({ reason: 'credits', turns: 2 })
  // The vendor hung up before it said what either of them cost.
  expect(steps).toMatchObject([
    { microcredits: worst, ambiguous: true },
    { microcredits: 0, ambiguous: true },
  ])
  expect(await lossOf(created.request_id)).toBe(BigInt(worst))
})

/** The call ends with the second response, and the rows of its steps with it. */
async function expectBothPaid(key: Client, id: string): Promise<void> {
  const { record, receipt } = await ended(key, id)
  expect(record).toMatchObject({ reason: 'credits', turns: 2 })
  expect(receipt.microcredits).toBe(String(2 * response))
}

test('what one response leaves pays for the next one: a balance of less than two of them is talked to its end, and the last is heard', async () => {
  const { client: key } = await world.stranger(5)
  const { peer, call, id } = await talk(key)
  await using _peer = peer
  call.finish(call.begin())
  await until(isSpent(id, response))
  call.tell({ type: 'output_audio_buffer.started' })
  call.finish(call.begin())
  await until(isSpent(id, 2 * response))
  expect(call.hangUps).toBe(0)
  call.tell({ type: 'output_audio_buffer.stopped' })
  const { record, receipt } = await ended(key, id)
  expect(record).toMatchObject({ reason: 'credits', turns: 2 })
  expect(receipt.microcredits).toBe(String(2 * response))
})

test('it does so where the next one is refused while the first is being made', async () => {
  const { client: key } = await world.stranger(5)
  const { peer, call, id } = await talk(key)
  await using _peer = peer
  const first = call.begin()
  await until(async () => (await stepsOf(id))[0]?.ahead === false)
  // By then the next one has been refused, or is about to be.
  await world.app.db.tx((tx) => lockMoney(tx, id))
  call.finish(first)
  await until(isSpent(id, response))
  call.finish(call.begin())
  await expectBothPaid(key, id)
})

test('and where the next one begins before it has been refused', async () => {
  const { client: key } = await world.stranger(5)
  const { peer, call, id } = await talk(key)
  await using _peer = peer
  // One of each kind is open.
  await until(async () => (await stepsOf(id)).length === 2)
  const second = await world.app.db.tx(async (tx) => {
    await lockMoney(tx, id)
    const first = call.begin()
    await until(isMoneyAwaited)
    call.finish(first)
    await until(isSpent(id, response))
    const begun = call.begin()
    // It is put back: what came before it has been read.
    const audio = { input: { transcription: { model: 'dear-1' } } }
    call.tell({ type: 'session.updated', session: { ...call.session, audio } })
    await until(() => call.said.some(({ type }) => type === 'session.update'))
    return begun
  })
  call.finish(second)
  await expectBothPaid(key, id)
})

test('where the side connection breaks the call is hung up and ends, with what was being made at its worst', async () => {
  const key = await world.key()
  const { peer, call, created, id } = await talk(key)
  await using _peer = peer
  call.begin()
  await until(async () => (await key.get(`${calls}/${id}`)).body.status === 'active')
  call.side!.cut()
  const { record, steps } = await ended(key, id)
  expect(record.reason).toBe('failed')
  expect(steps).toMatchObject([{ step: 'response', microcredits: worst, ambiguous: true }])
  await until(() => isHungUp(call, created.request_id))
})

test('where the side connection cannot be opened the call is hung up for nothing', async () => {
  vendor.sockets.refuse({ status: 403, body: { error: { message: 'no' } } })
  const key = await world.key()
  const { body } = await create(key)
  const { record, receipt, steps } = await ended(key, body.id)
  expect([record.reason, steps, receipt.microcredits]).toEqual(['failed', [], '0'])
  await until(() => isHungUp(vendor.calls[0]!, body.request_id))
})

test('a hold that is refused hangs up at the vendor, and nothing is begun', async () => {
  const { client: key } = await world.stranger(1)
  const refused = await create(key)
  expect([refused.status, refused.body.error.code]).toEqual([402, 'INSUFFICIENT_CREDITS'])
  await until(() => vendor.calls[0]!.hangUps > 0)
  expect((await key.get(calls)).body.data).toEqual([])
})

test.each([
  ['a refusal', 502, 'UPSTREAM_FAILED', (response) => response.writeHead(500).end()],
  ['no such model', 502, 'UPSTREAM_MISCONFIGURED', (response) => response.writeHead(404).end()],
  ['no id of a call', 502, 'UPSTREAM_FAILED', (response) => response.writeHead(201).end('v=0')],
  [
    'an id that is none',
    502,
    'UPSTREAM_FAILED',
    (response) => response.writeHead(201, { location: '/v1/realtime/calls/rtc%2F..' }).end('v=0'),
  ],
  [
    'an id of 201 characters',
    502,
    'UPSTREAM_FAILED',
    (response) => response.writeHead(201, { location: 'x'.repeat(201) }).end('v=0'),
  ],
  [
    'an answer that is no SDP',
    502,
    'UPSTREAM_FAILED',
    (response) => response.writeHead(201, { location: '/v1/realtime/calls/rtc_1' }).end('{}'),
  ],
  [
    'an answer of more than 64 KiB',
    502,
    'UPSTREAM_FAILED',
    (response) =>
      response.writeHead(201, { location: '/v1/realtime/calls/rtc_1' }).end('v=0'.padEnd(65_537, 'x')),
  ],
] satisfies [string, number, string, NonNullable<Vendor['flaw']>][])(
  'where the vendor answers an offer by %s the request fails, and nothing is held',
  async (_what, status, code, flaw) => {
    vendor.flaw = flaw
    const key = await world.key()
    const before = await world.balance()
    const refused = await create(key)
    expect([refused.status, refused.body.error.code]).toEqual([status, code])
    expect(await world.balance()).toEqual(before)
  },
)

test('a caller that raises what a response may cost finds it put back, and the second time is hung up', async () => {
  const key = await world.key()
  const { peer, call, id } = await talk(key)
  await using _peer = peer
  const update = (session: object) => peer.sendText(JSON.stringify({ type: 'session.update', session }))
  const limits = { max_output_tokens: 200, truncation: { token_limits: { post_instructions: 1_000 } } }
  update({ instructions: 'دیگر', tools: [], max_output_tokens: 200 })
  await until(() => call.said.length === 1)
  update({ max_output_tokens: 'inf', truncation: 'auto' })
  await until(() => call.said.length === 3)
  expect(call.said[2]).toMatchObject({ type: 'session.update', session: limits })
  expect(call.session).toMatchObject({ ...limits, instructions: 'دیگر' })
  expect(call.hangUps).toBe(0)
  update({ max_output_tokens: 201 })
  const { record } = await ended(key, id)
  expect(record.reason).toBe('failed')
  await until(() => call.hangUps === 1)
})

test('a response with a limit above ours is cancelled; larger instructions are held for', async () => {
  const key = await world.key()
  const { peer, call, id } = await talk(key)
  await using _peer = peer
  call.begin({ max_output_tokens: 201 })
  await until(() => call.said.some(({ type }) => type === 'response.cancel'))
  peer.sendText(JSON.stringify({ type: 'session.update', session: { instructions: 'الف'.repeat(1_000) } }))
  await until(() => call.said.length === 2)
  call.begin()
  await until(async () => (await stepsOf(id)).filter(({ ahead }) => !ahead).length === 2)
  call.side!.cut()
  const { steps } = await ended(key, id)
  expect(steps.map(({ microcredits }: { microcredits: number }) => microcredits)).toEqual([
    worst,
    worst + 3_000_000,
  ])
})

test('thirty-two responses may be made side by side, each held for, and with one more the call is hung up', async () => {
  const key = await world.key()
  const { peer, call, id } = await talk(key)
  await using _peer = peer
  for (let count = 0; count < 32; count++) call.begin()
  // Thirty-two, the one ahead of the next, and one of transcription.
  await until(async () => (await stepsOf(id)).length === 34)
  expect(call.hangUps).toBe(0)
  call.begin()
  const { record, receipt, steps } = await ended(key, id)
  expect([record.reason, record.turns, steps.length]).toEqual(['failed', 32, 32])
  expect(receipt.microcredits).toBe(String(32 * worst))
})

test('a transcription that a caller sets is put back twenty times; then the call is hung up', async () => {
  const key = await world.key()
  const { peer, call, id } = await talk(key)
  await using _peer = peer
  const audio = { input: { transcription: { model: 'dear-1' } } }
  const change = () => peer.sendText(JSON.stringify({ type: 'session.update', session: { audio } }))
  for (let count = 1; count <= 20; count++) {
    change()
    await until(() => call.said.length === 2 * count)
  }
  expect(call.hangUps).toBe(0)
  change()
  expect((await ended(key, id)).record.reason).toBe('failed')
})

test('an ek_ begins such a call with the session that was made for it; another account finds none', async () => {
  const key = await world.key()
  const session = { type: 'realtime', model, instructions: 'از پیش' }
  const secret = (await key.post('/v1/realtime/client_secrets', { session })).body.value
  const answer = await fetch(`${world.url}${calls}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/sdp' },
    body: offer,
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'application/sdp'])
  expect(await answer.text()).toMatch(/^v=0/)
  const place = answer.headers.get('location')!
  const call = await vendor.call(0)
  expect(call.session['instructions']).toBe('از پیش')
  const { client: other } = await world.stranger()
  for (const method of ['GET', 'DELETE']) expect((await other.request(method, place)).status).toBe(404)
  expect(call.hangUps).toBe(0)
  expect((await key.request('POST', `${place}/hangup`)).status).toBe(200)
  await until(() => call.hangUps > 0)
})

test('what needs the sound or the events of a call is refused before the vendor is asked', async () => {
  const key = await world.key()
  const agent = await key.post('/v1/agents', { name: 'یار', model: 'sandbox/fast', instructions: 'کوتاه' })
  const refusal = async (more: object) => {
    const { status, body } = await key.post(
      calls,
      { sdp: offer, model, ...more },
      { 'accept-language': 'fa' },
    )
    expect(body.error.message).toMatch(/[آ-ی]/)
    return [status, body.error.code, body.error.param]
  }
  expect(await refusal({ store: true })).toEqual([400, 'INVALID_REQUEST', 'store'])
  expect(await refusal({ agent_id: agent.body.id })).toEqual([400, 'INVALID_REQUEST', 'model'])
  const tools = [{ type: 'web_search' }]
  expect(await refusal({ session: { tools } })).toEqual([400, 'INVALID_REQUEST', 'session.tools'])
  expect(vendor.calls).toHaveLength(0)
  const functions = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }]
  const made = await create(key, { session: { tools: functions } })
  expect(made.status).toBe(201)
  const call = await vendor.call(0)
  expect(call.session['tools']).toMatchObject(functions)
  call.side!.close()
  expect((await ended(key, made.body.id)).record.reason).toBe('client')
})

test('a caller who never speaks is hung up when a call is idle or its time is over, for nothing', async () => {
  const key = await world.key()
  const { body } = await create(key)
  const call = await vendor.call(0)
  clock.moveMs(59_000)
  await world.app.realtime.tick()
  const short = (await create(key, { max_seconds: 10 })).body
  await vendor.call(1)
  expect((await key.get(`${calls}/${body.id}`)).body.status).toBe('starting')
  expect(call.hangUps).toBe(0)
  clock.moveMs(1_000)
  const { record, steps } = await ended(key, body.id)
  expect([record.reason, steps]).toEqual(['disconnected', []])
  await until(() => isHungUp(call, body.request_id))
  clock.moveMs(9_000)
  expect((await ended(key, short.id)).record.reason).toBe('expired')
})

test('over a WebSocket the same model is relayed', async () => {
  const key = await world.key()
  await using call = await connect(world, key.secret, { query: `?model=${model}` })
  call.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') })
  call.send({ type: 'response.create' })
  expect((await call.event('response.done')).response.status).toBe('completed')
  call.close()
  const [{ id }] = (await key.get(`${calls}?limit=1`)).body.data
  expect((await ended(key, id)).record).toMatchObject({ engine: 'relay', model })
  expect(vendor.calls).toHaveLength(0)
})

test('a vendor that does not hang up is asked again by a sweep', async () => {
  const key = await world.key()
  const { peer, call, created, id } = await talk(key)
  await using _peer = peer
  vendor.deaf = 3
  await key.request('DELETE', `${calls}/${id}`)
  await ended(key, id)
  await until(() => vendor.deaf === 1)
  clock.moveMs(15_001)
  await until(() => isHungUp(call, created.request_id))
  expect(vendor.deaf).toBe(0)
})

test('kill -9 of the process that has a call: another one hangs up at the vendor and settles what was begun', async () => {
  const key = await world.key()
  await using other = await startProcess({
    databaseUrl: world.app.config.databaseUrl!,
    config: config(vendor.sockets.url),
    env: { ...quietEnvironment, KHERAD_LEASE_MS: '9000' },
  })
  const { peer, call, created, id } = await talk(new Client(other.url, key.secret, key.keyId))
  await using _peer = peer
  call.begin()
  await until(async () => (await rowOf(created.request_id)).connected_at !== null)
  await until(async () => (await stepsOf(id)).map(({ ahead }) => ahead).join() === 'false,true,true')
  await other.kill()
  const { record, steps } = await ended(key, id)
  expect(record.reason).toBe('failed')
  // The one that was open ahead, and that nobody began, costs nothing.
  expect(steps).toMatchObject([{ step: 'response', microcredits: worst, ambiguous: true }])
  await until(() => isHungUp(call, created.request_id))
})
