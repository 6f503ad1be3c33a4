/** Keys, projects and the account, as people who are signed in see and change them. */
import type { Route } from '#platform/http'
import { changeAccount, changeAccountCaps, readAccount } from './account.ts'
import { type KeysApp, route } from './app.ts'
import { changeKey, endKey, listKeys, readKey } from './change.ts'
import { makeKey } from './make.ts'
import { changeProject, listProjects, makeProject } from './projects.ts'
import {
  Account,
  AccountCaps,
  AccountPatch,
  ApiKey,
  IdParams,
  KeyBody,
  KeyList,
  KeyPatch,
  KeyQuery,
  KeyWithSecret,
  Project,
  ProjectBody,
  ProjectList,
  ProjectPatch,
} from './schema.ts'
import './phrases.ts'

export type { KeysApp } from './app.ts'
export { Name } from './schema.ts'

const keyPath = '/v1/keys'
const change = { scope: 'keys:write', stepUp: true, audited: true, managementKeys: 'account' } as const

const keyRoutes: Route<KeysApp>[] = [
  route({
    method: 'GET',
    path: keyPath,
    operation: 'keys.list',
    scope: 'keys:read',
    managementKeys: 'account',
    summary: {
      en: 'The keys of the account that you may see, newest first, with maker and last use.',
      fa: 'کلیدهایی از حساب که شما می‌بینید، تازه‌ترین نخست، با سازنده و آخرین استفاده.',
    },
    query: KeyQuery,
    reply: { 200: KeyList },
    errors: [],
    handle: listKeys,
  }),
  route({
    method: 'POST',
    path: keyPath,
    operation: 'keys.create',
    ...change,
    managementKeys: 'project',
    summary: {
      en: 'Make a key of the project. The key itself is shown only here.',
      fa: 'ساختن کلیدی برای پروژه. خود کلید فقط اینجا نشان داده می‌شود.',
    },
    idempotent: true,
    body: KeyBody,
    reply: { 201: KeyWithSecret },
    errors: ['MODEL_NOT_FOUND', 'KEY_SCOPE_NOT_GIVEN', 'TOO_MANY_KEYS', 'SECRETS_SEALED'],
    handle: makeKey,
  }),
  route({
    method: 'GET',
    path: `${keyPath}/{id}`,
    operation: 'keys.read',
    scope: 'keys:read',
    managementKeys: 'account',
    summary: { en: 'One key.', fa: 'یک کلید.' },
    params: IdParams,
    reply: { 200: ApiKey },
    errors: ['NOT_FOUND'],
    handle: readKey,
  }),
  route({
    method: 'PATCH',
    path: `${keyPath}/{id}`,
    operation: 'keys.change',
    ...change,
    summary: {
      en: 'Change a key: name, scopes, models, caps, limits, pages, end. Every process knows within a second.',
      fa: 'تغییر کلید: نام، دسترسی‌ها، مدل‌ها، سقف‌ها، حدها، صفحه‌ها و پایان. همهٔ سرورها در یک ثانیه آگاه می‌شوند.',
    },
    params: IdParams,
    body: KeyPatch,
    reply: { 200: ApiKey },
    errors: ['NOT_FOUND', 'KEY_REVOKED', 'KEY_SCOPE_NOT_GIVEN', 'MODEL_NOT_FOUND'],
    handle: changeKey,
  }),
  route({
    method: 'DELETE',
    path: `${keyPath}/{id}`,
    operation: 'keys.revoke',
    ...change,
    summary: {
      en: 'Revoke a key for good; every process knows within a second.',
      fa: 'باطل کردن کلید برای همیشه؛ همهٔ سرورها در یک ثانیه آگاه می‌شوند.',
    },
    params: IdParams,
    reply: { 200: ApiKey },
    errors: ['NOT_FOUND'],
    handle: endKey,
  }),
]

const projectRoutes: Route<KeysApp>[] = [
  route({
    method: 'GET',
    path: '/v1/projects',
    operation: 'projects.list',
    scope: 'projects:read',
    managementKeys: 'account',
    summary: {
      en: 'The projects of the account that you may use, oldest first.',
      fa: 'پروژه‌هایی از حساب که در دسترس شماست، کهنه‌ترین نخست.',
    },
    reply: { 200: ProjectList },
    errors: [],
    handle: listProjects,
  }),
  route({
    method: 'POST',
    path: '/v1/projects',
    operation: 'projects.create',
    scope: 'projects:write',
    managementKeys: 'account',
    audited: true,
    summary: { en: 'Make a project of the account.', fa: 'ساختن پروژه‌ای در حساب.' },
    idempotent: true,
    body: ProjectBody,
    reply: { 201: Project },
    errors: ['TOO_MANY_PROJECTS'],
    handle: makeProject,
  }),
  route({
    method: 'PATCH',
    path: '/v1/projects/{id}',
    operation: 'projects.change',
    scope: 'projects:write',
    managementKeys: 'account',
    audited: true,
    summary: {
      en: 'Change a project: name, caps, limits, and how long results are kept.',
      fa: 'تغییر پروژه: نام، سقف‌ها، حدها و روزهای نگهداری.',
    },
    params: IdParams,
    body: ProjectPatch,
    reply: { 200: Project },
    errors: ['NOT_FOUND'],
    handle: changeProject,
  }),
]

const accountRoutes: Route<KeysApp>[] = [
  route({
    method: 'GET',
    path: '/v1/account',
    operation: 'account.read',
    scope: 'account:read',
    managementKeys: 'account',
    summary: {
      en: 'The account: name, plan, balance, caps, and the thresholds at which it is notified.',
      fa: 'حساب: نام، طرح، موجودی، سقف‌ها و آستانه‌هایی که در آن‌ها خبر داده می‌شود.',
    },
    reply: { 200: Account },
    errors: [],
    handle: readAccount,
  }),
  route({
    method: 'PATCH',
    path: '/v1/account',
    operation: 'account.change',
    scope: 'account:write',
    managementKeys: 'account',
    audited: true,
    summary: { en: 'Change the name or time zone of the account.', fa: 'تغییر نام یا منطقهٔ زمانی حساب.' },
    body: AccountPatch,
    reply: { 200: Account },
    errors: [],
    handle: changeAccount,
  }),
  route({
    method: 'PATCH',
    path: '/v1/account/caps',
    operation: 'account.caps',
    scope: 'account:write',
    managementKeys: 'account',
    audited: true,
    summary: {
      en: 'Set the caps of all spending of the account, and the thresholds of all its caps.',
      fa: 'گذاشتن سقف‌های کل خرج حساب و آستانه‌های همهٔ سقف‌های آن.',
    },
    body: AccountCaps,
    reply: { 200: Account },
    errors: [],
    handle: changeAccountCaps,
  }),
]

export const keys = { name: 'keys', routes: [...keyRoutes, ...projectRoutes, ...accountRoutes] }
