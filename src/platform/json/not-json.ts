export interface JsonBounds {
  /** Maximum nesting depth. */
  maxDepth: number
  /** Maximum members of one object. */
  maxMembers: number
  /** Maximum values, including lists and objects. Not checked for texts that JSON.parse reads in one go. */
  maxValues: number
  /** Numbers that no double has are kept for `exactly`; of more than 30,000 the text is refused. */
  exact?: boolean
}

export type JsonTrouble =
  | { kind: 'notUtf8' | 'endsEarly' | 'unreadable' }
  | {
      kind: 'tooDeep' | 'tooManyMembers' | 'tooManyValues' | 'tooManyLongNumbers' | 'longNumber'
      max: number
    }
  /** `at` is the number of characters before the error. */
  | { kind: 'unexpected'; at: number }

/** Thrown for a text that is not JSON; the message contains nothing of the text. */
export class NotJson extends Error {
  override name = 'NotJson'
  readonly trouble: JsonTrouble
  constructor(trouble: JsonTrouble) {
    super(`not JSON: ${trouble.kind}`)
    this.trouble = trouble
  }
}
