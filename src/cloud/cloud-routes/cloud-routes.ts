/** The HTTP of app back-ends: the routes that manage them, and what apps get at the address of their cloud (docs/decisions/cloud/app-address.md). */
import type { App } from '#app'
import { appUsersSweepJob, dedicatedSweepJob, filesOfDeletedJob, mailJob } from '#cloud/app-users'
import { backupJob, nightlyJob, restoreJob } from '#cloud/backups'
import { provisionJob } from '#cloud/clouds'
import type { Route } from '#platform/http'
import type { Job } from '#platform/jobs'
import { openCloudHandler } from './app/open-cloud-handler.ts'
import { authRoutes } from './auth/routes.ts'
import { backupRoutes } from './backups/routes.ts'
import { deleteJob, objectsJob, sweepJob, watchStoppedClouds } from './clouds/jobs.ts'
import { cloudRoutes, keyRoutes } from './clouds/routes.ts'
import { databaseRoutes } from './database/routes.ts'
import { functionRoutes } from './functions/routes.ts'
import { moveJob } from './move/move.ts'
import { moveRoutes } from './move/routes.ts'
import { storageRoutes } from './storage/routes.ts'
import { transferRoutes } from './transfer/routes.ts'

export { cloudSeries } from './app/metrics.ts'

const routes: Route<App>[] = [
  ...cloudRoutes,
  ...keyRoutes,
  ...databaseRoutes,
  ...authRoutes,
  ...storageRoutes,
  ...functionRoutes,
  ...transferRoutes,
  ...backupRoutes,
  ...moveRoutes,
]

/** App back-ends: sign-in, data, files and code for the apps of a project. */
export const cloud = {
  name: 'cloud',
  routes,
  apps: openCloudHandler,
  everywhere: watchStoppedClouds,
  jobs: [
    provisionJob as Job<never, App>,
    deleteJob as Job<never, App>,
    sweepJob as Job<never, App>,
    objectsJob as Job<never, App>,
    moveJob as Job<never, App>,
    mailJob as Job<never, App>,
    appUsersSweepJob as Job<never, App>,
    dedicatedSweepJob as Job<never, App>,
    filesOfDeletedJob as Job<never, App>,
    backupJob as Job<never, App>,
    restoreJob as Job<never, App>,
    nightlyJob as Job<never, App>,
  ],
}
