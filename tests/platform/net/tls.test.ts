import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { selfSigned } from '../../harness/certificate.ts'
import { bounds, guarded, openSite, openWire, refused } from './sites.ts'

const tls = selfSigned('files.example.test')
const ok = (_: unknown, response: { end: (text: string) => void }) => response.end('fine')
const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
const inside = guarded({ ca: tls.cert, lookup })

test('the name is proved by the certificate and told by SNI', async () => {
  let servername: unknown
  await using site = await openSite(({ socket }, response) => {
    servername = (socket as { servername?: string }).servername
    response.end('fine')
  }, tls)
  const reply = await inside.fetch(`https://files.example.test.:${site.port}/`, bounds)
  expect(reply.body.toString()).toBe('fine')
  expect(servername).toBe('files.example.test')
})

test('a certificate for another name is refused, and nothing is asked under it', async () => {
  await using site = await openSite(ok, tls)
  await expect(inside.fetch(`https://other.example.test:${site.port}/`, bounds)).rejects.toMatchObject(
    refused('tls'),
  )
  await expect(inside.fetch(site.url, bounds)).rejects.toMatchObject(refused('tls'))
  expect(site.seen).toHaveLength(0)
})

test('a certificate that nobody vouches for is refused', async () => {
  await using site = await openSite(ok, tls)
  await expect(
    guarded({ lookup }).fetch(`https://files.example.test:${site.port}/`, bounds),
  ).rejects.toMatchObject(refused('tls'))
})

test('a server that speaks no TLS is refused', async () => {
  await using site = await openSite(ok)
  await expect(inside.fetch(`https://files.example.test:${site.port}/`, bounds)).rejects.toMatchObject(
    refused('tls'),
  )
})

describe('whatever the environment says', () => {
  const script = `
    import { openGuardedClient } from '#platform/net'
    const { url, ca } = JSON.parse(process.env.TASK)
    const client = openGuardedClient({ allowedCidrs: ['127.0.0.0/8'], ...(ca && { ca }) })
    const ask = { timeoutMs: 20000, maxBytes: 1000, protocols: ['https:', 'http:'] }
    console.log(await client.fetch(url, ask).then(({ status }) => status, ({ reason }) => reason))
  `
  /** What a process of its own says, since Node reads some of these variables only at its start. */
  const run = async (task: { url: string; ca?: string }, env: Record<string, string>) => {
    const options = {
      cwd: path.resolve(import.meta.dirname, '../../..'),
      env: { ...process.env, ...env, TASK: JSON.stringify(task) },
    }
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script],
      options,
    )
    return stdout.trim()
  }

  test('no proxy is asked', async () => {
    await using proxy = await openWire((socket) => socket.end('HTTP/1.1 502 Proxy\r\n\r\n'))
    await using site = await openSite(ok)
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const env = Object.fromEntries(names.map((name) => [name, proxy.url]))
    expect(
      await run({ url: site.url }, { ...env, NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' }),
    ).toBe('200')
    expect(site.seen).toHaveLength(1)
    expect(proxy.received()).toBe(0)
  })

  test('certificates are checked', async () => {
    await using site = await openSite(ok, tls)
    const careless = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    expect(await run({ url: site.url }, careless)).toBe('tls')
  })
})
