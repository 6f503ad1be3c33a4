/** The end of a request: its metrics, its span and its log line. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Span } from '#platform/trace'
import { type ActiveRequest, pathOf } from './active-request.ts'
import type { HttpApp } from './app.ts'
import type { Route } from './http.ts'

/** How a request ended for its client. */
interface RequestOutcome {
  status: number
  complete: boolean
}

export function outcomeOf(raw: ServerResponse): RequestOutcome {
  const complete = raw.writableFinished
  return { complete, status: complete || raw.headersSent ? raw.statusCode : 499 }
}

export function finish(
  app: HttpApp,
  route: Route,
  context: ActiveRequest,
  { status, complete }: RequestOutcome,
): void {
  if (!complete) context.onClientGone()
  context.sink?.stopTimers()
  context.onFinish()
  const ms = app.clock.nowMs() - context.receivedMs
  app.metrics.requests.inc({ operation: route.operation, status })
  app.metrics.seconds.observe({ operation: route.operation }, ms / 1000)
  const { trace, caller, code, requestId } = context
  trace.span?.set({
    'http.response.status_code': status,
    ...(code !== undefined && { 'kherad.error_code': code }),
  })
  trace.span?.end({ error: status >= 500 ? (code ?? String(status)) : undefined })
  trace.close((noted) =>
    app.log.info({
      request_id: requestId,
      operation: route.operation,
      status,
      ms,
      ...(code !== undefined && { code }),
      ...(!complete && { client_left: true }),
      ...(caller.accountId !== '' && { account_id: caller.accountId, key_id: caller.keyId }),
      ...(caller.person && { person_id: caller.person.personId }),
      ...noted,
    }),
  )
}

/** Begins the span of a request: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server */
export const spanOf = (
  app: Pick<HttpApp, 'tracing'>,
  route: Route,
  { message, requestId }: ActiveRequest,
): Span | undefined =>
  app.tracing?.request(
    `${route.method} ${route.path}`,
    {
      'http.request.method': route.method,
      'http.route': route.path,
      'url.path': route.secretPath ? route.path : pathOf(message.url!),
      'url.scheme': 'http',
      'kherad.request_id': requestId,
      'kherad.operation': route.operation,
    },
    headerOf(message, 'traceparent'),
  )

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
