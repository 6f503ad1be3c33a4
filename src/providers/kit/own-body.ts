import type { Turn, Wire } from '#engine/turn'

/** The caller's own body, where it came by this very wire and the turn says no more than it. */
export const ownBody = ({ source }: Turn, wire: Wire): Record<string, unknown> | undefined =>
  source.wire === wire ? source.body : undefined
