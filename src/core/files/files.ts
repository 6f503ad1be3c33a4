/**
 * Stored files of projects: what was uploaded, and what paid calls made, with rows and quotas. The routes that read and list them are in
 * `account/files`.
 */
export type { FilesApp } from './app.ts'
export { type Creation, type CreationCall, CreationReservation, type StagedCreation } from './creations.ts'
export { filesHolding } from './holding.ts'
export { findByLink, type LinkTokens, linkTokenPattern, openLinks } from './links.ts'
export { openFile, openStored, type StoredContent } from './open-stored.ts'
export {
  commitFile,
  deleteFile,
  dropBytes,
  type NewFile,
  type StagedFile,
  stageFile,
} from './stage.ts'
export { type FileOwner, type FileRow, findFile, listFiles } from './store.ts'
export { examineFolder, type FolderState, openFolder, verifySampleFiles } from './store-folder.ts'
export {
  deleteExpired,
  deleteOrphanedBytes,
  deleteUnowned,
  releaseReservations,
  uploadWaitingFiles,
} from './tidy.ts'
export { openWaitingFolder, type WaitingFolder } from './waiting.ts'
