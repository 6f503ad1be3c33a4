import type { FilesApp } from '#core/files'
import type { Recordings } from '#core/sound'
import { routesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that the routes of stored files use. */
export interface FileRoutesApp extends FilesApp {
  /** Measures recordings. */
  recordings: Recordings
  /** Signs links. */
  secrets: Secrets
}

export const job = jobsOf<FileRoutesApp>()
export const route = routesOf<FileRoutesApp>()
