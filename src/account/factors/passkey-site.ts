/** Whether browsers use passkeys at the address at which a caller reaches this server, and by which name. */
import { isIP } from 'node:net'
import type { Config } from '#platform/config'
import type { Localized } from '#platform/errors'
import { baseUrlOf, type RequestContext } from '#platform/http'
import { availability } from './phrases.ts'

export interface PasskeySite {
  /** The name that passkeys are bound to (`rp.id`): the host without its port. */
  rpId: string
  origin: string
}

export type PasskeyAvailability = ({ available: true } & PasskeySite) | { available: false; why: Localized }

/**
 * Browsers use passkeys on HTTPS and at `http://localhost` only, and at no IP address. The address is KHERAD_BASE_URL, or else that of the request
 * itself, where headers of proxies count only from those that the operator names.
 */
export const passkeyAvailability = (
  context: Pick<RequestContext<{ config: Config }>, 'app' | 'headers' | 'peer'>,
): PasskeyAvailability => availabilityAt(baseUrlOf(context))

export function availabilityAt(baseUrl: string): PasskeyAvailability {
  const { protocol, hostname, origin, port } = new URL(baseUrl)
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  if (isLoopback(hostname)) return { available: false, why: availability.loopback(localhostUrl(port)) }
  if (isAddress) return { available: false, why: availability.address }
  if (protocol !== 'https:' && hostname !== 'localhost') return { available: false, why: availability.plain }
  return { available: true, rpId: hostname, origin }
}

const isLoopback = (hostname: string): boolean =>
  /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::1]'

const localhostUrl = (port: string): string => `http://localhost${port === '' ? '' : `:${port}`}`

/** The address at which passkeys work where this one is of this machine alone; undefined for all others. The start prints it. */
export function localhostOf(url: string): string | undefined {
  const { hostname, port } = new URL(url)
  return isLoopback(hostname) ? localhostUrl(port) : undefined
}
