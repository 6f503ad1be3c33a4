/** Addresses of what the second listener serves. They come from the configuration alone, never from a request. */
import type { Config } from '#platform/config'

type Zones = Pick<Config, 'apps' | 'baseUrl' | 'baseUrlNamed' | 'port'>

/** Every name under `localhost` is this machine (RFC 6761, section 6.3). */
const ownMachine = 'localhost'

export const siteHost = ({ apps }: Pick<Config, 'apps'>, label: string): string =>
  `${label}.${apps.domain ?? ownMachine}`

export const cloudHost = ({ apps }: Pick<Config, 'apps'>, ref: string): string =>
  `${ref}.${apps.cloudDomain ?? ownMachine}`

/** The URL of a site: `https://label.domain`, without a slash at its end; `http://label.localhost:8081` if no domain is configured. */
export const siteUrl = (config: Zones, label: string): string =>
  urlOf(config, siteHost(config, label), config.apps.domain !== undefined)

export const cloudUrl = (config: Zones, ref: string): string =>
  urlOf(config, cloudHost(config, ref), config.apps.cloudDomain !== undefined)

function urlOf({ apps, baseUrl, port }: Zones, host: string, hasDomain: boolean): string {
  const { protocol, port: basePort } = new URL(baseUrl)
  // If the base URL has the API's own port, there is no proxy in front: then the second listener is reached at its own port, too.
  const isDirect = protocol === 'http:' && Number(basePort || 80) === port
  if (!hasDomain || isDirect) return withPort('http:', host, String(apps.port))
  return withPort(protocol, host, basePort)
}

const withPort = (protocol: string, host: string, port: string): string =>
  new URL(`${protocol}//${host}${port === '' ? '' : `:${port}`}`).origin

/** Whether the host is the domain of sites or of clouds, or below one of them. */
export const isOfZone = ({ apps: { domain, cloudDomain } }: Pick<Config, 'apps'>, host: string): boolean =>
  [domain, cloudDomain].some((one) => one !== undefined && (host === one || host.endsWith(`.${one}`)))
