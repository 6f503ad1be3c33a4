/** Keys that act for an account, as its owners and admins see and make them (docs/decisions/account/management-keys.md). */
import type { Route } from '#platform/http'
import { type ManagementKeysApp, route } from './app.ts'
import { changeManagementKey, endManagementKey, listManagementKeys, readManagementKey } from './change.ts'
import { makeManagementKey } from './make.ts'
import {
  IdParams,
  ManagementKey,
  ManagementKeyBody,
  ManagementKeyList,
  ManagementKeyPatch,
  ManagementKeyQuery,
  ManagementKeyWithSecret,
  RevocationQuery,
} from './schema.ts'
import './phrases.ts'

const path = '/v1/management-keys'
const change = { scope: 'management_keys:write', stepUp: true, audited: true } as const

const routes: Route<ManagementKeysApp>[] = [
  route({
    method: 'GET',
    path,
    operation: 'management_keys.list',
    scope: 'management_keys:read',
    summary: {
      en: 'The management keys of the account, newest first, with maker and last use. Never with a management key.',
      fa: 'کلیدهای مدیریتی حساب، تازه‌ترین نخست، با سازنده و آخرین استفاده. هرگز با کلید مدیریتی.',
    },
    query: ManagementKeyQuery,
    reply: { 200: ManagementKeyList },
    errors: [],
    handle: listManagementKeys,
  }),
  route({
    method: 'POST',
    path,
    operation: 'management_keys.create',
    ...change,
    summary: {
      en: 'Make a key that acts for the account. The key itself is shown only here.',
      fa: 'ساختن کلیدی که به جای حساب کار می‌کند. خود کلید فقط اینجا نشان داده می‌شود.',
    },
    idempotent: true,
    body: ManagementKeyBody,
    reply: { 201: ManagementKeyWithSecret },
    errors: ['TOO_MANY_MANAGEMENT_KEYS', 'SECRETS_SEALED'],
    handle: makeManagementKey,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}`,
    operation: 'management_keys.read',
    scope: 'management_keys:read',
    summary: { en: 'One management key.', fa: 'یک کلید مدیریتی.' },
    params: IdParams,
    reply: { 200: ManagementKey },
    errors: ['NOT_FOUND'],
    handle: readManagementKey,
  }),
  route({
    method: 'PATCH',
    path: `${path}/{id}`,
    operation: 'management_keys.change',
    ...change,
    summary: {
      en: 'Rename a management key. Permissions, end and addresses stay: make another key.',
      fa: 'تغییر نام کلید مدیریتی. اجازه‌ها، پایان و نشانی‌ها می‌مانند: کلید دیگری بسازید.',
    },
    params: IdParams,
    body: ManagementKeyPatch,
    reply: { 200: ManagementKey },
    errors: ['NOT_FOUND', 'MANAGEMENT_KEY_ENDED'],
    handle: changeManagementKey,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    operation: 'management_keys.revoke',
    ...change,
    summary: {
      en: 'Revoke a management key for good; every process knows within a second.',
      fa: 'باطل کردن کلید مدیریتی برای همیشه؛ همهٔ سرورها در یک ثانیه آگاه می‌شوند.',
    },
    params: IdParams,
    query: RevocationQuery,
    reply: { 200: ManagementKey },
    errors: ['NOT_FOUND'],
    handle: endManagementKey,
  }),
]

export const managementKeys = { name: 'management-keys', routes }
