import type { Route } from '#platform/http'
import { route, type WebhooksApp } from './app.ts'
import { changeConnection, createConnection, deleteConnection, rotateSecret } from './connect.ts'
import { redeliver, testConnection } from './manual.ts'
import { listConnections, listDeliveries, readConnection } from './read.ts'
import {
  ConnectionBody,
  ConnectionList,
  ConnectionPatch,
  ConnectionWithSecret,
  DeletedConnection,
  Delivery,
  DeliveryList,
  DeliveryQuery,
  IdParams,
  WebhookConnection,
} from './schema.ts'
import './phrases.ts'

const path = '/v1/webhooks'
const write = { scope: 'webhooks:write', managementKeys: 'project' } as const
const read = { scope: 'webhooks:read', managementKeys: 'project' } as const

const connections: Route<WebhooksApp>[] = [
  route({
    method: 'POST',
    path,
    operation: 'webhooks.create',
    ...write,
    audited: true,
    summary: {
      en: 'Have events sent to an address. The secret that signs them is shown only here.',
      fa: 'فرستادن رویدادها به یک نشانی. رازی که آن‌ها را امضا می‌کند فقط اینجا نشان داده می‌شود.',
    },
    idempotent: true,
    body: ConnectionBody,
    reply: { 201: ConnectionWithSecret },
    errors: ['TOO_MANY_WEBHOOKS', 'SECRETS_SEALED'],
    handle: createConnection,
  }),
  route({
    method: 'GET',
    path,
    operation: 'webhooks.list',
    ...read,
    summary: { en: 'The connections of the project, oldest first.', fa: 'اتصال‌های پروژه، کهنه‌ترین نخست.' },
    reply: { 200: ConnectionList },
    errors: [],
    handle: listConnections,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}`,
    operation: 'webhooks.read',
    ...read,
    summary: { en: 'One connection.', fa: 'یک اتصال.' },
    params: IdParams,
    reply: { 200: WebhookConnection },
    errors: ['NOT_FOUND'],
    handle: readConnection,
  }),
  route({
    method: 'PATCH',
    path: `${path}/{id}`,
    operation: 'webhooks.change',
    ...write,
    audited: true,
    summary: {
      en: 'Change address or events, switch off and on. What waits while it is switched off is not sent.',
      fa: 'تغییر نشانی یا رویدادها، خاموش و روشن کردن. آنچه هنگام خاموش شدن در صف است فرستاده نمی‌شود.',
    },
    params: IdParams,
    body: ConnectionPatch,
    reply: { 200: WebhookConnection },
    errors: ['NOT_FOUND'],
    handle: changeConnection,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    operation: 'webhooks.delete',
    ...write,
    audited: true,
    summary: { en: 'Remove a connection; its report stays.', fa: 'حذف یک اتصال؛ گزارش آن می‌ماند.' },
    params: IdParams,
    reply: { 200: DeletedConnection },
    errors: ['NOT_FOUND'],
    handle: deleteConnection,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/rotate-secret`,
    operation: 'webhooks.rotateSecret',
    ...write,
    stepUp: true,
    audited: true,
    summary: {
      en: 'A new secret, shown only here. For 24 hours the old one signs the Standard Webhooks header too.',
      fa: 'رازی تازه که فقط اینجا نشان داده می‌شود. تا ۲۴ ساعت راز پیشین هم هدر Standard Webhooks را امضا می‌کند.',
    },
    idempotent: true,
    params: IdParams,
    reply: { 200: ConnectionWithSecret },
    errors: ['NOT_FOUND', 'SECRETS_SEALED'],
    handle: rotateSecret,
  }),
]

const deliveries: Route<WebhooksApp>[] = [
  route({
    method: 'GET',
    path: `${path}/deliveries`,
    operation: 'webhooks.deliveries',
    ...read,
    summary: {
      en: 'What was sent where: status, attempts and HTTP code of each delivery, newest first.',
      fa: 'چه چیزی به کجا فرستاده شد: وضعیت، شمار تلاش‌ها و کد HTTP هر تحویل، تازه‌ترین نخست.',
    },
    query: DeliveryQuery,
    reply: { 200: DeliveryList },
    errors: [],
    handle: listDeliveries,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/test`,
    operation: 'webhooks.test',
    ...write,
    summary: {
      en: 'Send the event ping to a connection, once.',
      fa: 'فرستادن رویداد ping به یک اتصال، یک بار.',
    },
    idempotent: true,
    params: IdParams,
    reply: { 202: Delivery },
    errors: ['NOT_FOUND', 'WEBHOOK_DISABLED', 'TOO_MANY_TESTS'],
    handle: testConnection,
  }),
  route({
    method: 'POST',
    path: `${path}/deliveries/{id}/redeliver`,
    operation: 'webhooks.redeliver',
    ...write,
    summary: {
      en: 'Send the event of a delivery once more, under the same event id.',
      fa: 'فرستادن دوبارهٔ رویداد یک تحویل، با همان شناسهٔ رویداد.',
    },
    idempotent: true,
    params: IdParams,
    reply: { 202: Delivery },
    errors: ['NOT_FOUND', 'WEBHOOK_DISABLED', 'DELIVERY_PENDING'],
    handle: redeliver,
  }),
]

export const routes: Route<WebhooksApp>[] = [...connections, ...deliveries]
