import type { Route } from '#platform/http'
import { type MoveRoutesApp, moveRoute } from '../app.ts'
import { Cloud, CloudParams } from '../clouds/schema.ts'
import { readyErrors } from '../require-cloud.ts'
import { move } from './move.ts'
import { MoveBody } from './schema.ts'

export const moveRoutes: Route<MoveRoutesApp>[] = [
  moveRoute({
    method: 'POST',
    path: '/v1/cloud/{id}/move',
    operation: 'cloud.move',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'Give a Starter app back-end a database of its own; id, address, keys, users and files stay, collections become tables.',
      fa: 'دادن پایگاه دادهٔ اختصاصی به بک‌اند Starter؛ شناسه، نشانی، کلیدها، کاربران و فایل‌ها می‌مانند و مجموعه‌ها جدول می‌شوند.',
    },
    idempotent: true,
    params: CloudParams,
    body: MoveBody,
    reply: { 202: Cloud },
    errors: [
      ...readyErrors,
      ...(['CLOUD_DEDICATED', 'CLOUD_DELETION_LIMIT'] as const),
      ...(['PACKAGE_REQUIRED', 'PACKAGE_UNPAID', 'PACKAGE_USED_UP'] as const),
      ...(['DATABASE_NO_ROOM', 'DATABASES_UNAVAILABLE'] as const),
    ],
    handle: move,
  }),
]
