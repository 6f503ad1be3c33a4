import { expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'
import { boot, MovableClock } from '../harness/world.ts'
import { insertCallRow } from './call-row.ts'

const secrets = '/v1/realtime/client_secrets'
const calls = '/v1/realtime/calls'
const session = { model: 'sandbox/realtime' }

test('calls are seen and ended by every key of their account, in pages, and look missing to everybody else', async () => {
  await using world = await sharedWorld()
  const key = await world.key({ scopes: ['audio:write'] })
  const { client: stranger } = await world.stranger()
  const names: string[] = []
  for (let at = 0; at < 3; at++) names.unshift(await insertCallRow(world, { turns: at }))
  const first = await key.get(`${calls}?limit=2`)
  expect(first.body).toMatchObject({
    data: [
      { id: names[0], object: 'realtime.call', status: 'ended', seconds: 61, credits: 3 },
      { id: names[1] },
    ],
    has_more: true,
    last_id: names[1],
  })
  const second = await key.get(`${calls}?limit=2&after_id=${names[1]}`)
  expect(second.body).toMatchObject({ data: [{ id: names[2] }], has_more: false })
  expect((await key.get(`${calls}?status=active`)).body.data).toEqual([])
  expect((await key.get(`${calls}?limit=101`)).status).toBe(400)

  const one = await key.get(`${calls}/${names[0]}`)
  expect(one.body).toMatchObject({ reason: 'client', turns: 2, pending: false, model: 'sandbox/realtime' })
  const named = (body: object, query = '') =>
    key
      .request('DELETE', `${calls}${query}`, JSON.stringify(body))
      .then(({ status, body }) => ({ status, body }))
  const same = { status: 200, body: one.body }
  expect(await named({ id: names[0] })).toEqual(same)
  expect(await named({ call_id: names[0] })).toEqual(same)
  expect(await named({}, `?id=${names[0]}`)).toEqual(same)
  expect(await named({ id: names[0], call_id: names[1] })).toMatchObject({
    status: 400,
    body: { error: { param: 'call_id' } },
  })
  expect((await key.post(`${calls}/${names[0]}/hangup`, {})).body).toEqual(one.body)
  expect((await key.request('DELETE', `${calls}/${names[0]}`)).body).toEqual(one.body)

  expect((await stranger.get(calls)).body.data).toEqual([])
  expect((await stranger.get(`${calls}/${names[0]}`)).status).toBe(404)
  expect((await stranger.request('DELETE', `${calls}/${names[0]}`)).status).toBe(404)
  expect((await stranger.post(`${calls}/${names[0]}/hangup`, {})).status).toBe(404)
  expect((await stranger.request('DELETE', calls, JSON.stringify({ id: names[0] }))).status).toBe(404)
})

test('a client secret says what its session will be, is good for 10 to 7,200 seconds, and repeats under its key', async () => {
  const clock = new MovableClock()
  await using world = await boot({ clock })
  const key = await world.key({ scopes: ['audio:write'] })
  const made = await key.post(secrets, { session: { ...session, instructions: 'کوتاه', tracing: 'auto' } })
  expect(made.status).toBe(200)
  expect(made.body).toMatchObject({
    value: expect.stringMatching(/^ek_[0-9A-Za-z]{43}$/),
    expires_at: Math.floor(clock.nowMs() / 1000) + 600,
    session: { type: 'realtime', model: 'sandbox/realtime', instructions: 'کوتاه' },
  })
  for (const [seconds, status] of [
    [9, 400],
    [10, 200],
    [7_200, 200],
    [7_201, 400],
  ])
    expect(
      (await key.post(secrets, { session, expires_after: { anchor: 'created_at', seconds } })).status,
    ).toBe(status)
  const again = { 'idempotency-key': 'one' }
  const first = await key.post(secrets, { session }, again)
  expect((await key.post(secrets, { session }, again)).text).toBe(first.text)
  const stored = await world.app.db.query<{ kept: string }>(
    { text: 'select json_agg(s)::text as kept from realtime.client_secrets s' },
    [],
  )
  expect(stored[0]!.kept).not.toContain(made.body.value)
})

test('a client secret names a model that its key may use, and a session that a call would take', async () => {
  await using world = await sharedWorld()
  const parts = ['sandbox/fast', 'sandbox/transcribe', 'sandbox/speech']
  const key = await world.key({ scopes: ['audio:write'], models: parts })
  const mute = await world.key({ scopes: ['audio:write'], models: parts.slice(0, 2) })
  const refusal = async (body: unknown) => {
    const { status, body: answer } = await key.post(secrets, body)
    return [status, answer.error?.code, answer.error?.param]
  }
  expect(await refusal({})).toEqual([400, 'INVALID_REQUEST', 'model'])
  expect(await refusal({ session: { model: 'nobody' } })).toEqual([404, 'MODEL_NOT_FOUND', 'model'])
  expect(await refusal({ session })).toEqual([403, 'MODEL_NOT_ALLOWED', 'model'])
  expect(await refusal({ session: { model: 7 } })).toEqual([400, 'INVALID_REQUEST', 'session.model'])
  const fast = { model: 'sandbox/fast' }
  expect(await refusal({ session: fast })).toEqual([200, undefined, undefined])
  expect((await mute.post(secrets, { session: fast })).body.error).toMatchObject({
    code: 'MODEL_NOT_ALLOWED',
    message: expect.stringContaining('sandbox/speech'),
  })
  const bad = { ...fast, audio: { output: { speed: 2 } } }
  expect(await refusal({ session: bad })).toEqual([400, 'INVALID_REQUEST', 'session.audio.output.speed'])
  const open = await world.key()
  expect((await open.post(secrets, { session: { model: 'sandbox/image' } })).body.error).toMatchObject({
    code: 'MODEL_KIND_MISMATCH',
  })
})

test('a client secret opens no other route, whatever its key may do', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const { value } = (await key.post(secrets, { session })).body
  const asked = (path: string, method = 'GET') =>
    fetch(world.url + path, { method, headers: { authorization: `Bearer ${value}` } }).then(
      ({ status }) => status,
    )
  expect(await asked('/v1/models')).toBe(401)
  expect(await asked('/v1/balance')).toBe(401)
  expect(await asked(calls)).toBe(401)
  expect(await asked(secrets, 'POST')).toBe(401)
})
