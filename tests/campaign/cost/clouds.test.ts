/** What an app sends to its cloud: no query and no body holds the event loop, whoever sent it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectNoHold } from '../../cost/cost.ts'
import { hostRequest } from '../../harness/host-request.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'

let world: World
let cloud: TestCloud
let serviceKey: string
beforeAll(async () => {
  world = await boot()
  cloud = await world.cloud()
  serviceKey = await cloud.serviceKey()
  const made = await cloud.client.post(`/v1/cloud/${cloud.id}/database`, {
    action: 'create_collection',
    name: 'things',
  })
  expect(made.status).toBe(200)
})
afterAll(() => world[Symbol.asyncDispose]())

/** As it stands: clients would encode quotes and backslashes, and a URL would have room for fewer. */
const rows = (query: string, body?: string) =>
  hostRequest(world.appsUrl, new URL(cloud.url).hostname, {
    path: `/rest/v1/things?${query}`,
    method: body === undefined ? 'GET' : 'POST',
    headers: { apikey: serviceKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  })

const unended = `"${'\\"'.repeat(7_000)}`
/** As deep as conditions may stand in one another. */
const nested = (inner: string): string => `(${'and('.repeat(9)}${inner}${')'.repeat(10)}`

test.each([
  ['select', unended],
  ['order', unended],
  ['columns', unended],
  ['or', `(${unended})`],
  ['or', nested(unended)],
  ['a', `in.(${'"x,'.repeat(990)}${'"x'.repeat(5_000)})`],
  ['a', `cs.{${unended}}`],
])('a query of %s with a quote that nothing ends (%#)', async (name, text) => {
  await expectNoHold(name, async () => {
    expect((await rows(`${name}=${text}`)).status).toBeLessThan(500)
  })
})

const columns = (count: number): string => Array.from({ length: count }, (_, at) => at.toString(36)).join()
const emptyRows = `[${Array(1_000).fill('{}').join()}]`

test('columns that make many megabytes of a small body are refused, before anything is written', async () => {
  const reply = await rows(`columns=${columns(1_900)}`, emptyRows)
  expect([reply.status, JSON.parse(reply.text)]).toMatchObject([
    400,
    { code: '54000', message: expect.stringContaining('2 MiB') },
  ])
  expect((await rows(`columns=${columns(100)}`, emptyRows)).status).toBe(201)
})

const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"${at.toString(36)}":1`).join()}}`

test.each([
  ['a thousand rows of names alone', () => ({ query: `columns=${columns(1_900)}`, body: emptyRows })],
  ['a megabyte of members', () => ({ query: '', body: `[${Array(850).fill(members(150)).join()}]` })],
  ['a megabyte of numbers in one row', () => ({ query: '', body: `{"a":[${'1,'.repeat(500_000)}1]}` })],
  ['a megabyte of lists in one row', () => ({ query: '', body: `{"a":[${'[],'.repeat(240_000)}[]]}` })],
  [
    'a megabyte of names in one row',
    () => ({
      query: '',
      body: `{"a":[${Array.from({ length: 70_000 }, (_, nth) => `{"a${nth}":1}`).join()}]}`,
    }),
  ],
  [
    'a megabyte of characters that are escaped',
    () => ({ query: '', body: `{"a":"${'\\u0001'.repeat(170_000)}"}` }),
  ],
])('a body of %s', async (name, sent) => {
  const { query, body } = sent()
  await expectNoHold(name, async () => {
    expect((await rows(query, body)).status).toBeLessThan(500)
  })
})
