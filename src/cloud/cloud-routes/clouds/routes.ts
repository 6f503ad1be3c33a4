import type { Route } from '#platform/http'
import { type CloudRoutesApp, cloudRoute } from '../app.ts'
import { readyErrors } from '../require-cloud.ts'
import { create, retry } from './create.ts'
import { remove } from './delete.ts'
import { connection, listKeys, removeKey, rotateKey } from './keys.ts'
import { list, read } from './read.ts'
import {
  Cloud,
  CloudBody,
  CloudConnection,
  CloudDetail,
  CloudList,
  CloudListQuery,
  CloudParams,
  DeleteBody,
  DeletedCloud,
  DeletedKey,
  KeyBody,
  KeyList,
  KeyParams,
  NewKey,
} from './schema.ts'

const path = '/v1/cloud'

export const cloudRoutes: Route<CloudRoutesApp>[] = [
  cloudRoute({
    method: 'GET',
    path,
    operation: 'cloud.list',
    scope: 'cloud:read',
    summary: {
      en: 'The app back-ends of the project, newest first, and what can be created.',
      fa: 'بک‌اندهای پروژه، تازه‌ترین نخست، و آنچه می‌توان ساخت.',
    },
    query: CloudListQuery,
    reply: { 200: CloudList },
    errors: [],
    handle: list,
  }),
  cloudRoute({
    method: 'POST',
    path,
    operation: 'cloud.create',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'Create an app back-end. 201: it is ready; 202: it is being set up.',
      fa: 'ساختن بک‌اند. ۲۰۱: آماده است؛ ۲۰۲: در حال راه‌اندازی است.',
    },
    idempotent: true,
    body: CloudBody,
    reply: { 201: Cloud, 202: Cloud },
    errors: [
      ...(['CLOUD_LIMIT', 'CLOUD_DELETION_LIMIT', 'SECRETS_SEALED'] as const),
      ...(['DATABASE_NO_ROOM', 'DATABASES_UNAVAILABLE'] as const),
      ...(['PACKAGE_REQUIRED', 'PACKAGE_UNPAID', 'PACKAGE_USED_UP'] as const),
    ],
    handle: create,
  }),
  cloudRoute({
    method: 'GET',
    path: `${path}/{id}`,
    operation: 'cloud.read',
    scope: 'cloud:read',
    summary: {
      en: 'One app back-end: its state, and what it uses of each limit.',
      fa: 'یک بک‌اند: وضعیت آن و مصرفش از هر سقف.',
    },
    params: CloudParams,
    reply: { 200: CloudDetail },
    errors: ['CLOUD_NOT_FOUND'],
    handle: read,
  }),
  cloudRoute({
    method: 'DELETE',
    path: `${path}/{id}`,
    operation: 'cloud.delete',
    scope: 'cloud:write',
    stepUp: true,
    audited: true,
    summary: {
      en: 'Delete an app back-end for good, with all that is in it and its sites.',
      fa: 'حذف همیشگی بک‌اند با همهٔ محتوا و سایت‌هایش.',
    },
    params: CloudParams,
    body: DeleteBody,
    reply: { 200: DeletedCloud },
    errors: ['CLOUD_NOT_FOUND', 'CLOUD_DELETING'],
    handle: remove,
  }),
  cloudRoute({
    method: 'POST',
    path: `${path}/{id}/retry`,
    operation: 'cloud.retry',
    scope: 'cloud:write',
    summary: {
      en: 'Go on setting up an app back-end that is not ready.',
      fa: 'ادامهٔ راه‌اندازی بک‌اندی که آماده نیست.',
    },
    idempotent: true,
    params: CloudParams,
    reply: { 202: Cloud },
    errors: ['CLOUD_NOT_FOUND', 'CLOUD_READY', 'CLOUD_DELETING', 'CLOUD_SUSPENDED'],
    handle: retry,
  }),
  cloudRoute({
    method: 'GET',
    path: `${path}/{id}/connection`,
    operation: 'cloud.connection',
    scope: 'cloud:read',
    summary: {
      en: 'Where an app finds its back-end, and its public key.',
      fa: 'نشانی‌های بک‌اند برای برنامه و کلید عمومی آن.',
    },
    params: CloudParams,
    reply: { 200: CloudConnection },
    errors: [...readyErrors],
    handle: connection,
  }),
]

export const keyRoutes: Route<CloudRoutesApp>[] = [
  cloudRoute({
    method: 'GET',
    path: `${path}/{id}/keys`,
    operation: 'cloud.keys',
    scope: 'cloud:write',
    summary: { en: 'The keys that are valid, without their secrets.', fa: 'کلیدهای معتبر، بی راز آن‌ها.' },
    params: CloudParams,
    reply: { 200: KeyList },
    errors: [...readyErrors],
    handle: listKeys,
  }),
  cloudRoute({
    method: 'POST',
    path: `${path}/{id}/keys`,
    operation: 'cloud.rotate_key',
    scope: 'cloud:write',
    stepUp: true,
    audited: true,
    summary: {
      en: 'A new key, shown only here, in place of those of its kind.',
      fa: 'کلیدی تازه که فقط اینجا نشان داده می‌شود، به جای کلیدهای هم‌نوعش.',
    },
    idempotent: true,
    params: CloudParams,
    body: KeyBody,
    reply: { 201: NewKey },
    errors: [...readyErrors, 'CLOUD_KEY_LIMIT', 'SECRETS_SEALED'],
    handle: rotateKey,
  }),
  cloudRoute({
    method: 'DELETE',
    path: `${path}/{id}/keys/{keyId}`,
    operation: 'cloud.delete_key',
    scope: 'cloud:write',
    stepUp: true,
    audited: true,
    summary: {
      en: 'End a key at once. A key that signs is rotated, not deleted.',
      fa: 'پایان‌دادن فوری به یک کلید. کلید امضا تعویض می‌شود، نه حذف.',
    },
    params: KeyParams,
    reply: { 200: DeletedKey },
    errors: [...readyErrors, 'CLOUD_KEY_NOT_FOUND'],
    handle: removeKey,
  }),
]
