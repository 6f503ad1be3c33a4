/** `kherad cloud functions` and `kherad cloud secrets`: the real command against a real server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, jailTested, textOf } from '../cloud/functions/scene.ts'
import type { Client } from '../harness/client.ts'
import { boot, type TestCloud, type World } from '../harness/world.ts'
import { kherad, type Ran } from './command-line.ts'

let world: World
let key: Client
let cloud: TestCloud
let folder: string
beforeAll(async () => {
  world = await boot()
  key = await world.key({ project: await world.newProject() })
  cloud = await world.cloud('shop', key)
  await jailTested(world)
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-functions-'))
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const run = (words: readonly string[], locale: 'fa' | 'en' = 'en'): Promise<Ran> =>
  kherad(
    { KHERAD_KEY: key.secret, KHERAD_LOCALE: locale, KHERAD_BASE_URL: world.url },
    ...['cloud', ...words],
  )

async function file(name: string, text: string | Buffer): Promise<string> {
  const at = path.join(folder, name)
  await writeFile(at, text)
  return at
}

test('a file is deployed by one command, which prints its address and nothing else; then listed, taken back and deleted', async () => {
  const hello = await file(
    'hello.js',
    'import { z } from "zod"\nDeno.serve(() => new Response(typeof z.string))',
  )
  const made = await run(['functions', 'deploy', 'shop', hello, '--public'], 'fa')
  expect([made.code, made.out]).toEqual([0, `${cloud.url}/functions/v1/hello\n`])
  expect(made.err).toMatch(/ {2}zod 4\.6\.7\n.*نسخهٔ ۱ از «hello» پاسخ می‌دهد\.\n$/s)
  expect(await textOf(cloud, 'hello')).toBe('function')
  const other = await file('other.js', 'Deno.serve(() => new Response("two"))')
  expect((await run(['functions', 'deploy', 'shop', other, '--name', 'hello'])).code).toBe(0)
  expect((await call(cloud, 'hello')).status).toBe(401)
  const listed = await run(['functions', 'list', 'shop'])
  expect(listed.out).toMatch(/hello\s+2\s+signed-in users/)
  const back = await run(['functions', 'rollback', 'shop', 'hello'])
  expect([back.code, back.out]).toEqual([0, 'Version 1 of "hello" answers.\n'])
  expect(await textOf(cloud, 'hello')).toBe('function')
  expect((await run(['functions', 'rollback', 'shop', 'hello', '--to', '۲', '--json'])).json.version).toBe(2)
  expect((await run(['functions', 'delete', 'shop', 'hello'])).out).toBe('"hello" is deleted.\n')
  const again = await run(['functions', 'delete', 'shop', 'hello'])
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('FUNCTION_NOT_FOUND')])
})

test('an error names file, line and column, as compilers do', async () => {
  const broken = await file('broken.js', 'const a = 1\nfoo(;')
  const refused = await run(['functions', 'deploy', 'shop', broken])
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toContain(`${broken}:2:5: The code was not accepted. Line 2, column 5:`)
  const json = await run(['functions', 'deploy', 'shop', broken, '--json'])
  expect(JSON.parse(json.err).error).toMatchObject({ code: 'FUNCTION_CODE_INVALID', line: '2', column: '5' })
  const large = await file('large.js', Buffer.alloc(512_001, 'a'))
  expect((await run(['functions', 'deploy', 'shop', large])).err).toContain('is larger than 512,000 bytes')
  const binary = await file('binary.js', Buffer.from([0xff, 0xfe, 0x00]))
  expect((await run(['functions', 'deploy', 'shop', binary])).code).toBe(2)
})

test('lines of logs are printed with their times', async () => {
  const noisy = await file(
    'noisy.js',
    'Deno.serve(() => { console.warn("هشدار\\n\u001b[31mred"); return new Response() })',
  )
  expect((await run(['functions', 'deploy', 'shop', noisy, '--public'])).code).toBe(0)
  await call(cloud, 'noisy')
  await world.app.functionSource.logsSettled()
  const shown = await run(['functions', 'logs', 'shop', 'noisy', '--level', 'warn'])
  expect(shown.out).toMatch(/ WARN {2}هشدار\n {3}\[31mred\n$/)
  expect((await run(['functions', 'logs', 'shop', 'noisy', '--level', 'loud'])).code).toBe(2)
})

test('a secret comes from a file or from standard input, is listed by name alone and deleted', async () => {
  const value = await file('value', 'رمز\n')
  const set = await run(['secrets', 'set', 'shop', 'PAYMENT_KEY', '--from', value])
  expect([set.code, set.out]).toEqual([0, '"PAYMENT_KEY" is set.\n'])
  const reading = await file('reading.js', 'Deno.serve(() => new Response(Deno.env.get("PAYMENT_KEY")))')
  await run(['functions', 'deploy', 'shop', reading, '--public'])
  expect(await textOf(cloud, 'reading')).toBe('رمز')
  const listed = await run(['secrets', 'list', 'shop'])
  expect(listed.out).toContain('PAYMENT_KEY')
  expect(listed.out).not.toContain('رمز')
  expect((await run(['secrets', 'set', 'shop', 'SUPABASE_URL', '--from', value])).err).toContain(
    'INVALID_REQUEST',
  )
  expect((await run(['secrets', 'delete', 'shop', 'PAYMENT_KEY'])).code).toBe(0)
  expect((await run(['secrets', 'list', 'shop', '--json'])).json).toEqual([])
})
