import { WebSocket } from 'ws'
import { openAgent } from './agent.ts'
import type { Egress } from './proxy.ts'

export interface WebSocketOptions extends Egress {
  headers: Record<string, string>
  protocols?: readonly string[]
  /** Until the tunnel and TLS stand; who waits for the upgrade has a timeout of its own. */
  connectMs: number
  /** A longer message closes the connection with 1009. */
  maxMessageBytes: number
}

/**
 * Begins a WebSocket to an address of the operator (`http:` or `https:`) through its egress: the certificate is checked as for every request,
 * a proxy of HTTP is asked for a tunnel, redirects are not followed, and nothing is compressed, so that no message is longer than what came.
 * What becomes of it is told by its events; `error` is that of the network or `ProxyFailed`.
 */
export function openWebSocket(url: URL, options: WebSocketOptions): WebSocket {
  const { headers, protocols = [], connectMs, maxMessageBytes, proxy, trust } = options
  return new WebSocket(url, [...protocols], {
    agent: openAgent(url.origin, { proxy, trust, connectMs }),
    headers,
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: maxMessageBytes,
  })
}
