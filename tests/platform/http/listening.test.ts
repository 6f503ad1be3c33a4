/** On which addresses the server listens. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openServer } from '#platform/http'
import { routes } from '../../../src/capabilities.ts'
import { freePort } from '../../harness/free-port.ts'
import { boot } from '../../harness/world.ts'

/** Whether this machine has the address. */
async function exists(address: string): Promise<boolean> {
  const probe = createServer().listen(0, address)
  const isThere = await once(probe, 'listening').then(
    () => true,
    () => false,
  )
  probe.close()
  return isThere
}

test('localhost is every loopback address that the machine has, on one port, and all are closed at the end', async () => {
  await using world = await boot()
  const server = await openServer({ app: world.app, routes, host: 'localhost', port: await freePort() })
  const urls: string[] = []
  for (const address of ['127.0.0.1', '::1'])
    if (await exists(address))
      urls.push(`http://${address.includes(':') ? `[${address}]` : address}:${server.port}/health/live`)
  expect(urls.length).toBeGreaterThan(0)
  for (const url of urls) expect((await fetch(url)).status, url).toBe(200)
  expect(server.url).toBe(`http://localhost:${server.port}`)
  await server[Symbol.asyncDispose]()
  for (const url of urls) await expect(fetch(url), url).rejects.toThrow()
})
