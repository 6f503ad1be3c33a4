/** Functions deployed, replaced, taken back and deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answering, call, deploy, functionsOf, send, textOf } from '../../cloud/functions/scene.ts'
import { until } from '../../harness/until.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'
import { guarded, openSite, type Site } from '../../platform/net/sites.ts'

let world: World
let cloud: TestCloud
/** It answers when a test says so. */
let gate: Site
const held: (() => void)[] = []
beforeAll(async () => {
  gate = await openSite((_, response) => void held.push(() => response.end()))
  world = await boot({ net: guarded({ streamPorts: [gate.port] }) })
  cloud = await world.newCloud()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await gate[Symbol.asyncDispose]()
})

test('a function answers as soon as it is deployed, and its new code as soon as that is', async () => {
  const first = await deploy(cloud, 'hello', answering('سلام'))
  expect(first).toMatchObject({
    object: 'cloud.function',
    name: 'hello',
    version: 1,
    verify_jwt: false,
    url: `${cloud.url}/functions/v1/hello`,
    packages: [],
  })
  expect(await textOf(cloud, 'hello')).toBe('سلام')
  const second = await deploy(cloud, 'hello', answering('درود'))
  expect(second.version).toBe(2)
  expect(await textOf(cloud, 'hello')).toBe('درود')
})

describe('code', () => {
  /** Refused, with its place where it has one. */
  async function refused(code: string, language = 'en'): Promise<{ message: string; details: unknown }> {
    const { status, body } = await send(cloud, 'refused', code, {}, { 'accept-language': language })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'FUNCTION_CODE_INVALID', 'code'])
    const { message, details } = body.error
    return { message, details }
  }

  test('that is no JavaScript is refused with line and column, counted as editors do', async () => {
    const code = 'const سلام = 1\nconst گل = "🌸"; foo(;'
    const { message, details } = await refused(code)
    expect(details).toEqual({ line: 2, column: 22 })
    expect(message).toMatch(/^The code was not accepted\. Line 2, column 22: /)
    expect((await refused(code, 'fa')).message).toMatch(/^کد پذیرفته نشد\. خط ۲، ستون ۲۲: /)
    expect((await refused('let a: string = ""')).message).toMatch(/Line 1, column 6: This is TypeScript/)
  })

  test.each([
    ['import _ from "lodash"', 1, 15, /"lodash" cannot be imported\. Functions may import @supabase/],
    ['\nimport { spawn } from "node:child_process"; spawn()', 2, 23, /no processes, threads and servers/],
    ['import x from "../../cloud/functions/x.js"', 1, 15, /A function is one file/],
    ['import x from "/etc/passwd" with { type: "text" }', 1, 15, /no attributes/],
    ['import x from "/etc/passwd"', 1, 15, /A function is one file/],
    ['import x from "data:text/javascript,1"', 1, 15, /Nothing is loaded from/],
    ['import x from "https://deno.land/std@0.168.0/http/server.ts"', 1, 15, /Nothing is loaded from/],
    ['import x from "file:///etc/passwd"', 1, 15, /Nothing is loaded from/],
    ['export * from "npm:zod@3"', 1, 15, /names another version; this platform has 4\./],
    ['import x from "hono/nope"', 1, 15, /has no part of the name/],
    ['import x from "hono/../../x"', 1, 15, /cannot be imported/],
    ['import x from "zod/package.json"', 1, 15, /has no part of the name/],
    ['import { handle } from "hono/lambda-edge"', 1, 24, /made for another runtime/],
    ['await import("zod")', 1, 14, /Nothing can be imported while it runs, and so not "zod";/],
    ['await import("npm:stripe")', 1, 14, /Nothing can be imported while it runs, and so not "npm:stripe";/],
    ['let x; await import(x)', 1, 14, /Nothing can be imported while it runs;/],
    ['let x; await import("./" + x + ".js")', 1, 21, /Nothing can be imported while it runs/],
    ['try { require("fs") } catch {}', 1, 15, /There is no require/],
    ['let x; require(x)', 1, 8, /There is no require/],
    ['import { nothing } from "zod"; nothing()', 1, 10, /No matching export/],
  ])('that imports what it may not is refused where it does: %s', async (code, line, column, why) => {
    const { message, details } = await refused(code)
    expect(details).toEqual({ line, column })
    expect(message).toMatch(why)
  })

  test('that does not start is refused with the line that was written', async () => {
    const code =
      'import { z } from "zod"\n\nconst schema = z.string()\n  schema.parse(1)\nDeno.serve(() => new Response())'
    expect(await refused(code)).toMatchObject({ message: expect.stringMatching(/it does not start: /) })
    const thrown = await refused('const a = 1\n\n  throw new Error("سلام" + a)')
    expect(thrown.details).toEqual({ line: 3, column: 9 })
    expect(thrown.message).toMatch(/it does not start: سلام1/)
    expect((await refused('export const x = 1')).message).toMatch(/no handler/)
    expect((await refused('for (;;) {}')).message).toMatch(/does not start/)
  })

  test('has 1 to 128,000 characters, whichever they are', async () => {
    const padded = (length: number, filling: string): string => {
      const code = `${answering('ok')}\n//`
      return code + filling.repeat(length - code.length)
    }
    for (const filling of ['a', 'س', '🌸']) await deploy(cloud, 'long', padded(128_000, filling))
    expect(await textOf(cloud, 'long')).toBe('ok')
    const beyond = await send(cloud, 'long', padded(128_001, 'a'))
    expect([beyond.status, beyond.body.error.param]).toEqual([400, 'code'])
    const empty = await send(cloud, 'long', '')
    expect([empty.status, empty.body.error.param]).toEqual([400, 'code'])
    const withNul = await send(cloud, 'long', `${answering('ok')}\0`)
    expect([withNul.status, withNul.body.error.param]).toEqual([400, 'code'])
  })

  test.each([
    ['parentheses', `${'('.repeat(64_000)}1${')'.repeat(63_999)}`],
    ['blocks', '{'.repeat(64_000) + '}'.repeat(64_000)],
    ['declarations that are all wrong', `const x=1;${'x=1;'.repeat(30_000)}`],
    ['labels', `${'a:'.repeat(63_999)};`],
  ])('of the longest kind with nothing but %s is refused within bounds', async (_of, code) => {
    expect((await refused(code)).message).toMatch(/The code was not accepted/)
  })

  test('imports the three packages in every spelling, and the answer says which versions they became', async () => {
    const code = `
      import { createClient } from 'npm:@supabase/supabase-js@2'
      import { createClient as again } from 'https://esm.sh/@supabase/supabase-js@2.39.3?target=deno'
      import { corsHeaders } from 'jsr:@supabase/supabase-js@2/cors'
      import 'jsr:@supabase/functions-js/edge-runtime.d.ts'
      import { z } from 'zod'
      import { z as old } from 'npm:zod@4/v3'
      import { Hono } from 'jsr:@hono/hono@^4.1'
      import { cors } from 'hono/cors'
      const app = new Hono().basePath('/packages')
      app.use(cors())
      app.get('/:name', (c) => c.json({
        name: z.string().min(2).parse(c.req.param('name')), same: createClient === again, old: typeof old.string, cors: typeof corsHeaders,
      }))
      Deno.serve(app.fetch)`
    const made = await deploy(cloud, 'packages', code)
    expect(made.packages).toEqual([
      { name: '@supabase/supabase-js', version: '2.119.1', requested: '2' },
      { name: 'zod', version: '4.6.7', requested: '4' },
      { name: 'hono', version: '4.13.19', requested: '^4.1' },
    ])
    expect(JSON.parse(await textOf(cloud, `packages/${encodeURIComponent('نام')}`))).toEqual({
      ...{ name: 'نام', same: true, old: 'function', cors: 'object' },
    })
  })
})

test.each(['', '1a', 'a'.repeat(65), 'a b', 'تابع', 'a/b', '..', 'a.b'])(
  'a name that is none is refused: %j',
  async (name) => {
    const reply = await send(cloud, name, answering('x'))
    expect([reply.status, reply.body.error.param]).toEqual([400, 'name'])
  },
)

test('a name may have 64 characters', async () => {
  const name = `a${'B-_9'.repeat(15)}xyz`
  expect(name).toHaveLength(64)
  await deploy(cloud, name, answering('long'))
  expect(await textOf(cloud, name)).toBe('long')
})

test('the last five versions are kept, any of them can be gone back to, and each with its own access', async () => {
  const own = await world.newCloud()
  for (let version = 1; version <= 7; version++)
    await deploy(own, 'f', answering(`v${version}`), { verify_jwt: version === 6 })
  const at = `${functionsOf(own)}/f`
  const versionsNow = async () => {
    const { body } = await own.client.get(at)
    return body.versions.map((one: { version: number; live: boolean }) => [one.version, one.live])
  }
  expect(await versionsNow()).toEqual([7, 6, 5, 4, 3].map((version) => [version, version === 7]))
  const back = await own.client.post(`${at}/rollback`, {})
  expect(back.body).toMatchObject({ version: 6, verify_jwt: true })
  expect((await call(own, 'f')).status).toBe(401)
  expect((await own.client.request('POST', `${at}/rollback`)).body).toMatchObject({ version: 5 })
  expect(await textOf(own, 'f')).toBe('v5')
  expect((await own.client.post(`${at}/rollback`, { version: 3 })).body).toMatchObject({ version: 3 })
  expect(await textOf(own, 'f')).toBe('v3')
  const codes = []
  for (const body of [{ version: 3 }, {}, { version: 2 }, { version: 99 }])
    codes.push((await own.client.post(`${at}/rollback`, body)).body.error.code)
  expect(codes).toEqual([
    'FUNCTION_VERSION_LIVE',
    'FUNCTION_NOTHING_BEFORE',
    'FUNCTION_VERSION_NOT_FOUND',
    'FUNCTION_VERSION_NOT_FOUND',
  ])
  expect((await own.client.get(at)).body).toMatchObject({ version: 3, code: answering('v3') })
  // The live one stays however old it is, and numbers are never used again.
  expect(await deploy(own, 'f', answering('v8'))).toMatchObject({ version: 8 })
  expect(await versionsNow()).toEqual([8, 7, 6, 5, 4].map((version) => [version, version === 8]))
})

test('code that is refused leaves what answers as it was', async () => {
  await deploy(cloud, 'stays', answering('old'))
  expect((await send(cloud, 'stays', 'throw new Error("new")')).status).toBe(400)
  expect(await textOf(cloud, 'stays')).toBe('old')
  expect((await cloud.client.get(`${functionsOf(cloud)}/stays`)).body.version).toBe(1)
})

test('a call in flight finishes on the code that it began with', async () => {
  // It waits for a request of its own, whose time is not its own: however long the deployment takes, it is not over.
  const slow = (text: string) => `export default { async fetch(request) {
    if (request.method === 'POST') await fetch(${JSON.stringify(gate.url)})
    return new Response('${text}') } }`
  await deploy(cloud, 'slow', slow('old'))
  const old = call(cloud, 'slow', { method: 'POST' })
  await until(() => held.length === 1)
  await deploy(cloud, 'slow', slow('new'))
  expect(await textOf(cloud, 'slow')).toBe('new')
  held[0]!()
  expect(await (await old).text()).toBe('old')
})

test('a repeated deployment with its key is one, and answers the same bytes', async () => {
  const once = () => send(cloud, 'once', answering('x'), {}, { 'idempotency-key': 'deploy once' })
  const [first, second] = [await once(), await once()]
  expect([first.status, second.status, first.body.version]).toEqual([201, 201, 1])
  expect(second.text).toBe(first.text)
  const other = await send(cloud, 'once', answering('y'), {}, { 'idempotency-key': 'deploy once' })
  expect([other.status, other.body.error.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
})

test('a deleted function is gone at once, and its name begins anew', async () => {
  const own = await world.newCloud()
  await deploy(own, 'gone', answering('x'))
  const at = `${functionsOf(own)}/gone`
  expect((await own.client.request('DELETE', at)).body).toEqual({
    ...{ object: 'cloud.function', name: 'gone', deleted: true },
  })
  const answer = await call(own, 'gone')
  expect([answer.status, answer.headers.get('x-relay-error')]).toEqual([404, 'true'])
  for (const method of ['GET', 'DELETE'])
    expect((await own.client.request(method, at)).body.error.code).toBe('FUNCTION_NOT_FOUND')
  expect((await own.client.get(functionsOf(own))).body).toMatchObject({
    data: [],
    runtime: { status: 'jailed', reason: null },
  })
  expect(await deploy(own, 'gone', answering('y'))).toMatchObject({ version: 1 })
})

test('what belongs to another project looks as if it were not there', async () => {
  const { client } = await world.stranger()
  const at = functionsOf(cloud)
  await deploy(cloud, 'ours', answering('ours'))
  const asked = [
    client.get(at),
    client.get(`${at}/ours`),
    client.get(`${at}/ours/logs`),
    client.post(at, { name: 'ours', code: answering('theirs') }),
    client.post(`${at}/ours/rollback`, {}),
    client.request('DELETE', `${at}/ours`),
  ]
  for (const { status, body } of await Promise.all(asked))
    expect([status, body.error.code]).toEqual([404, 'CLOUD_NOT_FOUND'])
  expect(await textOf(cloud, 'ours')).toBe('ours')
})
