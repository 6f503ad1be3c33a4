import { afterAll, beforeAll, expect, test } from 'vitest'
import { answering, onceTested } from '../../cloud/functions/scene.ts'
import { openSite, type Site } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'

const stack = new AsyncDisposableStack()
let site: Site
let servers: ServerProcess[]
let clients: Client[]
beforeAll(async () => {
  site = stack.use(await openSite())
  servers = await Promise.all([site.start(), site.start()])
})
afterAll(() => stack.disposeAsync())

interface Made {
  id: string
  ref: string
  publicKey: string
}

/** Of somebody new, since a project has three. */
async function newCloud(name: string): Promise<Made> {
  const person = await site.person()
  clients = servers.map((server) => site.client(server, person))
  const { id, ref } = (await clients[0]!.post('/v1/cloud', { name, plan: 'starter' })).body
  const { body } = await clients[0]!.get(`/v1/cloud/${id}/connection`)
  return { id, ref, publicKey: body.public_key }
}

const deploy = (client: Client, { id }: Made, name: string, code: string, headers = {}) =>
  onceTested(() => client.post(`/v1/cloud/${id}/functions`, { name, code, verify_jwt: false }, headers))

test('two processes at the limits: a cloud gets exactly twenty functions and twenty secrets', async () => {
  const cloud = await newCloud('limits')
  for (let nth = 0; nth < 17; nth++)
    expect((await deploy(clients[nth % 2]!, cloud, `f${nth}`, answering('x'))).status).toBe(201)
  const secret = (nth: number) =>
    clients[nth % 2]!.post(`/v1/cloud/${cloud.id}/secrets`, { name: `S${nth}`, value: 'x' })
  const [functions, secrets] = await Promise.all([
    Promise.all(
      Array.from({ length: 8 }, (_, nth) => deploy(clients[nth % 2]!, cloud, `g${nth}`, answering('x'))),
    ),
    Promise.all(Array.from({ length: 30 }, (_, nth) => secret(nth))),
  ])
  const outcomes = (replies: readonly { status: number; body: { error?: { code: string } } }[]) =>
    Object.fromEntries(
      Object.entries(
        Object.groupBy(replies, ({ status, body }) => `${status} ${body.error?.code ?? ''}`),
      ).map(([outcome, of]) => [outcome, of!.length]),
    )
  expect(outcomes(functions)).toEqual({ '201 ': 3, '403 FUNCTION_LIMIT': 5 })
  expect(outcomes(secrets)).toEqual({ '201 ': 20, '403 FUNCTION_SECRET_LIMIT': 10 })
  // At the limit, what is there is replaced as before.
  expect((await deploy(clients[1]!, cloud, 'f0', answering('y'))).body.version).toBe(2)
})

test('deployments of one function at two processes become versions one after another, and both answer the last', async () => {
  const cloud = await newCloud('versions')
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, nth) => deploy(clients[nth % 2]!, cloud, 'f', answering(`code ${nth}`))),
  )
  expect(replies.map(({ body }) => body.version).sort()).toEqual([1, 2, 3, 4, 5, 6])
  const answered = (code: string) =>
    Promise.all(
      servers.map(({ appsUrl }) =>
        until(async () => {
          const headers = { apikey: cloud.publicKey }
          const answer = await fetch(`${appsUrl}/_cloud/${cloud.ref}/functions/v1/f`, { headers })
          return (await answer.text()) === code
        }),
      ),
    )
  await answered(`code ${replies.findIndex(({ body }) => body.version === 6)}`)
  // Both know the cloud by now: the one that is not asked has to be told.
  expect((await deploy(clients[0]!, cloud, 'f', answering('the next'))).body.version).toBe(7)
  await answered('the next')
})

test('one deployment sent to two processes with one key is one version', async () => {
  const cloud = await newCloud('once')
  const replies = await Promise.all(
    clients.map((client) => deploy(client, cloud, 'f', answering('x'), { 'idempotency-key': 'once' })),
  )
  for (const { status } of replies) expect([201, 409]).toContain(status)
  const { body } = await clients[0]!.get(`/v1/cloud/${cloud.id}/functions/f`)
  expect(body.versions).toHaveLength(1)
})

test('what a function writes at one process is followed at the other', async () => {
  const cloud = await newCloud('logs')
  const writing =
    'Deno.serve((request) => { console.log(new URL(request.url).search); return new Response() })'
  expect((await deploy(clients[0]!, cloud, 'writes', writing)).status).toBe(201)
  const leaving = new AbortController()
  const path = `/v1/cloud/${cloud.id}/functions/writes/logs`
  const accept = { accept: 'text/event-stream' }
  const stream = await clients[1]!.raw('GET', path, undefined, accept, leaving.signal)
  const headers = { apikey: cloud.publicKey }
  const { appsUrl } = servers[0]!
  for (let nth = 0; nth < 3; nth++)
    await fetch(`${appsUrl}/_cloud/${cloud.ref}/functions/v1/writes?${nth}`, { headers })
  let text = ''
  for await (const chunk of stream.body!) {
    text += Buffer.from(chunk).toString()
    if (text.includes('"?2"')) break
  }
  leaving.abort()
  expect(text.match(/"\?\d"/g)).toEqual(['"?0"', '"?1"', '"?2"'])
})
