/** Ids of calls on this wire begin with `toolu_`. Upstreams of other wires know their own ids only, some of them by shape. */
const prefix = 'toolu_'

export const callId = (upstreamId: string): string =>
  upstreamId.startsWith(prefix) ? upstreamId : prefix + upstreamId

/** The id as an upstream of another wire gave it; one of this wire gets the body as it is. */
export const upstreamCallId = (id: string): string =>
  id.startsWith(prefix) && id.length > prefix.length ? id.slice(prefix.length) : id

/** Calls of tools that ran here; those that ran at a vendor's begin with `srvtoolu_` alone. */
const hostedPrefix = 'srvtoolu_kherad_'

export const hostedCallId = (upstreamId: string): string => hostedPrefix + upstreamId

export const isHostedCallId = (id: string): boolean => id.startsWith(hostedPrefix)

/** The id as the upstream gave it; a vendor's own as it is. */
export const upstreamHostedCallId = (id: string): string =>
  isHostedCallId(id) && id.length > hostedPrefix.length ? id.slice(hostedPrefix.length) : id
