/** Backups of the databases of dedicated clouds, and restores from them (docs/decisions/cloud/backups.md). */
export type { BackupsApp } from './app.ts'
export { deleteBackupsOf, nightlyJob } from './nightly.ts'
export { backupProblem } from './phrases.ts'
export { endRestoresOf, requestRestore, restoreJob } from './restore.ts'
export {
  type BackupRow,
  currentRestoreId,
  deleteBackups,
  findBackup,
  lastRestore,
  listBackups,
  type RestoreRow,
  shareLockBackup,
} from './store.ts'
export { backupJob, requestBackup } from './take.ts'
