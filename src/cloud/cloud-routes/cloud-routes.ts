/** The HTTP of app back-ends: the routes that manage them, and what apps get at the address of their cloud (docs/decisions/cloud/app-address.md). */
import { appUsersSweepJob, dedicatedSweepJob, filesOfDeletedJob, mailJob } from '#cloud/app-users'
import { backupJob, nightlyJob, restoreJob } from '#cloud/backups'
import { provisionJob } from '#cloud/clouds'
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
export type { AppCallApp, CloudDeletionApp } from './app.ts'
export { cloudsHolding } from './clouds/holding.ts'

const routes = [
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
    provisionJob,
    deleteJob,
    sweepJob,
    objectsJob,
    moveJob,
    mailJob,
    appUsersSweepJob,
    dedicatedSweepJob,
    filesOfDeletedJob,
    backupJob,
    restoreJob,
    nightlyJob,
  ],
}
