import type { RequestContext } from './http.ts'

/**
 * The base URL at which this caller reaches the server: as configured, otherwise as in the request, including proxy headers. Clients send
 * their key there, so only this request's own headers are used, and only for its own answer.
 */
export function baseUrlOf({ app, headers }: Pick<RequestContext, 'app' | 'headers'>): string {
  const { baseUrl, baseUrlNamed } = app.config
  if (baseUrlNamed) return baseUrl
  const host = first(headers['x-forwarded-host']) ?? headers.host
  if (host === undefined || !/^[\w.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:.]+\](:\d{1,5})?$/.test(host)) return baseUrl
  return `${first(headers['x-forwarded-proto']) === 'https' ? 'https' : 'http'}://${host}`
}

const first = (header: string | string[] | undefined): string | undefined =>
  [header ?? []].flat()[0]?.split(',')[0]?.trim() || undefined
