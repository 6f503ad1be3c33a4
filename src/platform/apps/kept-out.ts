/** Keeps the hosts of the second zone off the port of the API, where nothing answers for them. */
import { Failure } from '#platform/errors'
import { hostName, peerOf, visitorOf, type Zone } from '#platform/http'
import type { AppsApp } from './app.ts'
import { refuse } from './refuse.ts'
import { domainsOf } from './settings.ts'

/**
 * Refuses requests for these hosts, so that no route of the API answers on an origin of strangers, whatever a proxy forwards. Undefined if no domain
 * is configured.
 */
export function refusingZone({ config }: Pick<AppsApp, 'config'>): Zone | undefined {
  const domains = domainsOf(config.apps)
  if (domains.length === 0) return undefined
  const hostOf = ({ headers, socket }: Parameters<Zone['isForZone']>[0]): string => {
    const { host } = visitorOf({ headers, peer: peerOf(socket) }, config.trustedProxies)
    return hostName(host ?? '') ?? ''
  }
  return {
    isForZone: (message) => {
      const host = hostOf(message)
      return domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
    },
    serve: (message, response) =>
      refuse(message, response, new Failure('HOST_NOT_FOUND', { host: hostOf(message) }, {})),
  }
}
