/** A proxy with TLS in front of both listeners, as installations have one. */

import { request } from 'node:http'
import { createServer } from 'node:https'
import { selfSigned } from '../../harness/certificate.ts'

/** Requests to `main` go to the one address, those to all other hosts to the other. Closed with the stack. */
export async function openFront(
  stack: AsyncDisposableStack,
  port: number,
  { main, urls }: { main: string; urls: { main: string; apps: string } },
): Promise<void> {
  const server = createServer(
    selfSigned(main, '*.apps.example.org', '*.clouds.example.net'),
    (asked, reply) => {
      const host = asked.headers.host ?? ''
      const target = new URL(host.split(':')[0] === main ? urls.main : urls.apps)
      const { hostname, port } = target
      const { method, url: path, headers } = asked
      const sent = request({ hostname, port, method, path, headers: { ...headers, host } }, (got) => {
        reply.writeHead(got.statusCode ?? 502, got.rawHeaders)
        got.pipe(reply)
      })
      sent.on('error', () => reply.destroy())
      asked.pipe(sent)
    },
  )
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  stack.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
}
