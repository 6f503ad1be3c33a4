/** Addresses of what the second listener serves. They come from the configuration alone, never from a request. */
import type { Config } from '#platform/config'

export type AddressConfig = Pick<Config, 'apps' | 'baseUrl' | 'baseUrlNamed' | 'port'>

/** Every name under `localhost` is this machine (RFC 6761, section 6.3). */
const ownMachine = 'localhost'

/** The host `label.domain`; `label.localhost` if no domain is configured. */
export const labelHost = (domain: string | undefined, label: string): string =>
  `${label}.${domain ?? ownMachine}`

/** The URL `https://label.domain`, without a slash at its end; `http://label.localhost:8081` if no domain is configured. */
export function labelUrl(
  { apps, baseUrl, port }: AddressConfig,
  domain: string | undefined,
  label: string,
): string {
  const host = labelHost(domain, label)
  const { protocol, port: basePort } = new URL(baseUrl)
  // If the base URL has the API's own port, there is no proxy in front: then the second listener is reached at its own port, too.
  const isDirect = protocol === 'http:' && Number(basePort || 80) === port
  if (domain === undefined || isDirect) return withPort('http:', host, String(apps.port))
  return withPort(protocol, host, basePort)
}

const withPort = (protocol: string, host: string, port: string): string =>
  new URL(`${protocol}//${host}${port === '' ? '' : `:${port}`}`).origin
