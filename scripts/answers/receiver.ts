/** Takes webhooks over HTTPS, and keeps what they said. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Certified } from '../../tests/harness/certificate.ts'
import { normalise } from './normalise.ts'

export interface Receiver extends AsyncDisposable {
  url: string
  got: { path: string; headers: Record<string, string>; body: string }[]
}

export async function openReceiver(certified: Certified): Promise<Receiver> {
  const got: Receiver['got'] = []
  const server = createServer(certified, async (request, response) => {
    const body = normalise(await text(request))
    const headers = Object.fromEntries(
      Object.entries(request.headers)
        .filter(([name]) => name !== 'content-length')
        .map(([name, value]) => [name, normalise(String(value)).replace(/v1,.*/, 'v1,‹signature›')]),
    )
    got.push({ path: request.url ?? '', headers, body })
    response.writeHead(request.url === '/refuses' ? 410 : 204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    got,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
