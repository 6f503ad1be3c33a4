/** What reaches a server of this process, and how it is answered: a browser shows no page what its cookies did. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Arrival {
  method: string
  host: string
  path: string
  cookie: string | undefined
  origin: string | undefined
  /** 0 until the answer has begun. */
  readonly status: number
}

/** Every request to the port from here on, until this is disposed. */
export function arrivals(url: string): Disposable & { all: Arrival[] } {
  const port = Number(new URL(url).port)
  const all: Arrival[] = []
  const note = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.socket.localPort !== port) return
    const { host = '', cookie, origin } = request.headers
    all.push({
      ...{ method: request.method!, host, path: request.url!, cookie, origin },
      get status() {
        return response.headersSent ? response.statusCode : 0
      },
    })
  }
  const channel = 'http.server.request.start'
  subscribe(channel, note)
  return { all, [Symbol.dispose]: () => void unsubscribe(channel, note) }
}
