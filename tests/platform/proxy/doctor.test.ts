/** What `kherad doctor` reports about proxies and private authorities. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { kherad } from '../../cli/command-line.ts'
import { freePort } from '../../harness/free-port.ts'
import { cloneDatabase } from '../../harness/postgres.ts'
import { login, openProxy, openVendor } from './proxy-world.ts'

test('the doctor tells which provider goes through which proxy, tries it, and shows no password', async () => {
  await using vendor = await openVendor()
  await using database = await cloneDatabase()
  await using good = await openProxy('socks5', { login, routes: vendor.routes })
  await using strict = await openProxy('http', { login, routes: vendor.routes })
  const awayPort = await freePort()
  const file = path.join(path.dirname(vendor.caFile), 'kherad.config.yaml')
  const entry = (id: string, more: string) => `  - { id: ${id}, base_url: "${vendor.url}"${more} }`
  await writeFile(
    file,
    `tls: { ca_file: ca.pem }
providers:
${entry('inside', '')}
${entry('strict', `, proxy: "http://kherad:wrong-password@127.0.0.1:${strict.port}"`)}
${entry('away', `, proxy: "http://127.0.0.1:${awayPort}"`)}
`,
  )
  const env = {
    KHERAD_PORT: '0',
    KHERAD_LOCALE: 'en',
    KHERAD_CONFIG: file,
    KHERAD_DATA: path.join(path.dirname(file), 'data'),
    DATABASE_URL: database.url,
    HTTPS_PROXY: good.url,
  }
  const ran = await kherad(env, 'doctor', '--json')
  const said = Object.fromEntries(
    ran.json.checks.map(({ name, state, message }: Record<string, string>) => [name, `${state}: ${message}`]),
  )
  const through = `socks5://kherad:***@127.0.0.1:${good.port}`
  expect(said['provider inside']).toMatch(
    /^ok: Answered through socks5:\/\/kherad:\*\*\*@127\.0\.0\.1:\d+ within \d+ ms/,
  )
  expect(said[`proxy ${through}`]).toBe('ok: Is there; through it: inside')
  expect(said['provider strict']).toMatch(
    /^broken: .*http:\/\/kherad:\*\*\*@127.* refused its user or password \(HTTP 407\)/,
  )
  expect(said['provider away']).toMatch(/^broken: .*cannot be reached \(ECONNREFUSED\)/)
  expect(said[`proxy http://127.0.0.1:${awayPort}`]).toMatch(/^broken: .*cannot be reached \(ECONNREFUSED\)/)
  expect(said[`certificates ${vendor.caFile}`]).toBe('ok: 1 certificate; the first ends on 2049-12-31.')
  expect(ran.out + ran.err).not.toContain('wrong-password')
  for (const spelling of [login.password, encodeURIComponent(login.password)])
    expect(ran.out + ran.err).not.toContain(spelling)
})
