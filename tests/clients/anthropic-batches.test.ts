/** The official Anthropic client and batches: create, poll, results, paging, and its errors. */
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { answer, json, type Script } from '../harness/upstream.ts'
import { bootBatches } from '../text/batches-world.ts'
import type { UpstreamWorld } from '../text/chat-world.ts'

let at: UpstreamWorld
let client: Anthropic
beforeAll(async () => {
  at = await bootBatches(4, { env: { KHERAD_TRUSTED_PROXIES: '127.0.0.1' } })
  client = clientOf(at.key.secret)
})
afterAll(() => at[Symbol.asyncDispose]())

const clientOf = (authToken: string, more: { baseURL?: string; fetch?: typeof fetch } = {}) =>
  new Anthropic({ baseURL: at.world.url, apiKey: null, authToken, ...more })

const requests = (count: number, content = 'hello') =>
  Array.from({ length: count }, (_, index) => ({
    custom_id: `row-${index}`,
    params: { model: 'test/model', max_tokens: 100, messages: [{ role: 'user' as const, content }] },
  }))

const ended = (id: string) =>
  until(async () => {
    const batch = await client.messages.batches.retrieve(id)
    return batch.processing_status === 'ended' ? batch : undefined
  })

async function resultsOf(id: string, by = client) {
  const rows = []
  for await (const row of await by.messages.batches.results(id)) rows.push(row)
  return rows
}

test('61 a batch that was just made is in progress, without results, and all its rows are processing', async () => {
  const gate = Promise.withResolvers<Script>()
  at.upstream.reply(() => gate.promise)
  const batch = await client.messages.batches.create({ requests: requests(3) })
  expect(batch).toMatchObject({
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { processing: 3, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    results_url: null,
    ended_at: null,
  })
  expect(batch.id).toMatch(/^msgbatch_/)
  gate.resolve(answer())
  await ended(batch.id)
})

test('62 what a batch may not hold is the client’s BadRequestError before any hold, asked once', async () => {
  const sent: string[] = []
  const counting = clientOf(at.key.secret, {
    fetch: (url, init) => {
      sent.push(String(url))
      return fetch(url, init)
    },
  })
  const [one] = requests(1)
  const twice = [one!, one!]
  const streamed = [{ ...one!, params: { ...one!.params, stream: true } }] as never
  const bad = [{ ...one!, custom_id: 'a b' }]
  await at.world.settled()
  const before = await at.world.balance()
  for (const wrong of [twice, streamed, bad, requests(1001), []])
    await expect(counting.messages.batches.create({ requests: wrong })).rejects.toBeInstanceOf(
      Anthropic.BadRequestError,
    )
  expect(sent).toHaveLength(5)
  expect(await at.world.balance()).toEqual(before)
})

test('63 results() yields one row for each custom_id of a batch that has ended', async () => {
  at.upstream.reply(answer('as you wish'))
  const { id } = await client.messages.batches.create({ requests: requests(7) })
  await expect(resultsOf('msgbatch_0123456789abcdef0123456789abcdef')).rejects.toBeInstanceOf(
    Anthropic.NotFoundError,
  )
  await ended(id)
  const rows = await resultsOf(id)
  expect(rows.map(({ custom_id }) => custom_id)).toEqual(requests(7).map(({ custom_id }) => custom_id))
  for (const { result } of rows) {
    if (result.type !== 'succeeded') throw new Error(result.type)
    expect(result.message.content).toMatchObject([{ type: 'text', text: 'as you wish' }])
    expect(result.message.usage.output_tokens).toBe(3)
  }
})

test('results() of the beta surface, and with the key as x-api-key', async () => {
  at.upstream.reply(answer())
  const direct = new Anthropic({ baseURL: at.world.url, apiKey: at.key.secret, authToken: null })
  const { id } = await direct.beta.messages.batches.create({ requests: requests(2) })
  await ended(id)
  const rows = []
  for await (const row of await direct.beta.messages.batches.results(id)) rows.push(row.result.type)
  expect(rows).toEqual(['succeeded', 'succeeded'])
})

test('64 an errored row nests a full error body', async () => {
  at.upstream.reply(json(400, { error: { message: 'no', type: 'invalid_request_error' } }))
  const { id } = await client.messages.batches.create({ requests: requests(1) })
  await ended(id)
  const [row] = await resultsOf(id)
  if (row?.result.type !== 'errored') throw new Error(row?.result.type)
  expect(row.result.error).toMatchObject({ type: 'error', request_id: expect.any(String) })
  expect(row.result.error.error).toMatchObject({ type: expect.any(String), message: expect.any(String) })
})

test('65 cancel answers canceling and when it was asked; rows that had not begun are canceled', async () => {
  const gate = Promise.withResolvers<Script>()
  at.upstream.reply(() => gate.promise)
  const asked = at.upstream.calls.length
  const { id } = await client.messages.batches.create({ requests: requests(9) })
  await until(() => at.upstream.calls.length === asked + 4)
  const canceling = await client.messages.batches.cancel(id)
  expect(canceling.processing_status).toBe('canceling')
  expect(Date.parse(canceling.cancel_initiated_at!)).toBeGreaterThan(0)
  gate.resolve(answer())
  const batch = await ended(id)
  expect(batch.request_counts).toMatchObject({ succeeded: 4, canceled: 5 })
  const kinds = (await resultsOf(id)).map(({ result }) => result.type)
  expect(kinds.filter((kind) => kind === 'canceled')).toHaveLength(5)
})

test('66 the list pages by itself, forwards and backwards, each batch once', async () => {
  at.upstream.reply(answer())
  const key = await at.world.key({ project: await at.world.newProject() })
  const lister = clientOf(key.secret)
  const made: string[] = []
  for (let i = 0; i < 5; i++)
    made.unshift((await lister.messages.batches.create({ requests: requests(1) })).id)
  const ids: string[] = []
  for await (const batch of lister.messages.batches.list({ limit: 2 })) ids.push(batch.id)
  expect(ids).toEqual(made)
  const back: string[] = []
  for await (const page of (
    await lister.messages.batches.list({ limit: 2, before_id: made[4]! })
  ).iterPages())
    back.unshift(...page.data.map(({ id }) => id))
  expect(back).toEqual(made.slice(0, 4))
  for (const id of made) await until(async () => (await lister.messages.batches.retrieve(id)).ended_at)
})

test('67 results are read through a proxy, at the address that clients know', async () => {
  at.upstream.reply(answer())
  const seen: string[] = []
  // A proxy for TLS: the client speaks to api.example.ir, the server hears plain HTTP.
  const proxied = clientOf(at.key.secret, {
    baseURL: 'https://api.example.ir',
    fetch: (url, init) => {
      seen.push(String(url))
      const headers = new Headers(init?.headers)
      headers.set('x-forwarded-proto', 'https')
      headers.set('x-forwarded-host', 'api.example.ir')
      return fetch(String(url).replace('https://api.example.ir', at.world.url), { ...init, headers })
    },
  })
  const { id } = await proxied.messages.batches.create({ requests: requests(1) })
  await ended(id)
  expect(await resultsOf(id, proxied)).toHaveLength(1)
  expect(seen.at(-1)).toBe(`https://api.example.ir/v1/messages/batches/${id}/results`)
})

test('a batch can be deleted once it has ended; before, it is the client’s ConflictError', async () => {
  const gate = Promise.withResolvers<Script>()
  at.upstream.reply(() => gate.promise)
  const { id } = await client.messages.batches.create({ requests: requests(1) })
  await expect(client.messages.batches.delete(id)).rejects.toBeInstanceOf(Anthropic.ConflictError)
  gate.resolve(answer())
  await ended(id)
  expect(await client.messages.batches.delete(id)).toEqual({ id, type: 'message_batch_deleted' })
  await expect(client.messages.batches.retrieve(id)).rejects.toBeInstanceOf(Anthropic.NotFoundError)
})

test('a key without the scope is the client’s PermissionDeniedError', async () => {
  const narrow = clientOf((await at.world.key({ scopes: ['models:read'] })).secret)
  await expect(narrow.messages.batches.list()).rejects.toBeInstanceOf(Anthropic.PermissionDeniedError)
  await expect(narrow.messages.batches.create({ requests: requests(1) })).rejects.toBeInstanceOf(
    Anthropic.PermissionDeniedError,
  )
})
