import { expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { boot } from '../harness/world.ts'

test('what is published is ready and live after a while', async () => {
  await using world = await boot()
  const key = await world.key()
  const file = (path: string, text: string) => ({
    path,
    content: Buffer.from(text).toString('base64'),
    encoding: 'base64',
  })
  const body = {
    name: 'کافهٔ ما',
    confirm_public: true,
    files: [file('index.html', '<h1>سلام</h1>'.repeat(200))],
  }
  const reply = await key.post('/v1/sites', body)
  expect(reply.status, reply.text).toBe(202)
  const site = await until(async () => {
    const { body } = await key.get(`/v1/sites/${reply.body.id}`)
    return body.status === 'publishing' ? undefined : body
  })
  expect(site).toMatchObject({ status: 'ready', live: { version: 1 }, files: 1, bytes: 3400 })
})
