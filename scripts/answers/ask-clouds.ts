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
  await askCollections(recorder, `${path}/${id}`)
  await site.cli('cloud', 'suspend', ref, '--reason', 'reported')
  await recorder.ask('clouds: connection of one that is suspended', 'GET', `${path}/${id}/connection`)
  await site.cli('cloud', 'resume', ref)
  await askProvisioning(recorder, site, `${path}/${id}`)
  await recorder.ask('clouds: delete with another name', 'DELETE', `${path}/${id}`, {
    json: { confirm: 'x' },
  })
  await recorder.ask('clouds: delete', 'DELETE', `${path}/${id}`, { json: { confirm: json.name } })
  await recorder.until(`${path}/${id}`, ({ error }) => error?.code === 'CLOUD_NOT_FOUND')
  await recorder.ask('clouds: read what was deleted', 'GET', `${path}/${id}`)
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
