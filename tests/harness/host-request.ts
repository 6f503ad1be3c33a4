/** Requests that name a host of their own, which `fetch` cannot. */
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

export interface HostReply {
  status: number
  headers: IncomingHttpHeaders
  /** As they came, names and values in turn. */
  rawHeaders: string[]
  bytes: Buffer
  text: string
}

export interface HostRequest {
  method?: string
  path?: string
  headers?: OutgoingHttpHeaders
  body?: string | Uint8Array
}

/** Sends a request to the server at `url` in the name of `host`; without a port the one of `url` is named. */
export function hostRequest(
  url: string,
  host: string,
  { method = 'GET', path = '/', headers = {}, body }: HostRequest = {},
): Promise<HostReply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path,
        headers: { host: /:\d+$/.test(host) ? host : `${host}:${port}`, ...headers },
        agent: false,
      },
      (reply) => {
        const parts: Buffer[] = []
        reply.on('data', (part: Buffer) => parts.push(part))
        reply.on('error', reject)
        reply.on('end', () => {
          const bytes = Buffer.concat(parts)
          const { statusCode, headers, rawHeaders } = reply
          resolve({ status: statusCode!, headers, rawHeaders, bytes, text: bytes.toString() })
        })
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}
