import type { Turn, Wire } from '#core/turn'

/** The caller's body if it came by this wire, else undefined. It contains everything that the turn contains. */
export const sameWireBody = ({ source }: Turn, wire: Wire): Record<string, unknown> | undefined =>
  source.wire === wire ? source.body : undefined
