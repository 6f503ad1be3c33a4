/** Every text field of a request, found in the schemas of the routes: its cost is linear in its length, and it delays no other request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../src/capabilities.ts'
import { costOfAwaited, expectLinear, expectNoHold, framed } from '../../cost/cost.ts'
import type { Client } from '../../harness/client.ts'
import { boot, type World } from '../../harness/world.ts'
import { create, read } from '../../work/knowledge-world.ts'
import { textFields } from './text-fields.ts'

let world: World
let key: Client
let ids: Record<string, string>
beforeAll(async () => {
  // Without credits what costs any is refused once it has been read and counted.
  world = await boot({ credits: 0 })
  key = await world.key()
  const agent = await key.post('/v1/agents', { name: 'a' })
  ids = { '/v1/knowledge': await create(key), '/v1/agents': agent.body.id }
})
afterAll(() => world[Symbol.asyncDispose]())

const versioned = { 'anthropic-version': '2023-06-01' }
const units = [' ', '"', '\\', '[', '\u200c', 'a ']
/** Enough to see how it grows, where the schema sets no bound. */
const max = 128_000

const pathOf = (path: string): string =>
  path.replace(
    /\{[^{}]{1,40}\}/g,
    () => ids[path.split('/').slice(0, 3).join('/')] ?? '0198f3a2-0000-7000-8000-000000000000',
  )

const bodied = routes.filter(({ body, method }) => body && method !== 'GET')

test('the routes with bodies and their texts are found', () => {
  expect(bodied.length).toBeGreaterThan(12)
  const fields = bodied.flatMap(({ body, operation }) =>
    [...textFields(body!)].map(({ path }) => `${operation} ${path}`),
  )
  expect(fields).toEqual(
    expect.arrayContaining([
      'knowledge.add_source text',
      'work.create input',
      'chat.complete messages[].content',
    ]),
  )
})

describe.each(bodied)('$operation', ({ method, path, body }) => {
  test('takes any repeated text in any field in linear time', { timeout: 900_000 }, async () => {
    const seen = new Set<string>()
    for (const { path: field, maxLength = max, valueWith } of textFields(body!)) {
      const longest = Math.min(maxLength, max)
      // Shorter ones can cost nobody anything; variants of one union share most of their fields.
      if (longest < 1_000 || seen.has(field)) continue
      seen.add(field)
      for (const unit of units) {
        const [, text] = framed(unit, longest)
        const cost = async (length: number) => {
          const sent = JSON.stringify(valueWith(`${text!.slice(0, length)}b`))
          return costOfAwaited(() => key.request(method, pathOf(path), sent, versioned))
        }
        await expectLinear(`${field} ${JSON.stringify(unit)}`, cost, { from: longest / 4, to: longest })
      }
      const sent = JSON.stringify(valueWith(framed(' ', Math.min(maxLength, 1_000_000))[1]!))
      await expectNoHold(field, () => key.request(method, pathOf(path), sent, versioned))
    }
  })
})

test('headers, queries and ids of any repeated text cost linear time', { timeout: 600_000 }, async () => {
  const printable = [' ', '"', '\\', '[', ',', ';', 'a;', 'fa,', '=', ';q=', '%', '7', '-', '.']
  for (const unit of printable) {
    const run = (length: number) => `a${unit.repeat(Math.floor(length / unit.length))}b`
    const asked: Record<string, (text: string) => Promise<unknown>> = {
      'accept-language': (text) => key.get('/v1/balance', { 'accept-language': text }),
      'idempotency-key': (text) => key.post('/v1/agents', { name: '' }, { 'idempotency-key': text }),
      'x-customer-id': (text) => key.chat({}, { 'x-customer-id': text }),
      'x-api-key': (text) => key.get('/v1/models', { 'x-api-key': text }),
      traceparent: (text) => key.get('/v1/balance', { traceparent: text }),
      cookie: (text) => key.get('/v1/balance', { cookie: text }),
      query: (text) => key.get(`/v1/requests/lookup?idempotency_key=${encodeURIComponent(text)}`),
      id: (text) => key.get(`/v1/requests/${encodeURIComponent(text)}`),
    }
    for (const [name, ask] of Object.entries(asked))
      await expectLinear(`${name} ${unit}`, (length) => costOfAwaited(() => ask(run(length))), {
        from: 1_000,
        to: 4_000,
      })
  }
})

test('two million characters of knowledge, of whatever, are taken and indexed without holding anybody up', {
  timeout: 900_000,
}, async () => {
  for (const unit of [' ', 'a ', '. ', '# a\n', 'a\n', '7']) {
    const text = `a${unit.repeat(Math.floor(1_999_998 / unit.length))}b`
    const sent = JSON.stringify({ type: 'text', title: 'x', text })
    await expectNoHold(JSON.stringify(unit), async () => {
      const id = await create(key)
      const made = await key.request('POST', `/v1/knowledge/${id}/sources`, sent)
      expect(made.status, made.text).toBe(201)
      expect(await read(key, id, made.body.id)).toMatchObject({
        state: expect.stringMatching(/ready|failed/),
      })
      await key.request('DELETE', `/v1/knowledge/${id}`)
    })
  }
})
