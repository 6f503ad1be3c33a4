/**
 * Stored files of projects: what was uploaded, and what paid calls made. Their rows and quotas are here; routes that read and list them are a
 * capability.
 */
export { type Creation, type CreationCall, CreationRoom, type StagedCreation } from './creations.ts'
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
export { type FileRow, findFile, listFiles, type Owner } from './store.ts'
export { examineFolder, type FolderState, openFolder, tryFiles } from './store-folder.ts'
export { deleteExpired, deleteForgotten, deleteUnowned, releaseRooms, storeWaiting } from './tidy.ts'
export { openWaiting, type Waiting } from './waiting.ts'
