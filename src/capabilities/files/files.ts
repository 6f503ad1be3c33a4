import type { Job } from '#platform/jobs'
import { tidyJob } from './keep.ts'
import { fileRoutes } from './routes.ts'

export { type NamedFile, requireFiles } from './given.ts'
export { deleteFile, dropBytes, keepFile, type NewFile, type StagedFile, stageFile } from './keep.ts'
export { dataTypes } from './kind.ts'
export { openStored, type StoredContent } from './stored.ts'

/** Images and audio that a project stores. */
export const files = { name: 'files', routes: fileRoutes, jobs: [tidyJob as Job<never>] }
