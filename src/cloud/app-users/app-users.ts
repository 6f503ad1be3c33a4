/** People who sign in to apps, and their sessions (docs/decisions/cloud/app-users.md). */
import './phrases.ts'

export {
  type AdminWish,
  blockUser,
  changeUser,
  createUser,
  inviteUser,
  type LinkType,
  makeLink,
  removeUser,
  requireUser,
} from './admin.ts'
export { changeOwn, type SignOutScope, signOut } from './change.ts'
export { copyUsers, deleteCopiedUsers, dropCopiedUsers } from './copy-users.ts'
export { filesOfDeletedJob } from './delete-files.ts'
export { findLink, followLink, needsPage, type OpenLink } from './follow.ts'
export { escapeHtml } from './letters.ts'
export { exchangeCode, mailAgain, mailCode, mailRecovery, mailSignIn } from './links.ts'
export { mailJob } from './mails.ts'
export type { Challenge } from './one-time.ts'
export { shortestPassword } from './passwords.ts'
export type { MissingFeature } from './phrases.ts'
export { deleteAllOf, ExportedUser, exportUsers, importUsers } from './portable.ts'
export { isVerifyType, verifyCode, verifyToken } from './redeem.ts'
export { readRedirect, webAddress } from './redirect.ts'
export { appMetadataOf, type OpenSession, refreshSession } from './sessions.ts'
export { signInWithPassword } from './sign-in.ts'
export { signInAnonymously, signUp } from './sign-up.ts'
export { countUsers, listUsers, lockCloud as lockUsers, type UserRow, userPage } from './store.ts'
export { appUsersSweepJob, ownSweepJob, sweepIfDue } from './sweep.ts'
export { mailsOfDay } from './token-store.ts'
export { type AppUsers, openAppUsers, verifyAccessToken } from './users.ts'
export { changeUsers, readUsers, type UsersOf } from './users-database.ts'
