/**
 * Opaque data of a model (a signature, encrypted reasoning) in the one field that a client of another wire sends back unchanged: `encrypted_content` of
 * a reasoning item on Responses, `signature` or `data` of a thinking block on Messages. Data of the client's own wire are passed on as they are.
 */
import type { OpaqueContent, Wire } from '#core/turn'
import { maxSyncBytes, readSmallJson } from '#platform/json'

const prefix = /^kherad\.(chat|messages|responses)\./

/** The data for a client of the wire `own`. `text`: the reasoning to which a signature belongs, where the client may not get it otherwise. */
export function seal(opaque: OpaqueContent, own: Wire, text?: string): string | undefined {
  if (opaque.wire === own) return opaque.data ?? opaque.signature
  const { wire, ...sealed } = opaque
  const body = { ...sealed, ...(opaque.signature !== undefined && text !== undefined && { text }) }
  return `kherad.${wire}.${Buffer.from(JSON.stringify(body)).toString('base64url')}`
}

/** Whether the data are another wire's than that of the client who sends them. */
export const isForeign = (sealed: string): boolean => prefix.test(sealed)

/** Reverses `seal`; undefined for data of the client's own wire. Damaged data have no fields, so that their wire leaves them out. */
export function unseal(sealed: string): { opaque: OpaqueContent; text?: string } | undefined {
  const wire = prefix.exec(sealed)?.[1] as Wire | undefined
  if (wire === undefined) return undefined
  const { text, ...fields } = stringsOf(sealed.slice(`kherad.${wire}.`.length))
  return { opaque: { wire, ...fields }, ...(text !== undefined && { text }) }
}

const names = ['signature', 'data', 'id', 'text'] as const
type SealedFields = Partial<Record<(typeof names)[number], string>>

/** What `seal` writes is a flat object; lists and objects inside would hold the event loop, since the caller may send megabytes of them. */
const sealedBounds = { maxDepth: 1, maxMembers: names.length, maxValues: names.length + 1 }

function stringsOf(base64: string): SealedFields {
  if (base64.length > maxSyncBytes) return {}
  try {
    const value = readSmallJson(Buffer.from(base64, 'base64url'), sealedBounds) as Record<
      string,
      unknown
    > | null
    return Object.fromEntries(
      names.map((name) => [name, value?.[name]]).filter(([, field]) => typeof field === 'string'),
    )
  } catch {
    return {}
  }
}
