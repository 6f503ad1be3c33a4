/** What the operator sees of voice calls and does to them: on the database, while a server holds them. */
import { expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { boot } from '../harness/world.ts'
import { connect } from '../voice/socket-call.ts'
import { done, kherad, refused } from './command-line.ts'

test('a call under way is listed, ended by its id, and shown with each step of its receipt; others are named as missing', async () => {
  await using world = await boot({ credits: 1_000 })
  const env = { DATABASE_URL: world.app.config.databaseUrl!, KHERAD_LOCALE: 'en' }
  const key = await world.key({ scopes: ['audio:write', 'usage:read'] })
  expect((await kherad(env, 'call', 'list')).out).toBe('No call is under way.\n')

  const call = await connect(world, key.secret)
  call.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'سلام' }] },
  })
  call.send({ type: 'response.create', response: { output_modalities: ['text'] } })
  await call.event('response.done')
  const listed = await done(env, 'call', 'list', '--account', world.account)
  expect(listed.data).toMatchObject([{ status: 'active', reason: null, microcredits: null }])
  const [{ id, request_id: requestId }] = listed.data

  const ended = await done(env, 'call', 'end', id)
  expect(ended).toMatchObject({ id, status: 'ended', reason: 'client', turns: 1 })
  expect((await call.closed).code).toBe(1000)
  await until(async () => (await world.balance()).held === 0n)
  expect((await done(env, 'call', 'list')).data).toEqual([])
  expect((await done(env, 'call', 'list', '--all')).data).toMatchObject([{ id }])

  const shown = await done(env, 'call', 'show', requestId)
  expect(shown).toMatchObject({ id, steps: [{ step: 'text', model: 'sandbox/fast' }] })
  expect(String(shown.steps[0].microcredits)).toBe(ended.microcredits)
  const { out } = await kherad(env, 'call', 'show', id)
  expect(out).toMatch(/text +sandbox\/fast +0\.\d+ +input_tokens=\d+ output_tokens=\d+/)
  expect((await kherad(env, 'call', 'end', id)).out).toContain('had ended before')

  for (const id of [`rtc_${'0'.repeat(32)}`, 'rtc_1', '00000000-0000-4000-8000-000000000000'])
    expect(await refused(env, 'call', 'show', id)).toMatchObject({ exit: 1, code: 'CALL_NOT_FOUND' })
})
