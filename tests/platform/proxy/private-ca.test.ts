/** Webhook receivers and vendors whose certificates are signed by a private authority. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { privateAuthority } from '../../harness/certificate.ts'
import { tlsFront } from '../../harness/proxy.ts'
import { until } from '../../harness/until.ts'
import { fakeUpstream } from '../../harness/upstream.ts'
import { boot } from '../../harness/world.ts'
import { openSite } from '../net/sites.ts'

const authority = privateAuthority()

async function caFile() {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-ca-'))
  const file = path.join(folder, 'ca.pem')
  await writeFile(file, `Our own authority\n${authority.cert}`)
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

test.each([
  ['for all', (file: string) => ({ all: `tls: { ca_file: "${file}" }`, own: '' })],
  ['of the provider alone', (file: string) => ({ all: '', own: `, tls: { ca_file: "${file}" }` })],
])('a vendor with a certificate of a private authority answers by the setting %s', async (_name, said) => {
  await using ca = await caFile()
  await using upstream = await fakeUpstream()
  await using front = await tlsFront(authority.issue('localhost'), Number(new URL(upstream.url).port))
  const { all, own } = said(ca.file)
  const entry = (id: string, more: string) =>
    `  - { id: ${id}, base_url: "https://localhost:${front.port}/v1"${more} }`
  const model = (
    id: string,
  ) => `  - { id: test/${id}, deployments: [{ provider: ${id}, model: upstream-model }],
      context_length: 1000, max_output_tokens: 100, pricing: { input_per_million: 1, output_per_million: 1 } }`
  await using world = await boot({
    config: `${all}\nproviders:\n${entry('trusted', own)}\n${entry('plain', '')}\nmodels:\n${model('trusted')}\n${model('plain')}\n`,
  })
  const key = await world.key()
  const reply = await key.chat({ model: 'test/trusted', max_tokens: 10 })
  expect(reply.status, reply.text).toBe(200)
  // Another provider trusts it only where the setting is for all.
  const plain = await key.chat({ model: 'test/plain', max_tokens: 10 })
  expect(plain.status).toBe(all === '' ? 502 : 200)
})

test('a receiver of webhooks with a certificate of a private authority gets its deliveries by tls.ca_file', async () => {
  await using ca = await caFile()
  await using receiver = await openSite((_, response) => response.end('ok'), authority.issue('localhost'))
  const net = 'net: { allow_cidrs: [127.0.0.0/8, "::1/128"] }'
  await using world = await boot({ config: `${net}\ntls: { ca_file: "${ca.file}" }\n` })
  const key = await world.key()
  const url = `https://localhost:${receiver.port}/hook`
  const made = await key.post('/v1/webhooks', { url, events: ['agent.lead'] })
  expect(made.status, made.text).toBe(201)
  const tested = await key.post(`/v1/webhooks/${made.body.id}/test`, {})
  expect(tested.status, tested.text).toBeLessThan(300)
  await until(() => receiver.seen.length > 0)
  expect(receiver.seen[0]).toMatchObject({ method: 'POST', url: '/hook' })
})
