import { WebSocket } from 'ws'
import { openAgent } from './agent.ts'
import type { Egress } from './proxy.ts'

export interface WebSocketOptions extends Egress {
  headers: Record<string, string>
  protocols?: readonly string[]
  /** The time until tunnel and TLS are established; the caller needs a timeout of its own for the upgrade. */
  connectMs: number
  /** The maximum bytes of a message; a longer one closes the connection with 1009. */
  maxMessageBytes: number
}

/**
 * Begins a WebSocket to an address of the operator (`http:` or `https:`) through its egress: the certificate is checked as for every request, an HTTP
 * proxy is asked for a tunnel, redirects are not followed, and nothing is compressed, so that no message is larger than what was received. Its events
 * report the outcome; `error` carries an error of the network or `ProxyFailed`.
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
