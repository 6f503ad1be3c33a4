import type { Job } from '#platform/jobs'
import { fileRoutes } from './routes.ts'
import { tidyJob } from './stage.ts'

export { dataTypes } from './kind.ts'
export { openStored, type StoredContent } from './open-stored.ts'
export { type NamedFile, requireFiles } from './require-files.ts'
export { commitFile, deleteFile, dropBytes, type NewFile, type StagedFile, stageFile } from './stage.ts'

/** Images and audio that a project stores. */
export const files = { name: 'files', routes: fileRoutes, jobs: [tidyJob as Job<never>] }
