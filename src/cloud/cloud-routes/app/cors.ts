/** Pages of any origin may call a cloud, never with cookies: access needs a header with a key, which a page must have been given. */
import type { AppsRequest } from '#platform/apps'

/** Headers that browsers request by name: `*` covers none of them where a request has an Authorization (Fetch, section 3.2.4). */
const requestHeaders = [
  'authorization',
  'apikey',
  'content-type',
  'x-client-info',
  'x-supabase-api-version',
  'prefer',
  'accept-profile',
  'content-profile',
  'range',
  'range-unit',
  'x-upsert',
  'x-metadata',
  'x-signature',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'x-region',
  'x-retry-count',
  'x-request-id',
  'idempotency-key',
  'if-none-match',
  'cache-control',
  'traceparent',
  'tracestate',
  'baggage',
]

/** Headers that pages may read of an answer, beside those that every page may read. */
const exposedHeaders = [
  'content-range',
  'content-disposition',
  'content-length',
  'accept-ranges',
  'etag',
  'location',
  'preference-applied',
  'retry-after',
  'x-request-id',
  'x-supabase-api-version',
  'x-relay-error',
  'x-should-retry',
  'tus-resumable',
  'tus-version',
  'tus-extension',
  'tus-max-size',
  'upload-offset',
  'upload-length',
  'upload-metadata',
  'upload-expires',
]

/** Seconds for which a browser sends no further preflight. */
const preflightSeconds = '600'
const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const maxNames = 100

export const isPreflight = ({ message: { method, headers } }: AppsRequest): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined

/** Functions' own headers may be sent, too: all well-formed names that the page requests. */
export function preflightHeaders({ message: { headers } }: AppsRequest): Record<string, string> {
  const asked = namesOf(headers['access-control-request-headers'])
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': [...new Set([...requestHeaders, ...asked])].join(', '),
    'access-control-max-age': preflightSeconds,
    vary: 'access-control-request-method, access-control-request-headers',
  }
}

/** The headers of an answer; `stated` are further ones that a function exposes. */
export const readableHeaders = (stated?: string): Record<string, string> => ({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [...new Set([...exposedHeaders, ...namesOf(stated)])].join(', '),
})

const namesOf = (list: string | string[] | undefined): string[] =>
  String(list ?? '')
    .slice(0, 8_000)
    .split(',', maxNames)
    .map((name) => name.trim().toLowerCase())
    .filter((name) => headerName.test(name))
