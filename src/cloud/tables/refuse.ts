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

/** What a table is called, which may have been meant by a name that nothing has. */
export interface NamedTable {
  id: string
  schema: string
  name: string
}

/** The refusal of a name that nothing has. Its hint names the most similar of the tables that may have been meant, where the caller may use it. */
export class NameNotFound extends RestRefused {
  override name = 'NameNotFound'
  readonly wanted: string
  readonly tables: () => readonly NamedTable[]
  readonly hintOf: (table: NamedTable) => Localized

  constructor(
    refusal: Refusal,
    { wanted, tables, hintOf }: Pick<NameNotFound, 'wanted' | 'tables' | 'hintOf'>,
  ) {
    super(refusal)
    this.wanted = wanted
    this.tables = tables
    this.hintOf = hintOf
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
