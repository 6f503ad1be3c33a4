/** Hosts told apart on one listener: which routes a request may meet, by its `Host`. */
import type { IncomingMessage } from 'node:http'
import type { Route } from './http.ts'

/** Labels that stand for themselves, and `{name}` for one of any letters; `undefined` where the host is another. */
export type HostPattern = (host: string | undefined) => Record<string, string> | undefined

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A pattern such as `{slug}.sites.example.org`; ports and the case of letters do not count. */
export function hostPattern(pattern: string): HostPattern {
  const wanted = pattern.toLowerCase().split('.')
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

/** The place of routes without a host of their own, which every unknown host is sent to. */
const anywhere = '*'

export const zoneOf = ({ host }: Pick<Route, 'host'>): string => host?.toLowerCase() ?? anywhere

/** The zone of a request: the pattern that its host matches, names before `{name}`. */
export function zonesOf(routes: readonly Route[]): (host: string | undefined) => string {
  const zones = [...new Set(routes.map(zoneOf))]
    .filter((zone) => zone !== anywhere)
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((zone) => ({ zone, matches: hostPattern(zone) }))
  return (host) => zones.find(({ matches }) => matches(host))?.zone ?? anywhere
}

/** What Fastify's router needs to tell zones apart; a route of one is never found from another. */
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
