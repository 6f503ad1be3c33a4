/** Areas of a test at the address of a cloud, served by a second process of its database. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AppArea, AppCall } from '../../../src/cloud/cloud-routes/app/area.ts'
import { CloudHandler } from '../../../src/cloud/cloud-routes/app/cloud-handler.ts'
import { functionsArea } from '../../../src/cloud/cloud-routes/app/functions/functions.ts'
import { realtimeArea } from '../../../src/cloud/cloud-routes/app/realtime/realtime.ts'
import type { TestCloud, World } from '../../harness/world.ts'

export { type AppArea, type AppCall, functionsArea, realtimeArea }

export interface AreaServer extends AsyncDisposable {
  url: string
}

export async function serveAreas(
  { app }: Pick<World, 'app'>,
  cloud: TestCloud,
  areas: readonly AppArea[],
): Promise<AreaServer> {
  const handler = new CloudHandler({ app, clouds: app.clouds, areas, verify: async () => ({ role: 'anon' }) })
  const server = createServer((message, response) =>
    handler.handle({
      ...{ message, response, host: new URL(cloud.url).hostname, pathPrefix: '', clientAddress: '127.0.0.1' },
      ...{ secure: false, timeLimit: undefined },
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      await handler[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
    },
  }
}
