import type { Turn, Wire } from '#engine/turn'

/** The caller's own body if it came by this wire, else undefined: it holds all that the turn holds. */
export const sameWireBody = ({ source }: Turn, wire: Wire): Record<string, unknown> | undefined =>
  source.wire === wire ? source.body : undefined
