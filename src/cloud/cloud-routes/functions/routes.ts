import type { Route } from '#platform/http'
import { type FunctionRoutesApp, functionRoute } from '../app.ts'
import { CloudParams } from '../clouds/schema.ts'
import { readyErrors } from '../require-cloud.ts'
import { deleteFunction, deployFunction, rollBackFunction } from './deploy.ts'
import { readLogs } from './logs.ts'
import { listAll, listSecrets, readFunction } from './read.ts'
import {
  CloudFunction,
  DeletedFunction,
  DeletedSecret,
  deployBytes,
  FunctionBody,
  FunctionDetail,
  FunctionList,
  FunctionParams,
  LogList,
  LogQuery,
  RollbackBody,
  Secret,
  SecretBody,
  SecretList,
} from './schema.ts'
import { deleteSecret, setSecret } from './secrets.ts'

const path = '/v1/cloud/{id}/functions'
const secretsPath = '/v1/cloud/{id}/secrets'

const functions: Route<FunctionRoutesApp>[] = [
  functionRoute({
    method: 'GET',
    path,
    operation: 'cloud.functions',
    scope: 'cloud:read',
    summary: { en: 'The functions of an app back-end.', fa: 'تابع‌های یک بک‌اند.' },
    params: CloudParams,
    reply: { 200: FunctionList },
    errors: [...readyErrors],
    handle: listAll,
  }),
  functionRoute({
    method: 'POST',
    path,
    operation: 'cloud.deploy_function',
    scope: 'cloud:functions',
    audited: true,
    summary: {
      en: 'Deploy a function; one of the same name is replaced once the new code has started.',
      fa: 'استقرار تابع؛ تابعی به همین نام، پس از آنکه کد تازه اجرا شد، جایگزین می‌شود.',
    },
    idempotent: true,
    bodyLimit: deployBytes,
    params: CloudParams,
    body: FunctionBody,
    reply: { 201: CloudFunction },
    errors: [
      ...readyErrors,
      'FUNCTION_CODE_INVALID',
      'FUNCTION_LIMIT',
      'FUNCTIONS_BUSY',
      'FUNCTIONS_UNAVAILABLE',
      'SECRETS_SEALED',
    ],
    handle: deployFunction,
  }),
  functionRoute({
    method: 'GET',
    path: `${path}/{name}`,
    operation: 'cloud.read_function',
    scope: 'cloud:functions',
    summary: {
      en: 'A function with its code and the versions that are kept.',
      fa: 'یک تابع با کد و نسخه‌های نگه‌داشته.',
    },
    params: FunctionParams,
    reply: { 200: FunctionDetail },
    errors: [...readyErrors, 'FUNCTION_NOT_FOUND'],
    handle: readFunction,
  }),
  functionRoute({
    method: 'POST',
    path: `${path}/{name}/rollback`,
    operation: 'cloud.roll_back_function',
    scope: 'cloud:functions',
    audited: true,
    summary: { en: 'Go back to an earlier version at once.', fa: 'بازگشت فوری به نسخه‌ای پیشین.' },
    idempotent: true,
    params: FunctionParams,
    body: RollbackBody,
    bodyMayBeAbsent: true,
    reply: { 200: CloudFunction },
    errors: [
      ...readyErrors,
      'FUNCTION_NOT_FOUND',
      'FUNCTION_NOTHING_BEFORE',
      'FUNCTION_VERSION_LIVE',
      'FUNCTION_VERSION_NOT_FOUND',
    ],
    handle: rollBackFunction,
  }),
  functionRoute({
    method: 'DELETE',
    path: `${path}/{name}`,
    operation: 'cloud.delete_function',
    scope: 'cloud:functions',
    audited: true,
    summary: { en: 'Delete a function with its versions and logs.', fa: 'حذف تابع با نسخه‌ها و گزارش‌هایش.' },
    params: FunctionParams,
    reply: { 200: DeletedFunction },
    errors: [...readyErrors, 'FUNCTION_NOT_FOUND'],
    handle: deleteFunction,
  }),
  functionRoute({
    method: 'GET',
    path: `${path}/{name}/logs`,
    operation: 'cloud.function_logs',
    scope: 'cloud:functions',
    summary: {
      en: 'The last 1,000 lines that a function wrote; with `Accept: text/event-stream`, as they come.',
      fa: '۱٬۰۰۰ خط آخری که تابع نوشته است؛ با `Accept: text/event-stream` همان‌گونه که می‌آیند.',
    },
    params: FunctionParams,
    query: LogQuery,
    reply: { 200: LogList },
    streams: true,
    errors: [...readyErrors, 'FUNCTION_NOT_FOUND'],
    handle: readLogs,
  }),
]

const secrets: Route<FunctionRoutesApp>[] = [
  functionRoute({
    method: 'GET',
    path: secretsPath,
    operation: 'cloud.secrets',
    scope: 'cloud:read',
    summary: { en: 'The names of the secrets.', fa: 'نام مقدارهای محرمانه.' },
    params: CloudParams,
    reply: { 200: SecretList },
    errors: [...readyErrors],
    handle: listSecrets,
  }),
  functionRoute({
    method: 'POST',
    path: secretsPath,
    operation: 'cloud.set_secret',
    scope: 'cloud:write',
    stepUp: true,
    audited: true,
    summary: {
      en: 'Set a secret that functions read. 201: it is new; 200: it replaces another value.',
      fa: 'ثبت مقدار محرمانه‌ای که تابع‌ها می‌خوانند. ۲۰۱: تازه است؛ ۲۰۰: جای مقدار پیشین را می‌گیرد.',
    },
    idempotent: true,
    bodyLimit: 12 * 10_000 + 16_000,
    params: CloudParams,
    body: SecretBody,
    reply: { 201: Secret, 200: Secret },
    errors: [...readyErrors, 'FUNCTION_SECRET_LIMIT', 'SECRETS_SEALED'],
    handle: setSecret,
  }),
  functionRoute({
    method: 'DELETE',
    path: `${secretsPath}/{name}`,
    operation: 'cloud.delete_secret',
    scope: 'cloud:write',
    stepUp: true,
    audited: true,
    summary: { en: 'Delete a secret.', fa: 'حذف مقدار محرمانه.' },
    params: FunctionParams,
    reply: { 200: DeletedSecret },
    errors: [...readyErrors, 'FUNCTION_SECRET_NOT_FOUND'],
    handle: deleteSecret,
  }),
]

export const functionRoutes: Route<FunctionRoutesApp>[] = [...functions, ...secrets]
