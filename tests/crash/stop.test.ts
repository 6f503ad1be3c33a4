import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ServerProcess } from '../harness/processes.ts'
import { until } from '../harness/until.ts'
import { chunk, stream } from '../harness/upstream.ts'
import { openSite } from './site.ts'

const toldToStop = (server: ServerProcess): Promise<number | null> => server.stop()

/** Told to stop, and then for longer than a stop may take without a turn of its own, as on a machine that is moved. */
async function stoodStill(server: ServerProcess): Promise<number | null> {
  const ended = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  await until(async () => server.log().includes('"stopping"'))
  server.child.kill('SIGSTOP')
  await pause(5_500)
  server.child.kill('SIGCONT')
  await ended
  return server.child.exitCode
}

test.each([
  ['is told to stop', toldToStop],
  ['stands still after it was told to stop', stoodStill],
])('a server that %s while a stream will not end cuts it off and settles what was used', async (_, stop) => {
  await using site = await openSite()
  const server = await site.start(site.databaseUrl, { KHERAD_DRAIN_SECONDS: '3', KHERAD_LOG_LEVEL: 'info' })
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
  expect(await stop(server)).toBe(0)
  await read
  const [receipt] = await site.receipts(person)
  expect(receipt).toMatchObject({ ambiguous: false })
  expect(receipt!.charged).toBeGreaterThan(0n)
  expect(receipt!.charged).toBeLessThan(receipt!.held)
  await site.healed()
})
