/** The deletion of people and of accounts: asked for, undone within thirty days, and carried out (docs/decisions/account/own-data.md). */
import type { Route } from '#platform/http'
import { type DeletionApp, route } from './app.ts'
import { eraseJob } from './erase.ts'
import { followJob } from './follow.ts'
import {
  deleteAccount,
  deleteMe,
  keepAccount,
  readAccountDeletion,
  readMyDeletion,
  undoMyDeletion,
} from './handle.ts'
import * as schema from './schema.ts'
import { sweepJob } from './sweep.ts'
import './phrases.ts'

export { beginAccountDeletion, undoAccountDeletion } from './account.ts'
export { type KeptTable, keptTables } from './kept.ts'
export { beginPersonDeletion, undoPersonDeletion } from './person.ts'
export { type PendingAccount, pendingDeletions } from './store.ts'

const routes: Route<DeletionApp>[] = [
  route({
    method: 'GET',
    path: '/v1/me/deletion',
    operation: 'me.deletion',
    scope: 'person',
    whileLeaving: true,
    summary: {
      en: 'Whether you are to be deleted, and the accounts that you own.',
      fa: 'این‌که آیا قرار است حذف شوید، و حساب‌هایی که مالک آن‌هایید.',
    },
    reply: { 200: schema.MyDeletion },
    errors: [],
    handle: readMyDeletion,
  }),
  route({
    method: 'DELETE',
    path: '/v1/me',
    operation: 'me.delete',
    scope: 'person',
    stepUp: true,
    audited: true,
    summary: {
      en: 'Have yourself deleted in 30 days: sessions end now, and until then you can sign in only to take it back. Keys that you made go on.',
      fa: 'درخواست حذف خودتان در ۳۰ روز: نشست‌ها اکنون پایان می‌یابند و تا آن زمان فقط برای پس‌گرفتن می‌توانید وارد شوید. کلیدهایی که ساخته‌اید می‌مانند.',
    },
    body: schema.DeleteMe,
    reply: { 200: schema.LeavingPerson },
    errors: ['LAST_OPERATOR', 'SOLE_OWNER', 'NOT_FOUND', 'DELETION_PENDING'],
    handle: deleteMe,
  }),
  route({
    method: 'POST',
    path: '/v1/me/deletion/undo',
    operation: 'me.undoDelete',
    scope: 'person',
    whileLeaving: true,
    audited: true,
    summary: {
      en: 'Take your deletion back, with that of the accounts which began with it.',
      fa: 'پس‌گرفتن حذف خودتان، با حذف حساب‌هایی که همراه آن آغاز شده است.',
    },
    reply: { 200: schema.KeptPerson },
    errors: ['DELETION_NOT_PENDING'],
    handle: undoMyDeletion,
  }),
  route({
    method: 'GET',
    path: '/v1/account/deletion',
    operation: 'account.deletion',
    scope: 'account:read',
    whileClosing: true,
    summary: {
      en: 'Whether the account is to be deleted, and when.',
      fa: 'این‌که آیا حساب قرار است حذف شود، و کی.',
    },
    reply: { 200: schema.AccountDeletion },
    errors: [],
    handle: readAccountDeletion,
  }),
  route({
    method: 'POST',
    path: '/v1/account/deletion',
    operation: 'account.delete',
    scope: 'account:write',
    stepUp: true,
    audited: true,
    summary: {
      en: 'Have the account deleted in 30 days: until then it can only be read. For owners.',
      fa: 'درخواست حذف حساب در ۳۰ روز: تا آن زمان فقط خواندنی است. برای مالکان.',
    },
    body: schema.DeleteAccount,
    reply: { 200: schema.AccountDeletion },
    errors: ['ACCOUNT_CLOSING', 'INSUFFICIENT_ROLE', 'NOT_FOUND'],
    handle: deleteAccount,
  }),
  route({
    method: 'DELETE',
    path: '/v1/account/deletion',
    operation: 'account.undoDelete',
    scope: 'account:write',
    whileClosing: true,
    audited: true,
    summary: {
      en: 'Undo the deletion of the account: it is as before. For owners.',
      fa: 'برگرداندن حذف حساب: همان می‌شود که بود. برای مالکان.',
    },
    reply: { 200: schema.AccountDeletion },
    errors: ['DELETION_NOT_PENDING', 'INSUFFICIENT_ROLE'],
    handle: keepAccount,
  }),
]

export const deletion = { name: 'deletion', routes, jobs: [followJob, eraseJob, sweepJob] }
