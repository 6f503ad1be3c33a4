/** Addresses that lead to this platform itself: they are connected to directly, and nothing else of this machine is. */
import { cloudUrl } from '#platform/apps'
import type { Config } from '#platform/config'

/** Where the listeners of the platform are connected to, and by which origins functions name them. */
export interface Inside {
  /** Of the API: its `/v1` is reached there. */
  api?: { at: URL; origins: readonly string[] } | undefined
  /** Of clouds: a cloud's own address, and below these origins `/_cloud/<ref>`. */
  apps?: { at: URL; pathOrigins: readonly string[] } | undefined
}

export interface OwnCloud {
  ref: string
  cloudUrl: string
}

/**
 * Where a request is connected to if its address is the cloud's own or the platform's `/v1`. Undefined for all others, which are addresses
 * like any other: no other cloud, site or route of this machine is reached so. The URL is parsed, so its path has no `.` and `..`.
 */
export function insideTarget(url: URL, cloud: OwnCloud, { api, apps }: Inside): URL | undefined {
  const { origin, pathname } = url
  const isBelow = (prefix: string): boolean => pathname === prefix || pathname.startsWith(`${prefix}/`)
  if (apps && origin === new URL(cloud.cloudUrl).origin)
    return isOwnPath(cloud, isBelow) ? apps.at : undefined
  if (apps?.pathOrigins.includes(origin) && isBelow(`/_cloud/${cloud.ref}`)) return apps.at
  if (api?.origins.includes(origin) && isBelow('/v1')) return api.at
  return undefined
}

/** A cloud's address may be one of the path form itself. */
function isOwnPath({ cloudUrl }: OwnCloud, isBelow: (prefix: string) => boolean): boolean {
  const prefix = new URL(cloudUrl).pathname.replace(/\/$/, '')
  return prefix === '' || isBelow(prefix)
}

const anyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }

/** The listeners of this very process, as far as it has them. */
export function ownListeners(config: Config): Inside {
  const { host, port, apps, baseUrl } = config
  const connected = anyAddress[host] ?? (host.includes(':') ? `[${host}]` : host)
  const at = (own: number): URL => new URL(`http://${connected}:${own}`)
  const local = (own: number): string[] =>
    ['127.0.0.1', 'localhost', '[::1]'].map((name) => new URL(`http://${name}:${own}`).origin)
  const base = new URL(baseUrl).origin
  // Where an operator names none, the platform is called by whatever leads here.
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

/** The host of the base URL too, on the port of clouds. */
function pathOrigins(config: Config, local: readonly string[]): string[] {
  const { protocol, hostname } = new URL(config.baseUrl)
  const { port } = new URL(cloudUrl(config, 'a'))
  return [...local, new URL(`${protocol}//${hostname}${port === '' ? '' : `:${port}`}`).origin]
}
