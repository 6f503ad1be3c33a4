/** Host-based routing on one listener: which routes match a request's `Host`. */
import type { IncomingMessage } from 'node:http'
import type { Route } from './http.ts'

/** Matches a host. Returns the values of the pattern's `{name}` labels, or `undefined` for another host. */
export type HostPattern = (host: string | undefined) => Record<string, string> | undefined

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Parses a pattern of fixed labels and `{name}` for any one label, such as `{name}.apps.example.org`; ports and letter case are ignored. */
export function hostPattern(pattern: string): HostPattern {
  const wanted = pattern.split('.').map((want) => (want.startsWith('{') ? want : want.toLowerCase()))
  return (host) => {
    const labels = plainHost(host)?.split('.')
    if (labels?.length !== wanted.length) return undefined
    const found: Record<string, string> = {}
    for (const [at, want] of wanted.entries()) {
      const name = /^\{([^{}]+)\}$/.exec(want)?.[1]
      if (name === undefined ? labels[at] !== want : !label.test(labels[at]!)) return undefined
      if (name !== undefined) found[name] = labels[at]!
    }
    return found
  }
}

const plainHost = (host: string | undefined): string | undefined =>
  host
    ?.toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')

/** The zone of routes without a host, which also serves every unknown host. */
export const anywhere = '*'

/** The zone of a route. Routes of one set of hosts share a zone, whatever names they give its labels. */
export const zoneOf = ({ host }: Pick<Route, 'host'>): string =>
  host?.replace(/\{[^{}]+\}/g, '{any}').toLowerCase() ?? anywhere

/** The zone of a request: the pattern that its host matches, fixed names before `{name}`. */
export function zonesOf(routes: readonly Route[]): (host: string | undefined) => string {
  const zones = [...new Set(routes.map(zoneOf))]
    .filter((zone) => zone !== anywhere)
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((zone) => ({ zone, matches: hostPattern(zone) }))
  return (host) => zones.find(({ matches }) => matches(host))?.zone ?? anywhere
}

/** A constraint of the router that separates the zones, so that a route of one zone is never found in another. */
export const zoneConstraint = (zoneOfHost: (host: string | undefined) => string) => ({
  name: 'zone',
  mustMatchWhenDerived: true,
  storage<Handler>() {
    const handlers = new Map<string, Handler>()
    return {
      get: (zone: string) => handlers.get(zone) ?? null,
      set: (zone: string, handler: Handler) => void handlers.set(zone, handler),
    }
  },
  validate() {},
  deriveConstraint: ({ headers }: IncomingMessage) => zoneOfHost(headers.host),
})
