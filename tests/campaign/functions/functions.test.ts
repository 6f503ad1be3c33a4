/** Real functions in their jail, whose public internet is a server of this test on loopback. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, deploy } from '../../cloud/functions/scene.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'
import { guarded, openSite, type Site } from '../../platform/net/sites.ts'

let world: World
let cloud: TestCloud
let site: Site

beforeAll(async () => {
  site = await openSite((request, response) => {
    const to = URL.parse(request.url ?? '', 'http://a')?.searchParams.get('to')
    if (to) response.writeHead(302, { location: to }).end()
    else response.end('outside')
  })
  world = await boot({ net: guarded({ streamPorts: [site.port] }) })
  cloud = await world.newCloud()
  await deploy(
    cloud,
    'run',
    `export default { async fetch(request, env) {
      const { code } = await request.json()
      return tries[code](env, request)
    } }
    const told = async (answer) => Response.json({ status: answer.status, refusal: answer.headers.get('x-kherad-refusal'), text: (await answer.text()).slice(0, 200) })
    const site = ${JSON.stringify(site.url)}
    const tries = {
      outside: async () => told(await fetch(site)),
      redirect: async () => told(await fetch(site + '/?to=http://169.254.169.254/latest')),
      twice: async () => told(await fetch(site + '/?to=' + site + '/landed')),
      own: async (env) => told(await fetch(env.SUPABASE_URL + '/auth/v1/settings', { headers: { apikey: env.SUPABASE_ANON_KEY } })),
      platform: async () => told(await fetch(${JSON.stringify(world.url)} + '/v1/models')),
      metrics: async () => told(await fetch(${JSON.stringify(world.url)} + '/metrics')),
      forged: async () => told(await fetch(site, { headers: { host: '10.0.0.1', 'x-kherad-protocol': 'https', 'x-kherad-call': '0.a', 'x-kherad-invocation': 'other', 'x-forwarded-for': '10.0.0.1' } })),
      socket: () => new Promise((resolve) => {
        const socket = new WebSocket(site.replace('http', 'ws'))
        socket.addEventListener('error', () => resolve(Response.json({ text: 'refused' })))
        socket.addEventListener('open', () => resolve(Response.json({ text: 'open' })))
      }),
      many: async () => {
        const answers = await Promise.all(Array.from({ length: 60 }, () => fetch(site).then((one) => one.headers.get('x-kherad-refusal') ?? 'passed', () => 'failed')))
        return Response.json({ passed: answers.filter((one) => one === 'passed').length })
      },
      again: async (env, request) => {
        const answer = await fetch(env.SUPABASE_URL + '/functions/v1/run', { method: 'POST', headers: { apikey: env.SUPABASE_ANON_KEY }, body: '{"code":"again"}' })
        return new Response(answer.body, { status: answer.status })
      },
    }`,
  )
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

async function run(
  code: string,
): Promise<{ status?: number; refusal?: string | null; text?: string; passed?: number }> {
  const answer = await call(cloud, 'run', { method: 'POST', body: JSON.stringify({ code }) })
  expect(answer.status).toBe(200)
  return (await answer.json()) as { status: number }
}

test('a function reaches the public internet, its own cloud and /v1, and no other route of the platform', async () => {
  expect(await run('outside')).toEqual({ status: 200, refusal: null, text: 'outside' })
  expect(await run('own')).toMatchObject({ status: 200, refusal: null })
  expect(await run('platform')).toMatchObject({ status: 401, refusal: null })
  expect(await run('metrics')).toMatchObject({ refusal: expect.stringMatching(/^FUNCTION_FETCH_/) })
})

test('a redirect that its fetch follows is checked as every request is', async () => {
  expect(await run('twice')).toEqual({ status: 200, refusal: null, text: 'outside' })
  expect(await run('redirect')).toMatchObject({ status: 403, refusal: 'FUNCTION_FETCH_REFUSED' })
})

test('a function changes neither the host, the protocol nor the depth of its requests, and forges no other call', async () => {
  site.seen.length = 0
  expect(await run('forged')).toMatchObject({ status: 200, text: 'outside' })
  expect(site.seen[0]!.headers['host']).toBe(new URL(site.url).host)
  expect(Object.keys(site.seen[0]!.headers).filter((name) => /kherad|forward/.test(name))).toEqual([])
})

test('WebSockets are refused', async () => {
  expect(await run('socket')).toEqual({ text: 'refused' })
})

test('of sixty requests at once twenty leave', async () => {
  site.seen.length = 0
  expect(await run('many')).toEqual({ passed: 20 })
  expect(site.seen).toHaveLength(20)
})

test('four calls at once of a function that calls itself for ever all end in 508, and do not wait for each other', async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => call(cloud, 'run', { method: 'POST', body: '{"code":"again"}' })),
  )
  expect(answers.map(({ status }) => status)).toEqual([508, 508, 508, 508])
  for (const answer of answers) expect(await answer.json()).toMatchObject({ code: 'FUNCTION_DEPTH' })
})
