import { Type } from 'typebox'
import { databaseErrors } from '#cloud/databases'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { type AuthRoutesApp, authRoute } from '../app.ts'
import { CloudParams } from '../clouds/schema.ts'
import { readyErrors } from '../require-cloud.ts'
import { pressLink, showLink } from './link-page.ts'
import {
  AppUser,
  AppUserList,
  AuthBody,
  AuthSettings,
  DeletedUser,
  LinkBody,
  LinkParams,
  UserLink,
  UserParams,
  UsersQuery,
} from './schema.ts'
import { changeAuth, readAuth } from './settings.ts'
import { block, link, list, read, remove, unblock } from './users.ts'

const path = '/v1/cloud/{id}/auth'
const usersPath = '/v1/cloud/{id}/users'
const userPath = `${usersPath}/{user_id}`
const linkPath = '/app-links/{ref}/{token}'

/** Errors of reading users, wherever they are. */
const readErrors: FailureCode[] = [...databaseErrors, 'APP_USER_TRIGGER_FAILED']
const changeErrors: FailureCode[] = [...readErrors, 'CLOUD_MOVING']

const settingsRoutes: Route<AuthRoutesApp>[] = [
  authRoute({
    method: 'GET',
    path,
    operation: 'cloud.auth.read',
    scope: 'cloud:read',
    summary: {
      en: 'How people sign in to the app: its address, whether it takes new users, and whether mails are sent.',
      fa: 'شیوهٔ ورود به برنامه: نشانی آن، پذیرش کاربر تازه و فرستادن نامه.',
    },
    params: CloudParams,
    reply: { 200: AuthSettings },
    errors: [...readyErrors],
    handle: readAuth,
  }),
  authRoute({
    method: 'PATCH',
    path,
    operation: 'cloud.auth.change',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'Change the address of the app, and whether it takes new users.',
      fa: 'تغییر نشانی برنامه و پذیرش کاربر تازه.',
    },
    params: CloudParams,
    body: AuthBody,
    reply: { 200: AuthSettings },
    errors: [...readyErrors],
    handle: changeAuth,
  }),
]

const userRoutes: Route<AuthRoutesApp>[] = [
  authRoute({
    method: 'GET',
    path: usersPath,
    operation: 'cloud.users.list',
    scope: 'cloud:write',
    summary: { en: 'The users of the app.', fa: 'کاربران برنامه.' },
    params: CloudParams,
    query: UsersQuery,
    reply: { 200: AppUserList },
    errors: [...readyErrors, ...readErrors, 'APP_USER_EMAIL_INVALID'],
    handle: list,
  }),
  authRoute({
    method: 'GET',
    path: userPath,
    operation: 'cloud.users.read',
    scope: 'cloud:write',
    summary: { en: 'One user of the app.', fa: 'یک کاربر برنامه.' },
    params: UserParams,
    reply: { 200: AppUser },
    errors: [...readyErrors, ...readErrors, 'APP_USER_NOT_FOUND'],
    handle: read,
  }),
  authRoute({
    method: 'POST',
    path: `${userPath}/block`,
    operation: 'cloud.users.block',
    writes: 'nothing',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'Block a user: all sessions end at once, and there are no new ones.',
      fa: 'مسدود کردن کاربر: همهٔ نشست‌ها بی‌درنگ پایان می‌یابند و نشست تازه‌ای نیست.',
    },
    params: UserParams,
    reply: { 200: AppUser },
    errors: [...readyErrors, ...changeErrors, 'APP_USER_NOT_FOUND'],
    handle: block,
  }),
  authRoute({
    method: 'POST',
    path: `${userPath}/unblock`,
    operation: 'cloud.users.unblock',
    writes: 'nothing',
    scope: 'cloud:write',
    audited: true,
    summary: { en: 'Let a blocked user sign in again.', fa: 'رفع مسدودی کاربر.' },
    params: UserParams,
    reply: { 200: AppUser },
    errors: [...readyErrors, ...changeErrors, 'APP_USER_NOT_FOUND'],
    handle: unblock,
  }),
  authRoute({
    method: 'DELETE',
    path: userPath,
    operation: 'cloud.users.delete',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'Delete a user with sessions and private files. Rows stay, without anybody who may change them in the app.',
      fa: 'حذف کاربر با نشست‌ها و فایل‌های خصوصی‌اش. ردیف‌ها می‌مانند و کسی در برنامه آن‌ها را تغییر نمی‌دهد.',
    },
    params: UserParams,
    reply: { 200: DeletedUser },
    errors: [...readyErrors, ...changeErrors, 'APP_USER_NOT_FOUND'],
    handle: remove,
  }),
  authRoute({
    method: 'POST',
    path: `${userPath}/links`,
    operation: 'cloud.users.link',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'A link for one user, to be handed over otherwise than by a mail of this server.',
      fa: 'پیوندی برای یک کاربر که به شیوه‌ای جز نامهٔ این سرور به او می‌رسد.',
    },
    params: UserParams,
    body: LinkBody,
    reply: { 200: UserLink },
    errors: [
      ...readyErrors,
      ...changeErrors,
      'APP_USER_NOT_FOUND',
      'APP_USER_INVALID',
      'APP_USER_EXISTS',
      'APP_USER_LIMIT',
      'APP_USER_REDIRECT_REFUSED',
      'SECRETS_SEALED',
    ],
    handle: link,
  }),
]

const pageReplies = { 200: 'text/html', 404: 'text/html', 409: 'text/html' }

const linkRoutes: Route<AuthRoutesApp>[] = [
  authRoute({
    method: 'GET',
    path: linkPath,
    operation: 'cloud.links.show',
    scope: 'public',
    secretPath: true,
    summary: {
      en: 'The page of a mailed link, which does nothing before its button is pressed.',
      fa: 'صفحهٔ پیوندی که در نامه آمده است؛ تا دکمه‌اش زده نشود کاری نمی‌کند.',
    },
    params: LinkParams,
    reply: pageReplies,
    errors: readErrors,
    handle: showLink,
  }),
  authRoute({
    method: 'POST',
    path: linkPath,
    operation: 'cloud.links.press',
    scope: 'public',
    secretPath: true,
    summary: {
      en: 'Use a mailed link, once; leads on to the app.',
      fa: 'به کار بردن پیوند نامه، یک بار؛ سپس رفتن به برنامه.',
    },
    params: LinkParams,
    upload: { fields: Type.Object({}), files: {}, maxBytes: 0, isOptional: true },
    reply: { 303: 'text/html', ...pageReplies },
    errors: [...changeErrors, 'SECRETS_SEALED'],
    handle: pressLink,
  }),
]

export const authRoutes: Route<AuthRoutesApp>[] = [...settingsRoutes, ...userRoutes, ...linkRoutes]
