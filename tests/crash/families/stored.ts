/** What is delivered, stored or served without a charge: it is there as a whole, or never was. */
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import path from 'node:path'
import { expect } from 'vitest'
import { writeEvent } from '#platform/events'
import { path as webhooks } from '../../account/webhooks-world.ts'
import { answering, onceTested } from '../../cloud/functions/scene.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { formOf } from '../../harness/form.ts'
import { until } from '../../harness/until.ts'
import { settled, siteBody } from '../../sites/published.ts'
import { visit } from '../../sites/visitor.ts'
import { breaksOff, filesOf, reservationsOf } from '../lost.ts'
import { type Ended, type Family, once, type Place } from './scene.ts'

const free: Ended = { charged: 0n, lost: 0n }

/** Something happens of which a target at this address is notified. */
async function notify(at: Place, name: string): Promise<void> {
  const { account: accountId, project: projectId } = at.person
  const target = { url: at.scene.receiver.url(name), events: ['agent.lead'] }
  const made = await at.client.post(webhooks, target)
  expect(made.status, made.text).toBe(201)
  const event = { accountId, projectId, type: 'agent.lead', data: { n: 1 } } as const
  await at.site.db.tx((tx) => writeEvent(tx, event, new Date()))
}

const deliveriesOf = async ({ client }: Place) => (await client.get(`${webhooks}/deliveries`)).body.data

/** Attempted twice, with one id. */
function expectTwice(at: Place, name: string): void {
  const ids = at.scene.receiver.got(name).map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([ids[0], ids[0]])
}

const delivery: Family = {
  name: 'a webhook whose receiver does not answer',
  async begin(at) {
    const { receiver } = at.scene
    receiver.answer('silent', (response) => at.scene.isKilled && response.writeHead(204).end())
    await notify(at, 'silent')
    await until(() => receiver.got('silent').length === 1)
    return {
      async ends() {
        await until(async () => (await deliveriesOf(at))[0].status === 'delivered')
        // Of an attempt that died with its process nobody knows.
        expect(await deliveriesOf(at)).toMatchObject([{ attempts: 1 }])
        expectTwice(at, 'silent')
        return free
      },
    }
  },
}

const retry: Family = {
  name: 'a webhook that waits for its second attempt',
  async begin(at) {
    const { receiver } = at.scene
    receiver.answer('refusing', (response, nth) => response.writeHead(nth === 1 ? 500 : 204).end())
    await notify(at, 'refusing')
    const dueIn = (interval: string) =>
      at.query(
        `update webhooks.deliveries set due_at = now() + $2::interval
          where account_id = $1 and state = 'pending' and attempts = 1 returning 1`,
        [at.person.account, interval],
      )
    // Of its five seconds an hour is made, which is over when the next server has come.
    await until(async () => (await dueIn('1 hour')).length === 1)
    return {
      async ends() {
        expect(await deliveriesOf(at)).toMatchObject([{ status: 'pending', http_status: 500, attempts: 1 }])
        await dueIn('0')
        await at.query(`select pg_notify('webhooks', '')`)
        await until(async () => (await deliveriesOf(at))[0].status === 'delivered')
        expect(await deliveriesOf(at)).toMatchObject([{ attempts: 2 }])
        expectTwice(at, 'refusing')
        return free
      },
    }
  },
}

const csv = Buffer.from(`city,people\n${'تهران,9\n'.repeat(10_000)}`)

/** The file is uploaded under the key of the upload that died, and then no more: the project has it once. */
async function expectStoredOnce(
  at: Place,
  send: () => ReturnType<Place['client']['request']>,
): Promise<Ended> {
  expect(await filesOf(at.site, at.person)).toEqual([])
  await until(async () => (await reservationsOf(at.site, at.person)).length === 0)
  const made = await send()
  expect(made.status, made.text).toBe(201)
  const repeat = await send()
  expect([repeat.body.id, repeat.headers.get('idempotent-replayed')]).toEqual([made.body.id, 'true'])
  expect(await filesOf(at.site, at.person)).toHaveLength(1)
  return free
}

const upload: Family = {
  name: 'an upload of which half has arrived',
  async begin(at) {
    const form = formOf({ bytes: csv, name: 'half.csv' })
    const { url, secret } = at.client
    const headers = { ...form.headers, ...once, authorization: `Bearer ${secret}` }
    const sending = request(`${url}/v1/files`, {
      ...{ method: 'POST', headers: { ...headers, 'content-length': form.body.length } },
    })
    // Its server is killed.
    sending.on('error', () => undefined)
    sending.write(form.body.subarray(0, csv.length / 2))
    const spool = path.join(at.site.dataDir, 'spool')
    const spooled = await until(async () => {
      const found = await readdir(spool, { recursive: true, withFileTypes: true }).catch(() => [])
      const files = found.filter((entry) => entry.isFile())
      const bytes = files.map(({ parentPath, name }) => readFileSync(path.join(parentPath, name)))
      return files[bytes.findIndex((one) => one.length > 0 && csv.indexOf(one) === 0)]
    })
    return {
      async ends() {
        // Of the dead process nothing is left from the start of the next.
        expect(existsSync(spooled.parentPath)).toBe(false)
        return expectStoredOnce(at, () =>
          at.client.request('POST', '/v1/files', form.body, { ...form.headers, ...once }),
        )
      },
    }
  },
}

const storedFile: Family = {
  name: 'a file whose bytes are stored and whose row is not',
  async begin(at) {
    const body = { data: csv.toString('base64'), name: 'whole.csv' }
    const send = () => at.client.post('/v1/files', body, once)
    at.scene.keep(await at.site.lock(at.person))
    const broken = send().catch(() => undefined)
    await at.site.waitsFor('ledger.record')
    return {
      async ends() {
        expect(await broken).toBeUndefined()
        // They are deleted when they are due.
        const pending = `select from storage.pending_blobs where key like '%' || $1 || '%'`
        expect(await at.query(pending, [at.person.account])).toHaveLength(1)
        return expectStoredOnce(at, send)
      },
    }
  },
}

const publication: Family = {
  name: 'a publication that was accepted',
  async begin(at) {
    const body = siteBody('of-a-killed-server')
    await at.lock('lock table sites.blobs in share mode')
    const made = await at.client.post('/v1/sites', body, once)
    expect(made.status, made.text).toBe(202)
    await at.site.waitsFor('unused_since')
    return {
      async ends() {
        const { id } = made.body
        const site = await settled(at.client, id)
        expect(site).toMatchObject({ status: 'ready', live: { version: 1 }, versions: [{ version: 1 }] })
        expect((await visit(site.url, '/')).text).toContain('of-a-killed-server')
        const repeat = await at.client.post('/v1/sites', body, once)
        expect([repeat.body.id, repeat.headers.get('idempotent-replayed')]).toEqual([id, 'true'])
        expect((await at.client.get('/v1/sites')).body.data).toHaveLength(1)
        return free
      },
    }
  },
}

async function newCloud(at: Place, name: string): Promise<{ id: string; ref: string }> {
  const made = await at.client.post('/v1/cloud', { name, plan: 'starter' }, once)
  expect(made.status, made.text).toBe(201)
  return made.body
}

const cloudDeletion: Family = {
  name: 'a cloud that is being deleted',
  async begin(at) {
    const { id, ref } = await newCloud(at, 'gone')
    await at.lock(`select from clouds.refs where ref = '${ref}' for update`)
    const remove = () => at.client.request('DELETE', `/v1/cloud/${id}`, JSON.stringify({ confirm: 'gone' }))
    expect((await remove()).body.status).toBe('deleting')
    await at.site.waitsFor('delete from clouds.refs')
    return {
      async ends() {
        await until(async () => (await at.client.get(`/v1/cloud/${id}`)).status === 404)
        expect(await at.query('select from clouds.refs where ref = $1', [ref])).toEqual([])
        expect((await remove()).status).toBe(404)
        return free
      },
    }
  },
}

const appFile: Family = {
  name: 'a private file of an app whose bytes are stored and whose row is not',
  async begin(at) {
    const { id, ref } = await newCloud(at, 'app')
    const { public_key: apikey } = (await at.client.get(`/v1/cloud/${id}/connection`)).body
    const headers = { apikey, 'content-type': 'application/json' }
    const post = (to: string, body: object, more = {}) =>
      fetch(`${at.scene.server.appsUrl}/_cloud/${ref}${to}`, {
        ...{ method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) },
      })
    const password = 'گذرواژهٔ بلند ۱۲۳'
    const signedUp = await post('/auth/v1/signup', { email: 'a@example.com', password })
    const { access_token: token } = (await signedUp.json()) as { access_token: string }
    const store = () =>
      post(
        '/files',
        { name: 'a', content_base64: csv.toString('base64') },
        { authorization: `Bearer ${token}` },
      )
    expect((await store()).status).toBe(201)
    await at.lock(`select from app_files.counts where cloud_id = '${id}' for update`)
    const broken = store().catch(() => undefined)
    const pending = () => at.query('select from storage.pending_blobs where key like $1', [`%/${id}/%`])
    await until(async () => (await pending()).length === 1)
    await at.site.waitsFor('app_files.counts')
    const count = async () => {
      const text = `select (select count(*) from app_files.files where cloud_id = $1)::int as rows,
        (select files from app_files.counts where cloud_id = $1)::int as counted`
      return (await at.query(text, [id]))[0]
    }
    return {
      async ends() {
        expect(await broken).toBeUndefined()
        expect(await count()).toEqual({ rows: 1, counted: 1 })
        // They are deleted when they are due.
        expect(await pending()).toHaveLength(1)
        // The session outlives the server too.
        expect((await store()).status).toBe(201)
        expect(await count()).toEqual({ rows: 2, counted: 2 })
        return free
      },
    }
  },
}

const deployment: Family = {
  name: 'a new version of a function that is compiled, tried and not stored',
  unavailable: async () => ((await hasJail()) ? undefined : 'no jail for functions can be built here'),
  async begin(at) {
    const { id } = await newCloud(at, 'functions')
    const functions = `/v1/cloud/${id}/functions`
    const deploy = (version: number) =>
      at.client.post(
        functions,
        { name: 'f', code: answering(`version ${version}`), verify_jwt: false },
        { 'idempotency-key': `version ${version}` },
      )
    const first = await onceTested(() => deploy(1))
    expect(first.status, first.text).toBe(201)
    await at.lock('lock table functions.versions in share mode')
    const broken = breaksOff(deploy(2))
    await at.site.waitsFor('insert into "functions"."versions"')
    const versions = async () =>
      (await at.client.get(`${functions}/f`)).body.versions.map((one: { version: number }) => one.version)
    return {
      async ends() {
        await broken
        expect(await versions()).toEqual([1])
        const made = await onceTested(() => deploy(2))
        expect([made.status, made.body.version], made.text).toEqual([201, 2])
        const repeat = await deploy(2)
        expect([repeat.body.version, repeat.headers.get('idempotent-replayed')]).toEqual([2, 'true'])
        expect(await versions()).toEqual([2, 1])
        return free
      },
    }
  },
}

export const storedFamilies: Family[] = [upload, storedFile, publication, cloudDeletion, appFile, deployment]
export const deliveryFamilies: Family[] = [retry, delivery]
