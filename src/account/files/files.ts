/** The routes of stored files: uploads, lists, content and links, and the job that deletes what has expired. */
import { fileRoutes } from './routes.ts'
import { storeWaitingFiles, tidyJob } from './tidy.ts'

export { dataTypes } from './kind.ts'
export { type FileLinks, fileLinks, usualLinkSeconds } from './links.ts'
export { type NamedFile, requireFiles } from './require-files.ts'

/** Images, audio, documents and data that a project stores, and what Studio made for it. */
export const files = {
  name: 'files',
  routes: fileRoutes,
  jobs: [tidyJob],
  everywhere: storeWaitingFiles,
}
