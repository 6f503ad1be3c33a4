/** Addresses that lead to this platform itself: requests to them are connected directly, and nothing else of this machine is reached. */
import { cloudUrl } from '#cloud/clouds'
import type { Config } from '#platform/config'

/** The listeners of the platform: where they are connected to, and by which origins functions name them. */
export interface PlatformListeners {
  /** The listener of the API, where its `/v1` is reached. */
  api?: { at: URL; origins: readonly string[] } | undefined
  /** The listener of clouds: it serves a cloud's own address, and below these origins `/_cloud/<ref>`. */
  apps?: { at: URL; pathOrigins: readonly string[] } | undefined
}

export interface OwnCloud {
  ref: string
  cloudUrl: string
}

/**
 * The listener for a request whose address is the cloud's own or the platform's `/v1`. Undefined for all others, which are addresses like any other:
 * no other cloud, site or route of this machine is reached in this way. The URL is parsed, so its path has no `.` and `..`.
 */
export function platformListener(
  url: URL,
  cloud: OwnCloud,
  { api, apps }: PlatformListeners,
): URL | undefined {
  const { origin, pathname } = url
  const isBelow = (prefix: string): boolean => pathname === prefix || pathname.startsWith(`${prefix}/`)
  if (apps && origin === new URL(cloud.cloudUrl).origin)
    return isOwnPath(cloud, isBelow) ? apps.at : undefined
  if (apps?.pathOrigins.includes(origin) && isBelow(`/_cloud/${cloud.ref}`)) return apps.at
  if (api?.origins.includes(origin) && isBelow('/v1')) return api.at
  return undefined
}

/** Whether the path belongs to the cloud, whose own address may have the path form. */
function isOwnPath({ cloudUrl }: OwnCloud, isBelow: (prefix: string) => boolean): boolean {
  const prefix = new URL(cloudUrl).pathname.replace(/\/$/, '')
  return prefix === '' || isBelow(prefix)
}

const anyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }

/** The listeners of this very process, as far as it has them. */
export function ownListeners(config: Config): PlatformListeners {
  const { host, port, apps, baseUrl } = config
  const connected = anyAddress[host] ?? (host.includes(':') ? `[${host}]` : host)
  const at = (own: number): URL => new URL(`http://${connected}:${own}`)
  const local = (own: number): string[] =>
    ['127.0.0.1', 'localhost', '[::1]'].map((name) => new URL(`http://${name}:${own}`).origin)
  const base = new URL(baseUrl).origin
  // Where the operator names no base URL, functions call the platform by any origin that leads here.
  const origins = config.baseUrlNamed ? [base] : [base, ...local(port)]
  const hasPathForm = apps.cloudDomain === undefined && !apps.sharedPort
  const appsPort = apps.sharedPort ? port : apps.port
  return {
    api: { at: at(port), origins },
    ...(apps.listens && {
      apps: { at: at(appsPort), pathOrigins: hasPathForm ? pathOrigins(config, local(appsPort)) : [] },
    }),
  }
}

/** The local origins, and the host of the base URL on the port of clouds. */
function pathOrigins(config: Config, local: readonly string[]): string[] {
  const { protocol, hostname } = new URL(config.baseUrl)
  const { port } = new URL(cloudUrl(config, 'a'))
  return [...local, new URL(`${protocol}//${hostname}${port === '' ? '' : `:${port}`}`).origin]
}
