/** A process that dies while a private file is stored leaves neither a row nor a count nor, before long, a byte. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deletePendingBlobs, openStorage } from '#platform/storage'
import { until } from '../harness/until.ts'
import { openSite, type Site } from './site.ts'

const stack = new AsyncDisposableStack()
let site: Site
beforeAll(async () => {
  site = stack.use(await openSite())
})
afterAll(() => stack.disposeAsync())

const count = async (text: string): Promise<number> =>
  Number((await site.db.query<{ n: bigint }>({ text }, []))[0]!.n)
const pending = () => count(`select count(*) as n from storage.pending_blobs where key like 'app-files/%'`)

/** Files of the store below the folder of private files. */
async function stored(folder: string): Promise<number> {
  const found = await readdir(path.join(folder, 'app-files'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  )
  return found.filter((one) => one.isFile()).length
}

test('killed after its bytes are stored and before its row is, a file was never there', async () => {
  const folder = path.join(site.dataDir, 'files')
  await using server = await site.start()
  const client = site.client(server, await site.person())
  const made = await client.post('/v1/cloud', { name: 'test', plan: 'starter' })
  expect(made.status, made.text).toBe(201)
  const { body } = await client.get(`/v1/cloud/${made.body.id}/connection`)
  const url = `${server.appsUrl}/_cloud/${made.body.ref}`
  const headers = { apikey: body.public_key, 'content-type': 'application/json' }
  const signedUp = await fetch(`${url}/auth/v1/signup`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ email: 'a@example.com', password: 'گذرواژهٔ بلند ۱۲۳' }),
  })
  const { access_token: token } = (await signedUp.json()) as { access_token: string }
  const store = () =>
    fetch(`${url}/files`, {
      ...{ method: 'POST', headers: { ...headers, authorization: `Bearer ${token}` } },
      body: JSON.stringify({ name: 'a', content_base64: Buffer.alloc(10_000, 7).toString('base64') }),
    })
  expect((await store()).status).toBe(201)
  let lost: Promise<unknown>
  {
    await using _counts = await site.holding('select from app_files.counts for update')
    lost = store().catch(() => undefined)
    await until(async () => (await pending()) === 1 && (await stored(folder)) === 2)
    await server.kill()
  }
  await lost
  await until(async () => (await count(`select count(*) as n from app_files.files`)) === 1)
  expect(await count('select files as n from app_files.counts')).toBe(1)
  expect(await pending()).toBe(1)
  await using storage = openStorage({ folder })
  const inTwoHours = { nowMs: () => Date.now() + 2 * 60 * 60 * 1_000 }
  // Until the database has ended what its dead client had begun, the key is locked.
  await until(async () => (await deletePendingBlobs({ db: site.db, clock: inTwoHours, storage })) > 0)
  expect([await pending(), await stored(folder)]).toEqual([0, 1])
})
