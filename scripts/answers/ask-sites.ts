/** Websites that are published. */
import type { Recorder } from './recorder.ts'
import type { Site } from './site.ts'

const path = '/v1/sites'
const keyed = (key: string) => ({ 'idempotency-key': key })
const file = (name: string, text: string) => ({
  path: name,
  content: Buffer.from(text).toString('base64'),
  encoding: 'base64',
})
const cloud = '01890000-0000-7000-8000-00000000000c'

export async function askSites(recorder: Recorder, site: Site): Promise<void> {
  const files = [file('index.html', '<h1>سلام</h1>'), file('style.css', 'h1 { color: teal }')]
  const json = { name: 'کافهٔ ما', slug: 'recorded-cafe', confirm_public: true, files }
  const { id } = await recorder.ask('sites: publish', 'POST', path, { json, headers: keyed('site-1') })
  const ready = (version: number) => recorder.until(`${path}/${id}`, (body) => body.live?.version === version)
  await ready(1)
  await recorder.ask('sites: publish again', 'POST', path, { json, headers: keyed('site-1') })
  await recorder.ask('sites: without index.html', 'POST', path, { json: { ...json, files: [files[1]] } })
  await recorder.ask('sites: without consent', 'POST', path, { json: { ...json, confirm_public: false } })
  await recorder.ask('sites: a slug that is reserved', 'POST', path, { json: { ...json, slug: 'www' } })
  await recorder.ask('sites: nothing to go back to', 'POST', `${path}/${id}/rollback`, { json: {} })
  await recorder.ask('sites: a new version', 'POST', `${path}/${id}`, {
    json: { ...json, files: [files[0]] },
  })
  await ready(2)
  await recorder.ask('sites: list', 'GET', `${path}?limit=1`)
  await recorder.ask('sites: read', 'GET', `${path}/${id}`)
  await recorder.ask('sites: files', 'GET', `${path}/${id}/files?version=1`)
  await recorder.ask('sites: go back', 'POST', `${path}/${id}/rollback`)
  await askDomains(recorder, `${path}/${id}/domains`)
  await site.cli('site', 'takedown', 'recorded-cafe', '--reason', 'reported')
  await recorder.ask('sites: publish to one that was taken down', 'POST', `${path}/${id}`, { json })
  await site.cli('site', 'restore', 'recorded-cafe')
  await recorder.ask('sites: delete with another name', 'DELETE', `${path}/${id}`, { json: { confirm: 'x' } })
  await site.db.query('update sites.sites set cloud_id = $1 where site_id = $2', [cloud, id])
  await recorder.ask('sites: read one of a cloud', 'GET', `/v1/cloud/${cloud}/sites/${id}`)
  await recorder.ask('sites: delete one of a cloud as if it were none', 'DELETE', `${path}/${id}`, {
    json: { confirm: json.name },
  })
  await recorder.ask('sites: delete one of a cloud', 'DELETE', `/v1/cloud/${cloud}/sites/${id}`, {
    json: { confirm: json.name },
  })
  const other = await recorder.ask('sites: publish another', 'POST', path, {
    json: { ...json, slug: 'recorded-other' },
  })
  await recorder.until(`${path}/${other.id}`, ({ status }) => status === 'ready')
  await recorder.ask('sites: delete', 'DELETE', `${path}/${other.id}`, { json: { confirm: json.name } })
  await recorder.ask('sites: read what was deleted', 'GET', `${path}/${other.id}`)
}

async function askDomains(recorder: Recorder, domains: string): Promise<void> {
  const json = { domain: 'shop.example-of-a-shop.com' }
  await recorder.ask('sites: claim a domain', 'POST', domains, { json, headers: keyed('domain-1') })
  await recorder.ask('sites: claim a name of this server', 'POST', domains, {
    json: { domain: 'kherad.test' },
  })
  await recorder.ask('sites: domains', 'GET', domains)
  await recorder.ask('sites: check a domain', 'POST', `${domains}/shop.example-of-a-shop.com/check`)
  await recorder.ask('sites: give a domain up', 'DELETE', `${domains}/shop.example-of-a-shop.com`)
}
