/** People who sign in to apps, and their sessions (docs/decisions/cloud/app-users.md). */
import './phrases.ts'

export {
  type AdminUserOptions,
  blockUser,
  changeUser,
  createUser,
  inviteUser,
  type LinkType,
  makeLink,
  removeUser,
  requireUser,
} from './admin.ts'
export type { UserAdminApp } from './app.ts'
export { changeOwnAccount, type SignOutScope, signOut } from './change.ts'
export { copyUsers, deleteCopiedUsers, dropCopiedUsers } from './copy-users.ts'
export { minPasswordLength } from './credentials.ts'
export { filesOfDeletedJob } from './delete-files.ts'
export { findLink, followLink, isRedirectMissing, type OpenLink } from './follow.ts'
export {
  exchangeCode,
  mailReauthenticationCode,
  mailRecovery,
  mailSignIn,
  resendConfirmation,
} from './links.ts'
export { mailJob } from './mails.ts'
export type { Challenge } from './one-time.ts'
export type { MissingFeature } from './phrases.ts'
export { deleteUsersOf, ExportedUser, exportUsers, importUsers } from './portable.ts'
export { isVerifyType, verifyCode, verifyToken } from './redeem.ts'
export { readRedirect, webAddress } from './redirect.ts'
export { appMetadataOf, type OpenSession, refreshSession } from './sessions.ts'
export { signInWithPassword } from './sign-in.ts'
export { signInAnonymously, signUp } from './sign-up.ts'
export { countUsers, listUsers, lockCloud as lockUsers, type UserRow, userPage } from './store.ts'
export { appUsersSweepJob, dedicatedSweepJob, sweepIfDue } from './sweep.ts'
export { mailsOfDay } from './token-store.ts'
export { type AppUsers, openAppUsers, verifyAccessToken } from './users.ts'
export { changeUsers, readUsers, type UsersCloud } from './users-database.ts'
