/** Private files of app users: each belongs to one user (docs/decisions/cloud/app-address.md). */
export { deleteAllOf, deleteAppFile, deleteFilesOfUser } from './delete-file.ts'
export { exportFiles } from './move.ts'
export {
  type AppFileRow,
  countFiles,
  type FileOwner,
  findAppFile,
  hasFiles,
  listAppFiles,
  lockCounts,
  usageOfAppFiles,
} from './store.ts'
export { dropBytes, importFiles, stageAppFile, storeAppFile } from './store-file.ts'
