import { expect, test } from 'vitest'
import { cloneDatabase } from '../harness/postgres.ts'
import { startProcess } from '../harness/processes.ts'
import { until } from '../harness/until.ts'

const secret = `khr_${'cold'.repeat(11)}`

test('a server that is ready answers first calls and probes while it still warms, and says when it is warm', async () => {
  await using database = await cloneDatabase()
  await using server = await startProcess({
    databaseUrl: database.url,
    bootstrapKey: secret,
    fromSource: true,
    env: { KHERAD_LOG_LEVEL: 'debug' },
  })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const call = (body: object) =>
    fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      headers: { ...headers, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    })
  const [good, bad, live] = await Promise.all([
    call({ max_tokens: 8, messages: [{ role: 'user', content: [{ type: 'text', text: 'سلام' }] }] }),
    call({ max_tokens: 8, messages: [{ role: 'user', content: [{ type: 'nothing' }] }] }),
    fetch(`${server.url}/health/live`),
  ])
  expect([good.status, bad.status, live.status]).toEqual([200, 400, 200])
  expect(await bad.json()).toMatchObject({ error: { param: 'messages.0.content.0.type' } })
  await until(() => server.log().includes('"msg":"warm"'))
})
