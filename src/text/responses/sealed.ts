/**
 * `encrypted_content` of a reasoning item: opaque data of a model, which the client sends back with the next turn. Data of this wire
 * are passed on unchanged. Data of another wire (such as a signature of the messages wire) are wrapped, so that a client which knows
 * only this wire still sends them back.
 */
import type { OpaqueContent, Wire } from '#core/turn'

const prefix = /^kherad\.(chat|messages)\./

/** The `encrypted_content` of `opaque`. If it has a signature, the reasoning text to which that belongs is wrapped with it. */
export function seal(opaque: OpaqueContent, text: string): string | undefined {
  if (opaque.wire === 'responses') return opaque.data
  const { wire, ...sealed } = opaque
  const body = { ...sealed, ...(opaque.signature !== undefined && { text }) }
  return `kherad.${wire}.${Buffer.from(JSON.stringify(body)).toString('base64url')}`
}

export const isForeign = (sealed: string): boolean => prefix.test(sealed)

/** Reverses `seal`. If the data are damaged, no fields are returned, so the wire refuses them later. */
export function unseal(sealed: string, id: string | undefined): { opaque: OpaqueContent; text?: string } {
  const wire = prefix.exec(sealed)?.[1] as Wire | undefined
  if (wire === undefined)
    return { opaque: { wire: 'responses', data: sealed, ...(id !== undefined && { id }) } }
  const { text, ...fields } = stringsOf(sealed.slice(`kherad.${wire}.`.length))
  return { opaque: { wire, ...fields }, ...(text !== undefined && { text }) }
}

type SealedFields = Partial<Record<'signature' | 'data' | 'id' | 'text', string>>

function stringsOf(base64: string): SealedFields {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, 'base64url').toString('utf8'))
    const known = ['signature', 'data', 'id', 'text']
    return Object.fromEntries(
      Object.entries(value ?? {}).filter(
        ([name, field]) => known.includes(name) && typeof field === 'string',
      ),
    )
  } catch {
    return {}
  }
}
