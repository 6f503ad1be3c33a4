import { expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { chunk, stream } from '../harness/upstream.ts'
import { openSite } from './site.ts'

test('a server that is told to stop while a stream will not end cuts it off and settles what was used', async () => {
  await using site = await openSite()
  const server = await site.start()
  const person = await site.person()
  site.upstream.reply(
    stream([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'half' }),
      new Promise(() => undefined),
    ]),
  )
  const body = JSON.stringify({
    stream: true,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'hello' }],
  })
  const reply = await site.client(server, person).raw('POST', '/v1/chat/completions', body)
  const read = reply.text().catch(() => 'cut')
  await until(async () => (await site.receipts(person)).length === 1)
  expect(await server.stop()).toBe(0)
  await read
  const [receipt] = await site.receipts(person)
  expect(receipt).toMatchObject({ ambiguous: false })
  expect(receipt!.charged).toBeGreaterThan(0n)
  expect(receipt!.charged).toBeLessThan(receipt!.held)
  await site.healed()
})
