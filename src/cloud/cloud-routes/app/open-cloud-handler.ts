import { verifyAccessToken } from '#cloud/app-users'
import type { CloudHandlerApp } from '../app.ts'
import { areas } from './areas.ts'
import { CloudHandler } from './cloud-handler.ts'

/** Answers for the hosts of all clouds. */
export const openCloudHandler = (app: CloudHandlerApp): CloudHandler =>
  new CloudHandler({
    app,
    clouds: app.clouds,
    areas,
    verify: async (cloud, token) => ({
      role: 'authenticated',
      ...(await verifyAccessToken(app, cloud, token)),
    }),
  })
