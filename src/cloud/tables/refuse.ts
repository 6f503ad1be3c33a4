/** Refusals in the words of PostgREST, which clients know: `code`, `message`, `details`, `hint`. */
import type { Localized } from '#platform/errors'

export interface Refusal {
  status: number
  code: string
  message: Localized
  /** Objects are sent as they are. */
  details?: Localized | readonly object[] | undefined
  hint?: Localized | undefined
}

/** An error that is answered as its refusal says. */
export class RestRefused extends Error {
  override name = 'RestRefused'
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message.en)
    this.refusal = refusal
  }
}

export function refuse(refusal: Refusal): never {
  throw new RestRefused(refusal)
}

/** A text of the request, cut to what a sentence has room for. */
export const excerptOf = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)

/** The refusal of a text that cannot be read. */
export const parseRefusal = (text: string, why: Localized): Refusal => ({
  status: 400,
  code: 'PGRST100',
  message: {
    en: `"failed to parse ${excerptOf(text)}": ${why.en}`,
    fa: `«${excerptOf(text)}» خوانده نشد: ${why.fa}`,
  },
})
