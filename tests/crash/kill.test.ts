/** kill -9 while an upstream works for a paid call. The other steps of a call stand in campaign/kills/moments.test.ts. */
import { afterAll, beforeAll, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { readUntil } from '../harness/read-until.ts'
import { chunk, stream } from '../harness/upstream.ts'
import { bodyOf, claim, credits, KilledCalls } from './killed-calls.ts'
import { breaksOff } from './lost.ts'
import type { Site } from './site.ts'

const never = new Promise<never>(() => undefined)
const stack = new AsyncDisposableStack()
let calls: KilledCalls
let site: Site

beforeAll(async () => {
  calls = stack.use(await KilledCalls.open())
  site = calls.site
})
afterAll(() => stack.disposeAsync())

test.concurrent('killed during an upstream call: charged at the hold, and never sent by a repeat', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  calls.script(person, () => never)
  const call = breaksOff(site.client(server, person).chat(bodyOf(person), claim))
  await calls.begun(person)
  await server.kill()
  await call
  await calls.expectAmbiguous(person, bodyOf(person), 1)
})

test.concurrent('killed in the middle of a stream: it breaks off, is charged at the hold, and never sent by a repeat', async () => {
  await using server = await site.start()
  const person = await site.person({ credits })
  calls.script(person, () =>
    stream([chunk({ role: 'assistant', content: '' }), chunk({ content: 'half' }), never]),
  )
  const body = bodyOf(person, { stream: true })
  const reader = await openStream(site.client(server, person), body)
  await readUntil(reader, 'half')
  await server.kill()
  await breaksOff(readToEnd(reader))
  await calls.expectAmbiguous(person, body, 1)
})

async function openStream(client: Client, body: object) {
  const reply = await client.raw('POST', '/v1/chat/completions', JSON.stringify(body), claim)
  return reply.body!.pipeThrough(new TextDecoderStream()).getReader()
}

async function readToEnd(reader: ReadableStreamDefaultReader<string>): Promise<void> {
  while (!(await reader.read()).done);
}
