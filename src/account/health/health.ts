/** The health checks of a process, and its metrics: /health/live, /health/ready and /metrics. */
import { type Static, Type } from 'typebox'
import { fail } from '#platform/errors'
import { HttpAnswer, type RequestContext, type Route } from '#platform/http'
import { instanceHeader } from '#platform/installation'
import { release } from '#platform/release'
import { isBearerToken } from '#platform/secrets'
import { type HealthApp, route } from './app.ts'
import './errors.ts'

/** Load balancers check every few seconds; a database that has not answered by then counts as unreachable. */
const readyMs = 2_000

const Alive = Type.Object({ status: Type.Literal('ok'), release: Type.String() })

const Ready = Type.Object({
  status: Type.Literal('ok'),
  release: Type.String(),
  // Problems that an operator has to know while calls go on.
  warnings: Type.Optional(Type.Array(Type.Object({ code: Type.String(), message: Type.String() }))),
})

const routes: Route<HealthApp>[] = [
  route({
    method: 'GET',
    path: '/health/live',
    operation: 'health.live',
    scope: 'public',
    summary: { en: 'The process runs.', fa: 'پردازه در حال اجراست.' },
    reply: { 200: Alive },
    errors: [],
    handle: () => ({ status: 'ok', release }),
  }),
  route({
    method: 'GET',
    path: '/health/ready',
    operation: 'health.ready',
    scope: 'public',
    summary: {
      en: 'The process can serve: its database answers, and what it must store has room.',
      fa: 'پردازه آمادهٔ خدمت است: پایگاه داده پاسخ می‌دهد و برای آنچه باید ذخیره شود جا هست.',
    },
    reply: { 200: Ready },
    errors: ['NOT_READY'],
    handle: ready,
  }),
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'health.metrics',
    scope: 'public',
    summary: {
      en: 'Prometheus metrics of this server, of all its workers together. They may ask for a token, or have a port, of their own.',
      fa: 'سنجه‌های Prometheus این سرور، همهٔ پردازه‌های آن با هم. می‌توانند توکن یا درگاه خود را داشته باشند.',
    },
    reply: { 200: 'text/plain' },
    errors: ['METRICS_TOKEN_REQUIRED'],
    handle: metrics,
  }),
]

async function metrics({ app, headers }: RequestContext<HealthApp>): Promise<HttpAnswer> {
  const { token } = app.config.metrics
  if (token !== undefined && !isBearerToken(headers.authorization, token)) fail('METRICS_TOKEN_REQUIRED', {})
  return new HttpAnswer(200, await app.metrics.text(), 'text/plain; version=0.0.4; charset=utf-8')
}

async function ready(context: RequestContext<HealthApp>): Promise<Static<typeof Ready>> {
  const { app, language } = context
  if (app.instance !== undefined) context.setHeader(instanceHeader, app.instance)
  const problems = await app.readiness.problems()
  const blocking = problems.filter(({ blocks }) => blocks)
  if (blocking.length > 0)
    fail(
      'NOT_READY',
      { why: blocking.map(({ message }) => message) },
      { retryAfterMs: 2000, details: { problems: blocking.map(({ code }) => code) } },
    )
  await app.db
    .query({ text: 'select 1', timeoutMs: readyMs }, [])
    .catch((cause: unknown) =>
      fail('SERVICE_UNAVAILABLE', { why: 'database' }, { cause, retryAfterMs: 2000 }),
    )
  if (problems.length === 0) return { status: 'ok', release }
  return {
    status: 'ok',
    release,
    warnings: problems.map(({ code, message }) => ({ code, message: message[language] })),
  }
}

/** Routes of a port of their own: for a scraper, and for liveness checks of that port. */
export const metricsRoutes: Route<HealthApp>[] = routes.filter(
  ({ path }) => path === '/metrics' || path === '/health/live',
)

export const health = { name: 'health', routes }
