/** What functions write, kept and followed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, deploy, functionsOf, secretsOf, send, textOf } from '../../cloud/functions/scene.ts'
import { until } from '../../harness/until.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'

let world: World
let cloud: TestCloud
beforeAll(async () => {
  world = await boot()
  cloud = await world.newCloud()
})
afterAll(() => world[Symbol.asyncDispose]())

interface Line {
  id: string
  level: string
  message: string
  request_id: string | null
  at: string
}

const logsOf = (name: string, query = '', of = cloud): string => `${functionsOf(of)}/${name}/logs${query}`

/** The lines once there are so many. */
async function lines(name: string, count: number, query = '', of = cloud): Promise<Line[]> {
  let found: Line[] = []
  await until(async () => {
    found = (await of.client.get(logsOf(name, query, of))).body.data
    return found.length >= count
  })
  return found
}

/** Writes what the body of the call says: [level, …values] after another. */
const writing = `export default { async fetch(request) {
  for (const [level, ...values] of await request.json()) console[level](...values)
  return new Response('ok') } }`
const write = (name: string, ...entries: unknown[][]) =>
  textOf(cloud, name, { method: 'POST', body: JSON.stringify(entries) })

test('lines are kept with level, time and the request that wrote them, and asked for by level and time', async () => {
  await deploy(cloud, 'levels', writing)
  await write('levels', ['debug', 'یک'], ['log', 'دو', { سه: [4] }], ['warn', 'five'], ['error', 'شش'])
  const found = await lines('levels', 4)
  expect(found.map(({ level, message }) => [level, message])).toEqual([
    ['debug', 'یک'],
    ['info', expect.stringMatching(/^دو \{.*سه.*4.*\}$/s)],
    ['warn', 'five'],
    ['error', 'شش'],
  ])
  expect(new Set(found.map(({ request_id: id }) => id)).size).toBe(1)
  expect(found[0]!.request_id).toMatch(/^[0-9a-f-]{36}$/)
  const { data } = (await cloud.client.get(logsOf('levels', '?level=warn'))).body
  expect(data.map(({ level }: Line) => level)).toEqual(['warn', 'error'])
  expect((await cloud.client.get(logsOf('levels', '?limit=1'))).body.data).toMatchObject([{ message: 'شش' }])
  const since = (at: string) => cloud.client.get(logsOf('levels', `?since=${encodeURIComponent(at)}`))
  expect((await since(found[0]!.at)).body.data).toHaveLength(4)
  expect((await since(new Date(Date.parse(found[3]!.at) + 1).toISOString())).body.data).toHaveLength(0)
  for (const query of [
    '?level=loud',
    '?limit=0',
    '?limit=1001',
    '?since=yesterday',
    '?since=2026-13-01T00:00:00Z',
  ])
    expect((await cloud.client.get(logsOf('levels', query))).body.error.code).toBe('INVALID_REQUEST')
})

test('secrets are masked in every usual spelling, and where a line was cut within one', async () => {
  await deploy(cloud, 'masks', writing)
  const secret = 'p"ss\\wörd/۱۲۳'
  const pem = '-----BEGIN KEY-----\nMIIEvAIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----'
  for (const [name, value] of [
    ['SECRET', secret],
    ['PEM', pem],
    ['LONG', 'ab'.repeat(5_000)],
    ['SHORT', 'a'],
  ])
    expect((await cloud.client.post(secretsOf(cloud), { name, value })).status).toBe(201)
  const { 'pass word': _, ...spelled } = {
    plain: `x${secret}y`,
    json: JSON.stringify({ secret }),
    url: `?q=${encodeURIComponent(secret)}`,
    base64: Buffer.from(secret).toString('base64'),
    line: 'MIIEvAIBADANBg',
    'pass word': '',
  }
  await write(
    'masks',
    ...Object.values(spelled).map((text) => ['log', text]),
    ['log', { secret, pem }],
    [...['log', `begin ${'z'.repeat(5_000)}${'ab'.repeat(2_000)}`]],
  )
  const found = await lines('masks', 7)
  const all = found.map(({ message }) => message).join('\n')
  for (const part of [
    secret,
    'wörd',
    'MIIEvAIBADANBg',
    'kqhkiG9w0BAQEF',
    'abab',
    Buffer.from(secret).toString('base64'),
  ])
    expect(all).not.toContain(part)
  expect(found.slice(0, 5).map(({ message }) => message)).toEqual([
    'x***y',
    '{"secret":"***"}',
    '?q=***',
    '***',
    '***',
  ])
  expect(found[6]!.message).toMatch(/^begin z+\*\*\*…$/)
})

test('an uncaught error says the line of the code that was sent, and the call says no more than that it failed', async () => {
  const code =
    "import { z } from 'zod'\n\nconst schema = z.string()\nDeno.serve(() => {\n  throw new Error('رازآلود ' + typeof schema)\n})"
  await deploy(cloud, 'throws', code)
  const answer = await call(cloud, 'throws')
  expect([answer.status, answer.headers.get('x-relay-error')]).toEqual([502, 'true'])
  const body = await answer.text()
  expect(JSON.parse(body)).toMatchObject({ code: 'FUNCTION_CRASHED' })
  expect(body).not.toContain('رازآلود')
  const [line] = await lines('throws', 1)
  expect(line!.level).toBe('error')
  expect(line!.message).toMatch(/رازآلود object[\s\S]*index\.js:5:9/)
})

test('the last 1,000 lines of each function are kept', async () => {
  const own = await world.newCloud()
  await deploy(own, 'other', writing)
  await deploy(own, 'many', writing)
  const lineOf = (name: string, nth: number) => ({
    ...{ name, level: 'info' as const, message: `${nth}`, requestId: null, at: new Date() },
  })
  const { accountId, cloudId } = (await world.app.clouds.find(own.ref))!
  const { functionSource } = world.app
  functionSource.log({ accountId, cloudId }, [lineOf('other', 0), lineOf('gone', 0)])
  for (let first = 0; first < 1_250; first += 250) {
    functionSource.log(
      { accountId, cloudId },
      Array.from({ length: 250 }, (_, nth) => lineOf('many', first + nth)),
    )
    await functionSource.logsSettled()
  }
  const found = await lines('many', 1_000, '?limit=1000', own)
  expect(found).toHaveLength(1_000)
  expect([found[0]!.message, found[999]!.message]).toEqual(['250', '1249'])
  expect(await lines('other', 1, '', own)).toHaveLength(1)
  const { rows } = await world.app.db.pool.query(
    'select count(*)::int as many from functions.logs where cloud_id = $1',
    [own.id],
  )
  expect(rows).toEqual([{ many: 1_001 }])
})

test('a flood of lines is cut to what is kept of a moment, and a line says so', async () => {
  const own = await world.newCloud()
  await deploy(own, 'flood', writing)
  const { accountId, cloudId } = (await world.app.clouds.find(own.ref))!
  const line = {
    name: 'flood',
    level: 'info' as const,
    message: 'x'.repeat(9_000),
    requestId: 'no id',
    at: new Date(),
  }
  for (let nth = 0; nth < 100; nth++)
    world.app.functionSource.log(
      { accountId, cloudId },
      Array.from({ length: 1_000 }, () => line),
    )
  await world.app.functionSource.logsSettled()
  const found = await lines('flood', 2, '?limit=1000', own)
  expect(found.length).toBeLessThan(100)
  expect(found.at(-1)!.message).toMatch(/^[\d,]+ lines were dropped/)
  expect([found[0]!.message.length, found[0]!.request_id]).toEqual([8_001, null])
  // What was written without a jail, here or on a host, says so in that line too.
  const unsafe = Array.from({ length: 1_000 }, () => ({ ...line, message: `[unsafe_dev] ${line.message}` }))
  world.app.functionSource.log({ accountId, cloudId }, unsafe)
  await world.app.functionSource.logsSettled()
  const later = await lines('flood', 2, '?limit=1000', own)
  expect(later.at(-1)!.message).toMatch(/^\[unsafe_dev\] [\d,]+ lines were dropped/)
})

/** Reads events until `enough`, then leaves. */
async function follow(
  name: string,
  headers: Record<string, string>,
  enough: (seen: Line[]) => boolean,
  onOpen?: () => Promise<unknown>,
): Promise<Line[]> {
  const leaving = new AbortController()
  const accept = { accept: 'text/event-stream', ...headers }
  const response = await cloud.client.raw('GET', logsOf(name), undefined, accept, leaving.signal)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const opened = onOpen?.()
  let text = ''
  const seen = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter((event) => event.includes('event: log'))
      .map((event) => ({
        ...(JSON.parse(/^data: (.*)$/m.exec(event)![1]!) as Line),
        event: /^id: (.*)$/m.exec(event)![1],
      }))
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString()
    if (enough(seen())) break
  }
  await opened
  leaving.abort()
  return seen()
}

test('lines are followed as they come, and from the one that was seen last', async () => {
  await deploy(cloud, 'follow', writing)
  await write('follow', ['log', 'one'], ['log', 'two'])
  await lines('follow', 2)
  const first = await follow(
    'follow',
    {},
    (seen) => seen.length >= 3,
    () => write('follow', ['warn', 'three']),
  )
  expect(first.map(({ message }) => message)).toEqual(['one', 'two', 'three'])
  expect(first).toMatchObject(first.map(({ id }) => ({ event: id })))
  const rest = await follow('follow', { 'last-event-id': first[0]!.id }, (seen) => seen.length >= 2)
  expect(rest.map(({ message }) => message)).toEqual(['two', 'three'])
})

test('a stream of lines ends when its function is deleted', async () => {
  await deploy(cloud, 'ends', writing)
  const response = await cloud.client.raw('GET', logsOf('ends'), undefined, { accept: 'text/event-stream' })
  await cloud.client.request('DELETE', `${functionsOf(cloud)}/ends`)
  expect(await response.text()).not.toContain('event: log')
  expect((await send(cloud, 'ends', writing)).status).toBe(201)
  expect((await cloud.client.get(logsOf('ends'))).body.data).toEqual([])
})
