export interface JsonBounds {
  /** Lists and objects around a value. */
  maxDepth: number
  /** Of one object. */
  maxMembers: number
  /** Of all kinds together, those of lists and objects included. Not counted in what JSON.parse reads at once. */
  maxValues: number
}

export type JsonTrouble =
  | { kind: 'notUtf8' | 'endsEarly' | 'unreadable' }
  | { kind: 'tooDeep' | 'tooManyMembers' | 'tooManyValues'; max: number }
  /** `at`: characters before it. */
  | { kind: 'unexpected'; at: number }

/** Why a text cannot be read as JSON, without a word of the text. */
export class NotJson extends Error {
  override name = 'NotJson'
  readonly trouble: JsonTrouble
  constructor(trouble: JsonTrouble) {
    super(`not JSON: ${trouble.kind}`)
    this.trouble = trouble
  }
}
