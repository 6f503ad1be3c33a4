/** App back-ends. */
import { askCollections } from './ask-collections.ts'
import type { Recorder } from './recorder.ts'
import type { Site } from './site.ts'

const path = '/v1/cloud'
const keyed = (key: string) => ({ 'idempotency-key': key })

export async function askClouds(recorder: Recorder, site: Site): Promise<void> {
  const json = { name: 'فروشگاه', plan: 'starter' }
  const { id, ref } = await recorder.ask('clouds: create', 'POST', path, { json, headers: keyed('cloud-1') })
  await recorder.ask('clouds: create again', 'POST', path, { json, headers: keyed('cloud-1') })
  await recorder.ask('clouds: dedicated', 'POST', path, { json: { ...json, plan: 'dedicated' } })
  await recorder.ask('clouds: list', 'GET', `${path}?limit=1`)
  await askOne(recorder, `${path}/${id}`)
  await askAppUsers(recorder, site, id)
  await askCollections(recorder, `${path}/${id}`)
  await site.cli('cloud', 'suspend', ref, '--reason', 'reported')
  await recorder.ask('clouds: connection of one that is suspended', 'GET', `${path}/${id}/connection`)
  await site.cli('cloud', 'resume', ref)
  await recorder.ask('clouds: export', 'GET', `${path}/${id}/export`)
  await askImport(recorder)
  await askProvisioning(recorder, site, `${path}/${id}`)
  await askMove(recorder, site, `${path}/${id}`)
  await askSql(recorder, `${path}/${id}`)
  await askBackups(recorder, `${path}/${id}`, json.name)
  await recorder.ask('clouds: delete with another name', 'DELETE', `${path}/${id}`, {
    json: { confirm: 'x' },
  })
  await recorder.ask('clouds: delete', 'DELETE', `${path}/${id}`, { json: { confirm: json.name } })
  await recorder.until(`${path}/${id}`, ({ error }) => error?.code === 'CLOUD_NOT_FOUND')
  await recorder.ask('clouds: read what was deleted', 'GET', `${path}/${id}`)
}

/** It becomes dedicated by the only package of its account. */
async function askMove(recorder: Recorder, site: Site, at: string): Promise<void> {
  const { rows } = await site.db.query('select account_id from clouds.clouds where cloud_id = $1', [
    at.split('/').at(-1),
  ])
  await site.cli('cloud', 'package', 'give', rows[0].account_id, 'small', '--until', '30d')
  // The test of the jail, without which there is no database, may take longer on a busy machine than a request waits for it.
  const options = { json: {}, waitsWhile: 'DATABASES_UNAVAILABLE' }
  await recorder.ask('clouds: move to a database', 'POST', `${at}/move`, options)
  await recorder.until(at, ({ plan }) => plan === 'dedicated')
  await recorder.ask('clouds: move what has a database', 'POST', `${at}/move`, { json: {} })
}

async function askSql(recorder: Recorder, at: string): Promise<void> {
  const send = (name: string, json: object) => recorder.ask(name, 'POST', `${at}/database`, { json })
  const writing = { read_only: false, confirm_write: true }
  await send('SQL: write', {
    query: "create table songs (title text); insert into songs values ('مرغ سحر')",
    ...writing,
  })
  await send('SQL: read', { query: 'select title from songs' })
  await send('SQL: write without confirmation', { query: 'delete from songs', read_only: false })
  await send('SQL: a mistake', { query: 'select title frm songs' })
  await send('SQL: a collection', { action: 'create_collection', name: 'songs' })
  await recorder.ask('SQL: tables', 'GET', `${at}/database`)
  await recorder.ask('clouds: a bucket of a dedicated one', 'POST', `${at}/storage`, {
    json: { name: 'pictures' },
  })
}

async function askBackups(recorder: Recorder, cloud: string, name: string): Promise<void> {
  const at = `${cloud}/backups`
  const { id } = await recorder.ask('backups: ask for one', 'POST', at, { json: {} })
  await recorder.until(`${at}/${id}`, ({ status }) => status === 'ready')
  await recorder.ask('backups: list', 'GET', `${at}?limit=1`)
  await recorder.ask('backups: read', 'GET', `${at}/${id}`)
  await recorder.ask('backups: restore with another name', 'POST', `${at}/${id}/restore`, {
    json: { confirm: 'x' },
  })
  await recorder.ask('backups: restore', 'POST', `${at}/${id}/restore`, { json: { confirm: name } })
  await recorder.until(at, ({ restore }) => restore?.status === 'done')
  await recorder.ask('backups: delete', 'DELETE', `${at}/${id}`)
  await recorder.ask('backups: read what was deleted', 'GET', `${at}/${id}`)
}

async function askOne(recorder: Recorder, at: string): Promise<void> {
  await recorder.ask('clouds: read', 'GET', at)
  await recorder.ask('clouds: connection', 'GET', `${at}/connection`)
  const key = await recorder.ask('clouds: a service key', 'POST', `${at}/keys`, { json: { kind: 'service' } })
  await recorder.ask('clouds: keys', 'GET', `${at}/keys`)
  await recorder.ask('clouds: end a key', 'DELETE', `${at}/keys/${key.id}`)
  await recorder.ask('clouds: files of users', 'GET', `${at}/storage?limit=1`)
  await recorder.ask('clouds: a bucket', 'POST', `${at}/storage`, { json: { name: 'pictures' } })
  await recorder.ask('clouds: retry one that is ready', 'POST', `${at}/retry`)
  await askFunctions(recorder, at)
}

async function askFunctions(recorder: Recorder, cloud: string): Promise<void> {
  const at = `${cloud}/functions`
  const json = { name: 'hello', code: 'Deno.serve(() => new Response("سلام"))', verify_jwt: false }
  await recorder.ask('functions: deploy', 'POST', at, { json, headers: keyed('function-1') })
  await recorder.ask('functions: deploy again', 'POST', at, { json, headers: keyed('function-1') })
  const wrong = { ...json, code: 'import x from "lodash"' }
  await recorder.ask('functions: deploy with another package', 'POST', at, { json: wrong })
  await recorder.ask('functions: replace', 'POST', at, { json: { ...json, verify_jwt: true } })
  await recorder.ask('functions: list', 'GET', at)
  await recorder.ask('functions: read', 'GET', `${at}/hello`)
  await recorder.ask('functions: logs', 'GET', `${at}/hello/logs?limit=1`)
  await recorder.ask('functions: go back', 'POST', `${at}/hello/rollback`, { json: { version: 1 } })
  await recorder.ask('functions: delete', 'DELETE', `${at}/hello`)
  const secret = { name: 'PAYMENT_KEY', value: 'a-secret-of-yours' }
  await recorder.ask('secrets: set', 'POST', `${cloud}/secrets`, { json: secret })
  await recorder.ask('secrets: replace', 'POST', `${cloud}/secrets`, { json: secret })
  await recorder.ask('secrets: list', 'GET', `${cloud}/secrets`)
  await recorder.ask('secrets: delete', 'DELETE', `${cloud}/secrets/PAYMENT_KEY`)
}

/** Only an empty one takes an export. */
async function askImport(recorder: Recorder): Promise<void> {
  const { id } = await recorder.ask('clouds: create an empty one', 'POST', path, {
    json: { name: 'x', plan: 'starter' },
  })
  const at = `${path}/${id}`
  const head = { type: 'cloud', version: 1, name: 'x', exported_at: '2026-01-01T00:00:00Z' }
  const sent = (text: string) => {
    const form = new FormData()
    form.set('export', new Blob([text]), 'export.jsonl')
    return { raw: { type: 'multipart/form-data', body: form } }
  }
  const text = `${JSON.stringify(head)}\n{"type":"end","lines":2}\n`
  await recorder.ask('clouds: import', 'POST', `${at}/import`, sent(text))
  await recorder.ask('clouds: import what is no export', 'POST', `${at}/import`, sent('hello'))
}

async function askProvisioning(recorder: Recorder, { db }: Site, at: string): Promise<void> {
  const id = at.slice(path.length + 1)
  await db.query(`update clouds.clouds set state = 'failed', error_code = 'given_up' where cloud_id = $1`, [
    id,
  ])
  await recorder.ask('clouds: read one that failed', 'GET', at)
  await recorder.ask('clouds: retry', 'POST', `${at}/retry`)
  await recorder.until(at, ({ status }) => status === 'ready')
}

/** Users come to be at the cloud's own address, where nothing is recorded: this one is written down. */
async function askAppUsers(recorder: Recorder, { db }: Site, cloudId: string): Promise<void> {
  const at = `${path}/${cloudId}`
  const user = '01890000-0000-4000-8000-00000000000a'
  const one = `${at}/users/${user}`
  await db.query(
    `insert into app_users.users (account_id, cloud_id, user_id, email, created_at, updated_at)
      select account_id, cloud_id, '${user}', 'mina@example.com', now(), now() from clouds.clouds where cloud_id = $1`,
    [cloudId],
  )
  await db.query(
    `insert into app_users.counts (account_id, cloud_id, users)
      select account_id, cloud_id, 1 from clouds.clouds where cloud_id = $1
      on conflict (account_id, cloud_id) do update set users = app_users.counts.users + 1`,
    [cloudId],
  )
  await recorder.ask('app users: settings', 'GET', `${at}/auth`)
  const made = await recorder.ask('app users: a link', 'POST', `${one}/links`, { json: { type: 'signup' } })
  const page = new URL(made.url).pathname
  await recorder.ask('app users: the page of a link', 'GET', page)
  await recorder.ask('app users: follow a link', 'POST', page, {
    raw: { type: 'multipart/form-data', body: new FormData() },
  })
  await recorder.ask('app users: follow a link again', 'POST', page, {
    raw: { type: 'multipart/form-data', body: new FormData() },
  })
  await recorder.ask('app users: change settings', 'PATCH', `${at}/auth`, {
    json: { site_url: 'https://app.example.com', additional_redirect_urls: ['http://localhost:5173/'] },
  })
  await recorder.ask('app users: settings without an address', 'PATCH', `${at}/auth`, {
    json: { site_url: 'app' },
  })
  await recorder.ask('app users: a link that leads elsewhere', 'POST', `${one}/links`, {
    json: { type: 'recovery', redirect_to: 'https://other.example.com' },
  })
  await recorder.ask('app users: list', 'GET', `${at}/users?limit=1`)
  await recorder.ask('app users: list by what is no address', 'GET', `${at}/users?email=x`)
  await recorder.ask('app users: read', 'GET', one)
  await recorder.ask('app users: block', 'POST', `${one}/block`)
  await recorder.ask('app users: unblock', 'POST', `${one}/unblock`)
  await recorder.ask('app users: delete', 'DELETE', one)
  await recorder.ask('app users: read what was deleted', 'GET', one)
}
