/** A site of somebody else, whose pages may say and do what they like. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Stranger extends AsyncDisposable {
  /** At another port of the console's own host: another origin of the same site, to which a browser sends its cookies. */
  sameSite: string
  /** Of another site. */
  crossSite: string
  /** What it answers from now on. */
  html: string
}

export async function openStranger(): Promise<Stranger> {
  const server = createServer((_, reply) =>
    reply.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html>${stranger.html}`),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stranger: Stranger = {
    ...{ sameSite: `http://localhost:${port}`, crossSite: `http://127.0.0.1:${port}`, html: '' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return stranger
}
