import { expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { boot } from '../harness/world.ts'
import { connect } from './socket-call.ts'

test('a typed question is answered in words and sound, the call is listed, and its receipt says what it cost', async () => {
  await using world = await boot()
  const key = await world.key()
  const call = await connect(world, key.secret)
  const created = await call.event('session.created')
  expect(created.session).toMatchObject({ object: 'realtime.session', model: 'sandbox/realtime' })
  call.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'سلام' }] },
  })
  call.send({ type: 'response.create' })
  const done = await call.event('response.done')
  expect(done.response.status).toBe('completed')
  const running = (await key.get('/v1/realtime/calls')).body.data
  expect(running).toMatchObject([{ status: 'active', transport: 'websocket', engine: 'pipeline' }])
  expect(call.sound().length).toBeGreaterThan(24_000 / 10)
  call.close()
  const path = `/v1/realtime/calls/${running[0].id}`
  await until(async () => (await key.get(path)).body.status === 'ended')
  const ended = (await key.get(path)).body
  expect(ended).toMatchObject({ reason: 'client', turns: 1 })
  const receipt = (await key.receipt(ended.request_id)).body
  const { steps, call: facts } = receipt.details
  expect(facts).toMatchObject({ id: running[0].id, reason: 'client', transport: 'websocket', turns: 1 })
  const sum = steps.reduce((all: number, { microcredits }: { microcredits: number }) => all + microcredits, 0)
  expect(receipt).toMatchObject({ state: 'completed', microcredits: String(sum), pending: false })
  expect(steps.map(({ step }: { step: string }) => step)).toEqual(expect.arrayContaining(['text', 'speech']))
  expect(ended.credits).toBe(Math.ceil(sum / 1_000_000))
})
