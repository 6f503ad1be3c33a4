import type { HttpApp } from './app.ts'
import { hostName } from './host-name.ts'
import type { RequestContext } from './http.ts'
import { visitorOf } from './trusted-proxies.ts'

/**
 * The base URL at which this caller reaches the server: as configured, otherwise as in the request; headers of proxies count only from proxies that
 * the operator names. Clients send their key there, so only this request's own headers are used, and only for its own answer.
 */
export function baseUrlOf({
  app,
  headers,
  peer,
}: Pick<RequestContext<Pick<HttpApp, 'config'>>, 'app' | 'headers' | 'peer'>): string {
  const { baseUrl, baseUrlNamed, trustedProxies } = app.config
  if (baseUrlNamed) return baseUrl
  const { host, secure } = visitorOf({ headers, peer }, trustedProxies)
  if (host === undefined || hostName(host) === undefined) return baseUrl
  return `${secure ? 'https' : 'http'}://${host}`
}
