/** A malformed id in a path is answered like an unknown one, on every route; elsewhere it is an invalid field. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isOfPeople } from '#platform/http'
import { sampleOf } from '#platform/schema'
import { routes } from '../../src/capabilities.ts'
import type { Client, Seen } from '../harness/client.ts'
import { type Member, newMember } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { expectRefusal } from './refusal.ts'

let world: World
let key: Client
/** Who asks where no key may, from a page of this server. */
let person: Member
beforeAll(async () => {
  world = await sharedWorld()
  key = await world.key()
  person = await newMember(world, 'owner', { isOperator: true })
})
afterAll(async () => await world[Symbol.asyncDispose]())

interface Parameter {
  name: string
  in: string
  required: boolean
}

/** Every operation of the document with something in its path, and what it wants beside that. */
async function operations() {
  const { paths } = (await key.get('/openapi.json')).body as {
    paths: Record<string, Record<string, { parameters: Parameter[] }>>
  }
  return Object.entries(paths).flatMap(([path, all]) =>
    Object.entries(all).flatMap(([method, { parameters }]) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
      // Links of mails open a page for people, which says it in words.
      return names.length > 0 && !path.startsWith('/app-links/')
        ? [{ path, method: method.toUpperCase(), names, parameters }]
        : []
    }),
  )
}
type Operation = Awaited<ReturnType<typeof operations>>[number]

function ask({ path, method, parameters }: Operation, ids: Record<string, string>): Promise<Seen> {
  const route = routes.find((one) => one.path === path && one.method === method)!
  const query = parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => `${name}=a`)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!)
  const wanted = path.startsWith('/v1/work') && path.endsWith('/files') ? ['path=a'] : query
  const isForm = route.body === undefined && route.upload !== undefined
  const body = isForm
    ? formOf(Object.keys(route.upload!.files)[0]!)
    : route.body && JSON.stringify(sampleOf(route.body))
  const headers = {
    'anthropic-version': '2023-06-01',
    ...(isForm && { 'content-type': 'multipart/form-data; boundary=b' }),
  }
  const caller = isOfPeople(route) || route.fromOwnPage ? person : key
  return caller.request(method, `${filled}${wanted.length > 0 ? `?${wanted.join('&')}` : ''}`, body, headers)
}

const formOf = (file: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${file}"; filename="a"\r\n\r\na\r\n--b--\r\n`

const missing = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'
const malformed = [
  'x',
  '0',
  '-1',
  'null',
  `${missing}0`,
  missing.replaceAll('-', ''),
  `{${missing}}`,
  '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c9g',
  '%00',
  '%ff',
  '%ZZ',
  "'%20or%201=1--",
  encodeURIComponent('شناسه'),
  'a'.repeat(300),
]

test('on every route of the document a malformed id in the path is 404 as a missing one', async () => {
  const all = await operations()
  expect(all.length).toBeGreaterThan(20)
  for (const operation of all)
    for (const name of operation.names) {
      const ids = Object.fromEntries(operation.names.map((one) => [one, missing]))
      const what = `${operation.method} ${operation.path} ${name}`
      const gone = await ask(operation, ids)
      expect(gone.status, `${what}: ${gone.text}`).toBe(404)
      for (const value of malformed) {
        const reply = await ask(operation, { ...ids, [name]: value })
        expect(reply.status, `${what} = ${value}: ${reply.text.slice(0, 200)}`).toBe(404)
        expect(reply.body.error.execution_started).toBe(false)
        if (!/%ff|%ZZ/.test(value)) expect(reply.body.error.code, what).toBe(gone.body.error.code)
      }
    }
})

test('in a query or a body it is 400 and named', async () => {
  for (const path of ['/v1/knowledge', '/v1/files', '/v1/webhooks/deliveries'])
    expectRefusal(await key.get(`${path}?after_id=x`), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'after_id',
    })
  const agent = { name: 'a', knowledge_id: 'x' }
  expectRefusal(await key.post('/v1/agents', agent), {
    status: 400,
    code: 'INVALID_REQUEST',
    param: 'knowledge_id',
  })
})
