/** The items of a caller of this wire as this vendor takes them: it refuses what another vendor has encrypted, long ids of calls, and half a character. */
import { CallIds, isRecord, type ReasoningMark, wellFormedArguments } from '#providers/kit'

/** The vendor refuses longer ids. */
export const callIdRule = { accepted: /^.{1,64}$/su, maxLength: 64 }

/** The same objects where nothing has to change. */
export function vendorItems(items: readonly unknown[], mark: ReasoningMark): unknown[] {
  const ids = new CallIds(callIdRule)
  return items.flatMap((item): unknown[] => {
    if (!isRecord(item)) return [item]
    const { call_id: id, arguments: text, encrypted_content: sealed } = item
    if (typeof id === 'string') {
      const own = ids.callId(id)
      const wellFormed = typeof text === 'string' ? wellFormedArguments(text) : text
      if (own === id && wellFormed === text) return [item]
      return [{ ...item, call_id: own, ...(wellFormed !== undefined && { arguments: wellFormed }) }]
    }
    if (item['type'] !== 'reasoning' || sealed == null) return [item]
    const own = mark.read(sealed)
    if (own === sealed) return [item]
    return own ? [{ ...item, encrypted_content: own }] : []
  })
}
