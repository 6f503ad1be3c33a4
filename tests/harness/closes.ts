/** When a server of this process sees that a client has left, which is some time after the client has. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

const channel = 'http.server.request.start'

/** Resolves once the connection of the next request that bears this key is closed, for the server too. Begin before it is sent. */
export function seesClose(secret: string): Promise<void> {
  return new Promise((resolve) => {
    const began = (message: unknown): void => {
      const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
      if (request.headers.authorization !== `Bearer ${secret}`) return
      unsubscribe(channel, began)
      response.once('close', () => resolve())
    }
    subscribe(channel, began)
  })
}
