/** Backups of the databases of dedicated clouds, and restores from them (docs/decisions/cloud/backups.md). */
export { deleteBackupsOf, nightlyJob } from './nightly.ts'
export { backupProblem } from './phrases.ts'
export { askForRestore, endRestoresOf, restoreJob } from './restore.ts'
export {
  type BackupRow,
  deleteBackups,
  findBackup,
  holdBackup,
  lastRestore,
  listBackups,
  type RestoreRow,
  restoredFrom,
} from './store.ts'
export { askForBackup, backupJob } from './take.ts'
