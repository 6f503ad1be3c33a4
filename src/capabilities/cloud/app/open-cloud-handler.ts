import type { App } from '#app'
import { fail } from '#platform/errors'
import { areas } from './areas.ts'
import { CloudHandler } from './cloud-handler.ts'

/** Answers for the hosts of all clouds. */
export const openCloudHandler = (app: App): CloudHandler =>
  new CloudHandler({
    app,
    clouds: app.clouds,
    areas,
    verify: async () => fail('CLOUD_KEY_INVALID', { given: true }),
  })
