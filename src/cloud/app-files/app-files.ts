/** Private files of app users: each belongs to one user (docs/decisions/cloud/app-address.md). */
export type { AppFilesApp } from './app.ts'
export { deleteAppFile, deleteFilesOf, deleteFilesOfUser } from './delete-file.ts'
export { exportFiles } from './move.ts'
export {
  type AppFileRow,
  addToFileCounts,
  type FileOwner,
  findAppFile,
  hasFiles,
  listAppFiles,
  lockCounts,
  usageOfAppFiles,
} from './store.ts'
export { dropBytes, importFiles, stageAppFile, storeAppFile } from './store-file.ts'
