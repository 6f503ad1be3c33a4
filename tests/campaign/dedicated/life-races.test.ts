/** Two processes at the same packages and moves: each is used and done once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givePackage } from '#cloud/clouds'
import { sentAgain } from '../../cloud/dedicated/dedicated-world.ts'
import { packagesText } from '../../cloud/dedicated/packages-text.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { createDedicated } from '../../harness/world.ts'

const canRun = await hasJail()
const stack = new AsyncDisposableStack()
let site: Site
let servers: ServerProcess[]

beforeAll(async () => {
  if (!canRun) return
  site = stack.use(await openSite({ settings: packagesText }))
  servers = await Promise.all([site.start(), site.start()])
})
afterAll(() => stack.disposeAsync())

const clock = { nowMs: () => Date.now() }
const give = ({ account: accountId }: Person) =>
  givePackage(
    { db: site.db, clock: clock as never },
    { accountId, packageId: undefined, offer: 'small', paidUntil: null },
  )

const clientsOf = (person: Person) => servers.map((server) => site.client(server, person)) as [Client, Client]
const codes = (replies: readonly { status: number; body: { error?: { code: string } } }[]) =>
  new Set(replies.map(({ status, body }) => `${status} ${body.error?.code}`))

test.runIf(canRun)('creations at two processes over one free package make one cloud', async () => {
  const person = await site.person()
  await give(person)
  const clients = clientsOf(person)
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, nth) => createDedicated(clients[nth % 2]!, `cloud ${nth}`)),
  )
  expect(replies.filter(({ status }) => status === 202)).toHaveLength(1)
  expect(codes(replies.filter(({ status }) => status !== 202))).toEqual(new Set(['402 PACKAGE_USED_UP']))
  expect((await clients[0].get('/v1/cloud')).body.data).toHaveLength(1)
})

test.runIf(canRun)(
  'rows and users that were accepted at two processes while their cloud moves are all there afterwards',
  async () => {
    const person = await site.person()
    const clients = clientsOf(person)
    const { id, ref } = (await clients[0].post('/v1/cloud', { name: 'moving', plan: 'starter' })).body
    const database = `/v1/cloud/${id}/database`
    await clients[0].post(database, { action: 'create_collection', name: 'todos' })
    const { public_key: publicKey } = (await clients[0].get(`/v1/cloud/${id}/connection`)).body
    await give(person)
    let moving = true
    const accepted: string[] = []
    const refused = new Set<string>()
    const insert = async (client: Client, nth: number) => {
      for (let turn = 0; moving && accepted.length < 300; turn++) {
        const data = { text: `${nth}-${turn}` }
        const { status, body } = await client.post(database, { action: 'insert', table: 'todos', data })
        if (status === 200) accepted.push(data.text)
        else refused.add(`${status} ${body.error.code}`)
      }
    }
    const signedUp: string[] = []
    const signUp = async ({ appsUrl }: ServerProcess, nth: number) => {
      for (let turn = 0; moving && signedUp.length < 15; turn++) {
        const email = `user${nth}-${turn}@example.com`
        const reply = await fetch(`${appsUrl}/_cloud/${ref}/auth/v1/signup`, {
          method: 'POST',
          headers: { apikey: publicKey, 'content-type': 'application/json' },
          body: JSON.stringify({ email, password: 'correct horse' }),
        })
        if (reply.status === 200) signedUp.push(email)
        else expect([503, 429], await reply.text()).toContain(reply.status)
      }
    }
    const work = [...clients.map(insert), ...servers.map(signUp)]
    await until(() => Promise.resolve(accepted.length > 5 && signedUp.length > 0))
    // A busy machine may refuse for some seconds, and a move that failed is asked for again.
    const move = (client: Client) =>
      until(async () => (await client.post(`/v1/cloud/${id}/move`, {})).status !== 503)
    await Promise.all([...clients, ...clients].map(move))
    await until(async () => {
      const cloud = (await clients[1].get(`/v1/cloud/${id}`)).body
      if (cloud.move === 'failed') await move(clients[0])
      return cloud.plan === 'dedicated'
    })
    moving = false
    await Promise.all(work)
    // The last two of a busy machine: nothing of them was done.
    const expected = ['503 CLOUD_MOVING', '400 PLAN_MISMATCH', '429 ROWS_BUSY', '400 ROWS_TIMEOUT']
    for (const one of refused) expect(expected).toContain(one)
    const query = async (text: string) => {
      const { body } = await sentAgain(() => clients[1].post(database, { query: text }))
      return (body.rows as string[][]).map(([text]) => text!)
    }
    const texts = await query('select text from todos')
    expect(texts.sort()).toEqual(accepted.sort())
    const emails = await query('select email from auth.users')
    for (const email of signedUp) expect(emails).toContain(email)
  },
)
