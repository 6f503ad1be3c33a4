/** Ids of calls on this wire begin with `toolu_`. Upstreams of other wires accept only their own ids, and some check the format. */
const prefix = 'toolu_'

/** Before an id of another wire. Its second `_`, which ids of this wire's vendors lack, tells them that another vendor began the turn. */
const otherWirePrefix = `${prefix}x_`

export const callId = (upstreamId: string): string =>
  upstreamId.startsWith(prefix) ? upstreamId : otherWirePrefix + upstreamId

/**
 * The id as an upstream of another wire issued it; an upstream of this wire gets the caller's body with the ids unchanged. Conversations
 * that are older than the longer prefix have the shorter one alone.
 */
const upstreamCallId = (id: string): string => {
  const own = [otherWirePrefix, prefix].find((one) => id.startsWith(one) && id.length > one.length)
  return own === undefined ? id : id.slice(own.length)
}

/** The prefix of calls of tools that the platform ran; ids of calls that a vendor ran begin with `srvtoolu_` only. */
const hostedPrefix = 'srvtoolu_kherad_'

export const hostedCallId = (upstreamId: string): string => hostedPrefix + upstreamId

export const isHostedCallId = (id: string): boolean => id.startsWith(hostedPrefix)

/** The id as the upstream issued it; a vendor's id is returned unchanged. */
export const upstreamHostedCallId = (id: string): string =>
  isHostedCallId(id) && id.length > hostedPrefix.length ? id.slice(hostedPrefix.length) : id

/**
 * The ids of one conversation for upstreams of other wires. Two ids stay two: one whose upstream id an earlier one has keeps or gets a prefix. An id is
 * the same in every turn of a conversation that only grows, if the conversation is read from its beginning.
 */
export class UpstreamCallIds {
  /** The upstream's ids, by the caller's. */
  readonly #known = new Map<string, string>()
  readonly #taken = new Set<string>()

  of(id: string): string {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    let own = isHostedCallId(id) ? upstreamHostedCallId(id) : upstreamCallId(id)
    while (this.#taken.has(own)) own = prefix + own
    this.#known.set(id, own)
    this.#taken.add(own)
    return own
  }
}
