import { Type } from 'typebox'
import type { App } from '#app'
import { fail } from '#platform/errors'
import { Answer, type Route, route } from '#platform/http'

/** Balancers ask every few seconds; a database that has not answered by then is away for them. */
const readyMs = 2_000

const Alive = Type.Object({ status: Type.Literal('ok') })

const routes: Route[] = [
  route({
    method: 'GET',
    path: '/health/live',
    operation: 'health.live',
    scope: 'public',
    summary: { en: 'The process runs.', fa: 'فرایند در حال اجراست.' },
    reply: { 200: Alive },
    errors: [],
    handle: () => ({ status: 'ok' }),
  }),
  route({
    method: 'GET',
    path: '/health/ready',
    operation: 'health.ready',
    scope: 'public',
    summary: {
      en: 'The process can serve: its database answers.',
      fa: 'فرایند آمادهٔ خدمت است: پایگاه داده پاسخ می‌دهد.',
    },
    reply: { 200: Alive },
    errors: [],
    handle: ({ app }) => ready(app),
  }),
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'health.metrics',
    scope: 'public',
    summary: {
      en: 'Prometheus metrics of this server, of all its workers together.',
      fa: 'سنجه‌های Prometheus این سرور، همهٔ فرایندهای آن با هم.',
    },
    reply: { 200: 'text/plain' },
    errors: [],
    handle: async ({ app }) =>
      new Answer(200, await app.metrics.text(), 'text/plain; version=0.0.4; charset=utf-8'),
  }),
]

async function ready(app: App) {
  await app.db
    .query({ text: 'select 1', timeoutMs: readyMs }, [])
    .catch((cause: unknown) =>
      fail('SERVICE_UNAVAILABLE', { why: 'database' }, { cause, retryAfterMs: 2000 }),
    )
  return { status: 'ok' as const }
}

export const health = { name: 'health', routes }
