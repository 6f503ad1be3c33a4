/** Opens the second listener, or shares the listener of the API. */
import { Connections, openListener, type Server, type Timeouts } from '#platform/http'
import type { AppsApp } from './app.ts'
import { isSocketRequest, listenForSockets } from './sockets.ts'
import type { AppsZone } from './zone.ts'

export interface Apps extends AsyncDisposable {
  /** `http://host:port` */
  readonly url: string
  readonly port: number
}

interface ListenOptions {
  app: Pick<AppsApp, 'config'>
  zone: AppsZone
  /** True when other processes of this machine serve the same port. */
  isWorker?: boolean
  timeouts?: Timeouts
}

/** Listens for the zone. Disposing drains connections as the API does, then disposes the handlers. */
export async function openApps({ app, zone, isWorker, timeouts: patience }: ListenOptions): Promise<Apps> {
  const { host, apps, timing } = app.config
  const listener = await openListener(
    {
      ...{ host, port: apps.port, isWorker, timeouts: patience, serve: zone.serve },
      takesSocket: isSocketRequest,
      onOpen: (server) => listenForSockets(server, zone.serve),
    },
    new Connections(),
  )
  return {
    url: listener.url,
    port: listener.port,
    async [Symbol.asyncDispose]() {
      zone.stop()
      await listener.drain({ drainMs: timing.drainMs })
      await zone[Symbol.asyncDispose]()
    },
  }
}

/** The zone on the port of the API. It ends together with that server. */
export const sharedApps = (server: Server, zone: AppsZone): Apps => ({
  url: server.url,
  port: server.port,
  async [Symbol.asyncDispose]() {
    zone.stop()
    await server[Symbol.asyncDispose]()
    await zone[Symbol.asyncDispose]()
  },
})
