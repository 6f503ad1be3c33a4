/**
 * `encrypted_content` of a reasoning item: what a model has written for itself, to be sent back with the next turn. That
 * of this wire goes as it is. That of another (a signature of the messages wire) is wrapped, so that a client which knows
 * this wire alone carries it back all the same.
 */
import type { Opaque, Wire } from '#engine/turn'

const prefix = /^kherad\.(chat|messages)\./

/** The text is sealed with it where a signature stands for that text. */
export function seal(opaque: Opaque, text: string): string | undefined {
  if (opaque.wire === 'responses') return opaque.data
  const { wire, ...sealed } = opaque
  const body = { ...sealed, ...(opaque.signature !== undefined && { text }) }
  return `kherad.${wire}.${Buffer.from(JSON.stringify(body)).toString('base64url')}`
}

export const isForeign = (sealed: string): boolean => prefix.test(sealed)

/** What `seal` closed; of what is damaged nothing is left but the wire's own reading, which refuses it. */
export function unseal(sealed: string, id: string | undefined): { opaque: Opaque; text?: string } {
  const wire = prefix.exec(sealed)?.[1] as Wire | undefined
  if (wire === undefined)
    return { opaque: { wire: 'responses', data: sealed, ...(id !== undefined && { id }) } }
  const { text, ...fields } = stringsOf(sealed.slice(`kherad.${wire}.`.length))
  return { opaque: { wire, ...fields }, ...(text !== undefined && { text }) }
}

type Sealed = Partial<Record<'signature' | 'data' | 'id' | 'text', string>>

function stringsOf(base64: string): Sealed {
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
