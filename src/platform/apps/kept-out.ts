/** The hosts of the second zone, on the port of the API: there they are nobody's. */
import type { App } from '#app'
import { Failure } from '#platform/errors'
import { hostName, peerOf, visitorOf, type Zone } from '#platform/http'
import { refuse } from './refuse.ts'
import { isOfZone } from './urls.ts'

/** Refuses them, so that no route answers on an origin of strangers, whatever a proxy sends here. Undefined where there are no domains. */
export function keptOut({ config }: App): Zone | undefined {
  const { domain, cloudDomain } = config.apps
  if (domain === undefined && cloudDomain === undefined) return undefined
  const hostOf = ({ headers, socket }: Parameters<Zone['takes']>[0]): string => {
    const { host } = visitorOf({ headers, peer: peerOf(socket) }, config.trustedProxies)
    return hostName(host ?? '') ?? ''
  }
  return {
    takes: (message) => isOfZone(config, hostOf(message)),
    serve: (message, response) =>
      refuse(message, response, new Failure('HOST_NOT_FOUND', { host: hostOf(message) }, {})),
  }
}
