import { type AddressInfo, createServer } from 'node:net'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { endSession, removeMember, setMember } from '#account/people'
import type { Tx } from '#platform/db'
import type { Client, Seen } from '../harness/client.ts'
import { formOf } from '../harness/form.ts'
import { type Member, newMember } from '../harness/session.ts'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import { offer, offerLines, offerOfBytes } from './offer.ts'
import { onceEnded } from './once-ended.ts'
import { connect } from './socket-call.ts'

let world: World
let clock: MovableClock
beforeAll(async () => {
  clock = new MovableClock()
  world = await boot({
    clock,
    credits: 100_000,
    config: `
voice: { capacity: 3, max_seconds: 900 }
webrtc: { listen: [127.0.0.1], ports: [0, 0] }
`,
  })
})
afterAll(() => world[Symbol.asyncDispose]())
/** Of clients that never connect. */
afterEach(async () => {
  clock.moveMs(15_000)
  await world.app.realtime.tick()
  await until(() => world.app.realtime.busy === 0)
})

const calls = '/v1/realtime/calls'
const model = 'sandbox/realtime'
const asSdp = { 'content-type': 'application/sdp' }
const create = (key: Client, more: object = {}, headers = {}): Promise<Seen> =>
  key.post(calls, { sdp: offer, model, ...more }, headers)
const createBySdp = (key: Client, sdp: string, query = `?model=${model}`, headers = {}): Promise<Seen> =>
  key.request('POST', calls + query, sdp, { ...asSdp, ...headers })
const recordOf = async (key: Client, { headers }: Seen) => (await key.get(headers.get('location')!)).body
const untouched = async (key: Client) => (await key.get('/v1/balance')).body

test('an offer in JSON is answered with the call: its id, its times, what is held for it, and SDP', async () => {
  const key = await world.key()
  const made = await create(key, { max_seconds: 60, instructions: 'کوتاه', voice: 'sandbox-mina' })
  expect(made.status).toBe(201)
  const { body } = made
  expect(body).toMatchObject({ object: 'realtime.call', status: 'active', model, engine: 'pipeline' })
  expect(body.max_seconds).toBe(60)
  expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(60_000)
  expect(body.request_id).toBe(made.headers.get('x-request-id'))
  expect(made.headers.get('location')).toBe(`${calls}/${body.id}`)
  expect(body.sdp).toMatch(/^v=0\r\n/)
  expect(body.sdp).toMatch(/a=candidate:1 1 udp \d+ 127\.0\.0\.1 \d+ typ host\r\n/)
  expect(body.sdp).toMatch(/ tcp \d+ 127\.0\.0\.1 \d+ typ host tcptype passive\r\n/)
  const held = await world.balance()
  expect(body.reserved_credits).toBe(Math.ceil(Number(held.held) / 1e6))
  expect(await recordOf(key, made)).toMatchObject({
    ...{ id: body.id, status: 'starting', transport: 'webrtc', expires_at: body.expires_at },
  })
})

test('an offer that is the whole body or stands in a form is answered by SDP alone', async () => {
  const key = await world.key()
  const session = JSON.stringify({ type: 'realtime', model, instructions: 'کوتاه' })
  const plain = await createBySdp(key, offer, `?session=${encodeURIComponent(session)}`)
  expect([plain.status, plain.headers.get('content-type')]).toEqual([201, 'application/sdp'])
  expect(plain.text).toMatch(/^v=0\r\n/)
  expect(await recordOf(key, plain)).toMatchObject({ model, transport: 'webrtc' })
  const form = formOf(undefined, { sdp: offer, session })
  const inForm = await key.request('POST', calls, form.body, form.headers)
  expect([inForm.status, inForm.headers.get('content-type')]).toEqual([201, 'application/sdp'])
  expect(await recordOf(key, inForm)).toMatchObject({ model })
})

test('the client of OpenAI begins a call and hangs up unchanged', async () => {
  const key = await world.key()
  const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: key.secret, maxRetries: 0 })
  const answer = await client.realtime.calls.create({ sdp: offer, session: { type: 'realtime', model } })
  expect(await answer.text()).toMatch(/^v=0\r\n/)
  const id = answer.headers.get('location')!.split('/').pop()!
  await client.realtime.calls.hangup(id)
  const record = (await onceEnded(() => key.get(`${calls}/${id}`))).body
  expect(record).toMatchObject({ status: 'ended', reason: 'client', seconds: 0, credits: 0 })
})

const ways: [string, (tx: Tx, member: Member) => Promise<unknown>][] = [
  ['the session ends', (tx, { personId, sessionId }) => endSession(tx, personId, sessionId, new Date())],
  ['the person is removed', (tx, { personId }) => removeMember(tx, world.account, personId, new Date())],
  [
    'the role no longer permits it',
    (tx, { personId }) =>
      setMember(tx, { accountId: world.account, personId, role: 'viewer', projectIds: null }, new Date()),
  ],
]

test.each(ways)('a call of a person ends when %s', async (_, leave) => {
  const key = await world.key()
  const sara = await newMember(world, 'developer')
  const made = await create(sara)
  expect(made.status, made.text).toBe(201)
  await world.app.db.tx((tx) => leave(tx, sara))
  const record = (await onceEnded(() => key.get(made.headers.get('location')!))).body
  expect(record).toMatchObject({ status: 'ended', reason: 'revoked' })
})

test.each(ways)(
  'a client secret that a session made begins nothing more when %s, and what it began ends',
  async (_, leave) => {
    const key = await world.key()
    const sara = await newMember(world, 'developer')
    const { value } = (await sara.post('/v1/realtime/client_secrets', { session: { model } })).body
    const page = { authorization: `Bearer ${value}`, origin: 'https://app.example.org' }
    const made = await createBySdp(key, offer, '', page)
    expect(made.status, made.text).toBe(201)
    await world.app.db.tx((tx) => leave(tx, sara))
    const record = (await onceEnded(() => key.get(made.headers.get('location')!))).body
    expect(record).toMatchObject({ status: 'ended', reason: 'revoked' })
    const again = await createBySdp(key, offer, '', page)
    expect([again.status, again.body.error.code]).toEqual(
      leave === ways[2]![1] ? [403, 'INSUFFICIENT_SCOPE'] : [401, 'INVALID_API_KEY'],
    )
  },
)

test('the session of a person begins calls by its cookie, over WebRTC and over a WebSocket, and names who spoke', async () => {
  const sara = await newMember(world, 'developer', { displayName: 'Sara' })
  const session = encodeURIComponent(JSON.stringify({ type: 'realtime', model }))
  const made = await createBySdp(sara, offer, `?session=${session}&store=false`)
  expect(made.status, made.text).toBe(201)
  expect(made.text).toMatch(/^v=0\r\n/)
  expect((await onceEnded(() => sara.request('DELETE', made.headers.get('location')!))).body).toMatchObject({
    status: 'ended',
    model,
  })

  const { cookie = '' } = sara.headersOf('GET')
  const origin = new URL(world.url).origin
  const line = (project: string, headers: object) =>
    connect(world, '', {
      query: `?model=${model}&store=false&project=${project}`,
      protocols: ['realtime'],
      headers: { cookie, ...headers },
    })
  {
    await using call = await line(world.project, { origin })
    call.send({ type: 'session.update', session: { type: 'realtime', instructions: 'کوتاه' } })
    expect((await call.event('session.updated')).session).toMatchObject({ instructions: 'کوتاه' })
    const { call_id: id } = (await call.event('session.created')).session.kherad
    const record = (await sara.get(`${calls}/${id}`)).body
    expect(record).toMatchObject({ status: 'active', transport: 'websocket', model })
    const receipt = await sara.get(`/v1/requests/${record.request_id}`)
    expect(receipt.body).toMatchObject({ person: { id: sara.personId, name: 'Sara' } })
  }
  const other = await world.stranger()
  for (const [project, headers, code] of [
    [world.project, { origin: 'https://evil.example' }, 'CROSS_SITE_REQUEST'],
    [world.project, {}, 'CROSS_SITE_REQUEST'],
    [other.project, { origin }, 'NOT_FOUND'],
    [world.project, { origin, cookie: '' }, 'INVALID_API_KEY'],
  ] as const)
    await expect(line(project, headers), code).rejects.toMatchObject({ body: { error: { code } } })
  const reader = await newMember(world, 'viewer')
  expect((await createBySdp(reader, offer)).body.error.code).toBe('INSUFFICIENT_ROLE')
})

test('a call that is not connected after 15 s is over for nothing, and its place is free', async () => {
  const key = await world.key()
  const before = await untouched(key)
  const made = await create(key)
  clock.moveMs(14_999)
  await world.app.realtime.tick()
  expect(await recordOf(key, made)).toMatchObject({ status: 'starting' })
  clock.moveMs(1)
  await world.app.realtime.tick()
  await until(() => world.app.realtime.busy === 0)
  expect(await recordOf(key, made)).toMatchObject({ status: 'ended', reason: 'disconnected', credits: 0 })
  expect(await untouched(key)).toEqual(before)
})

test('a call that waits for its client is ended by whoever may, and a longest time beyond that of the operator is shortened', async () => {
  const key = await world.key()
  const made = await create(key, { max_seconds: 3_600 })
  expect(made.body.max_seconds).toBe(900)
  expect(made.headers.get('x-clamped-fields')).toBe('max_seconds=900')
  const { client: stranger } = await world.stranger()
  const path = `${calls}/${made.body.id}`
  expect((await stranger.request('DELETE', path)).status).toBe(404)
  const gone = await onceEnded(() => key.request('DELETE', path))
  expect(gone.body).toMatchObject({ status: 'ended', reason: 'client', pending: false, credits: 0 })
})

test('what cannot be answered costs nothing: the offer, the model, the session, the fields, and what is too long', async () => {
  const key = await world.key()
  const before = await untouched(key)
  const without = (line: string) => offerLines.filter((one) => one !== line).join('\r\n')
  const sections = (most: number) => offer + 'm=video 9 UDP/TLS/RTP/SAVPF 96\r\n'.repeat(most)
  const refused = async (body: object, param: string, status = 400) => {
    const { status: seen, body: told } = await create(key, body)
    expect([seen, told.error.param]).toEqual([status, param])
  }
  await refused({ sdp: 'hello' }, 'sdp')
  await refused({ sdp: '' }, 'sdp')
  await refused({ sdp: without('a=rtpmap:111 opus/48000/2') }, 'sdp')
  await refused({ sdp: sections(1_000) }, 'sdp')
  await refused({ sdp: offerOfBytes(65_537) }, 'sdp')
  await refused({ sdp: `${offerOfBytes(65_531)}ششش` }, 'sdp')
  await refused({ model: 'nobody' }, 'model', 404)
  await refused({ model: 'sandbox/image' }, 'model')
  await refused({ session: { audio: { output: { voice: 7 } } } }, 'session.audio.output.voice')
  await refused({ instructions: 'y'.repeat(12_001) }, 'instructions')
  await refused({ max_seconds: 9 }, 'max_seconds')
  await refused({ max_seconds: 3_601 }, 'max_seconds')
  await refused({ extra: 1 }, 'extra')
  for (const session of ['{', '[]', '['.repeat(4_000)]) {
    const seen = await createBySdp(key, offer, `?session=${encodeURIComponent(session)}`)
    expect([seen.status, seen.body.error.param]).toEqual([400, 'session'])
  }
  const long = formOf(undefined, { sdp: offerOfBytes(65_537), session: `{"model":"${model}"}` })
  expect((await key.request('POST', calls, long.body, long.headers)).status).toBe(400)
  expect((await createBySdp(key, '\xff\xfe')).status).toBe(400)
  expect((await key.post(calls, { sdp: 'y'.repeat(300_000) })).status).toBe(413)
  expect(await untouched(key)).toEqual(before)
  expect(world.app.realtime.busy).toBe(0)
})

test('a call is answered with every model whose card names the route, and with no other', async () => {
  const cards = (await (await world.key()).get('/v1/models')).body.data
  const named = new Set<unknown>()
  const others = new Set<unknown>()
  for (const { id, kind, routes } of cards) {
    const key = await world.key()
    const session = kind === 'transcription' ? { type: 'transcription' } : {}
    const made = await create(key, { model: id, session })
    const seen = routes.includes(calls) ? named : others
    seen.add(made.body.error?.code ?? made.status)
    if (made.status === 201) await key.request('DELETE', `${calls}/${made.body.id}`)
    await until(() => world.app.realtime.busy === 0)
  }
  expect([[...named], [...others]]).toEqual([[201], ['MODEL_KIND_MISMATCH']])
})

test('an offer of 64 KB and one without a data channel are answered, in each form', async () => {
  const key = await world.key()
  const largest = offerOfBytes(65_536)
  expect((await createBySdp(key, largest)).status).toBe(201)
  const form = formOf(undefined, { sdp: largest, session: `{"model":"${model}"}` })
  expect((await key.request('POST', calls, form.body, form.headers)).status).toBe(201)
  const silent = offerLines.slice(0, offerLines.indexOf('m=application 9 UDP/DTLS/SCTP webrtc-datachannel'))
  const other = await world.key()
  const sdp = silent.join('\r\n').replace('BUNDLE 0 1', 'BUNDLE 0')
  expect((await create(other, { sdp })).status).toBe(201)
})

test('places are those of the key, then of the process; a thousand offers that never connect take no more, and cost nothing', async () => {
  const key = await world.key()
  const other = await world.key()
  await Promise.all([create(key), create(key), create(other)])
  expect(world.app.realtime.busy).toBe(3)
  const full = await create(key)
  expect(full).toMatchObject({ status: 429, body: { error: { code: 'CONCURRENCY_LIMITED' } } })
  const busy = await create(other)
  expect(busy).toMatchObject({ status: 503, body: { error: { code: 'VOICE_BUSY' } } })
  expect([full, busy].map(({ headers }) => headers.get('retry-after'))).toEqual(['5', '5'])
  const before = await world.balance()
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(key)))
    expect(answers.every(({ status }) => status === 429)).toBe(true)
  }
  expect(await world.balance()).toEqual(before)
  expect(world.app.realtime.busy).toBe(3)
})

test('of many calls that begin at once as many are taken as there are places', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => world.key()))
  const answers = await Promise.all(keys.map((key) => create(key)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(answers.filter(({ body }) => body.error?.code === 'VOICE_BUSY')).toHaveLength(5)
  expect(world.app.realtime.busy).toBe(3)
})

test('whoever cannot pay is refused with 402, and holds neither place nor connection', async () => {
  const { client: poor } = await world.stranger(0)
  const connections = async () =>
    (await (await fetch(`${world.url}/metrics`)).text()).match(/^kherad_webrtc_connections .*$/m)?.[0]
  const before = await connections()
  expect(before).toBeDefined()
  expect(await create(poor)).toMatchObject({ status: 402, body: { error: { code: 'INSUFFICIENT_CREDITS' } } })
  expect(await connections()).toBe(before)
  await until(() => world.app.realtime.busy === 0)
})

test('a repeat of a call in JSON gets the same answer, also where no place is left; one by SDP learns which call it began', async () => {
  const [key, other] = [await world.key(), await world.key()]
  const once = { 'idempotency-key': 'once' }
  const first = await create(key, {}, once)
  const others = await Promise.all([create(other), create(other)])
  expect((await create(key)).body.error.code).toBe('VOICE_BUSY')
  const again = await create(key, {}, once)
  expect([again.status, again.text]).toEqual([201, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('location')).toBe(`${calls}/${first.body.id}`)
  const hangUp = (by: Client, id: string) => onceEnded(() => by.post(`${calls}/${id}/hangup`, {}))
  for (const { body } of others) await hangUp(other, body.id)

  const sdpOnce = { 'idempotency-key': 'by sdp' }
  const bySdp = await createBySdp(key, offer, undefined, sdpOnce)
  const id = bySdp.headers.get('location')!.split('/').pop()!
  const repeated = async () => {
    const { status, body } = await createBySdp(key, offer, undefined, sdpOnce)
    expect([status, body.error.code]).toEqual([409, 'REQUEST_ALREADY_ACCEPTED'])
    expect(body.error.details).toEqual({ call_id: id })
    expect(body.error.message).toContain(`GET ${calls}/${id}`)
  }
  await repeated()
  const changed = await createBySdp(key, offer, '?model=sandbox/fast', sdpOnce)
  expect(changed.body.error.code).toBe('IDEMPOTENCY_CONFLICT')
  await hangUp(key, id)
  await repeated()
  expect((await key.get(`${calls}?status=starting`)).body.data).toHaveLength(1)
})

test('a page begins a call with a client secret, whose model and session stand, reads where it is, and ends it', async () => {
  const key = await world.key()
  const session = { model, instructions: 'کوتاه' }
  const { value } = (await key.post('/v1/realtime/client_secrets', { session })).body
  const page = { authorization: `Bearer ${value}`, origin: 'https://app.example.org' }
  const made = await createBySdp(key, offer, '?model=gpt-realtime-2.1', page)
  expect(made.status).toBe(201)
  expect(made.headers.get('access-control-allow-origin')).toBe('*')
  expect(made.headers.get('access-control-expose-headers')).toContain('Location')
  expect(await recordOf(key, made)).toMatchObject({ model, status: 'starting' })
  const asked = await key.raw('OPTIONS', calls, undefined, {
    ...{ origin: 'https://app.example.org', 'access-control-request-method': 'POST' },
    'access-control-request-headers': 'authorization,content-type,x-openai-agents-sdk',
  })
  expect(asked.headers.get('access-control-allow-headers')).toContain('x-openai-agents-sdk')
  const id = made.headers.get('location')!.split('/').pop()
  const headers = { ...page, 'content-type': 'application/json' }
  const ended = await onceEnded(() => key.request('DELETE', calls, JSON.stringify({ id }), headers))
  expect(ended.body).toMatchObject({ id, status: 'ended', reason: 'client' })
})

test('where no port is free, calls over WebRTC are refused with what to do, and those over WebSocket go on', async () => {
  await using taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  await using other = await boot({ config: `webrtc: { listen: [127.0.0.1], ports: [${port}, ${port}] }` })
  const key = await other.key()
  const before = await other.balance()
  expect(await create(key)).toMatchObject({ status: 503, body: { error: { code: 'WEBRTC_UNAVAILABLE' } } })
  expect(await other.balance()).toEqual(before)
  expect(other.app.realtime.busy).toBe(0)
  await using call = await connect(other, key.secret)
  await call.event('session.created')
})
