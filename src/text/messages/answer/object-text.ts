import { PartialObject, readObject } from '#platform/json'

/** A larger piece, which no model writes at once, is passed on unchecked with all that follows: checking it would hold the event loop. */
const maxCheckedPiece = 256 * 1024

/**
 * The arguments of a call as they come. On this wire they are an object. In a stream, what begins as one is passed on at once, as far as it is JSON, and
 * closed as one; everything else is held until it is complete, and then written as the object that wraps it (docs/decisions/text/wires.md).
 */
export class ObjectText {
  readonly #isWhole: boolean
  readonly #object = new PartialObject()
  #text = ''
  #pending = ''
  /** Undefined while there are only blanks. */
  #isObject: boolean | undefined
  #isUnchecked = false

  /** `isWhole`: nothing is passed on before the end. */
  constructor({ isWhole }: { isWhole: boolean }) {
    this.#isWhole = isWhole
  }

  add(text: string): void {
    this.#isObject ??= beginsObject(text)
    this.#text += text
    this.#pending += text
  }

  /** Whether an object was passed on to its end. */
  get isComplete(): boolean {
    return this.#object.isComplete
  }

  /** Takes what can be passed on of the arguments so far. */
  take(): string {
    if (this.#isWhole || !this.#isObject) return ''
    const text = this.#pending
    this.#pending = ''
    if (text.length > maxCheckedPiece) {
      if (this.#object.isOver) return ''
      this.#isUnchecked = true
    }
    return this.#isUnchecked ? text : this.#object.take(text)
  }

  /** The bytes that were not taken. */
  get bytes(): number {
    return Buffer.byteLength(this.#pending)
  }

  /** Takes the rest of complete arguments. */
  end(): string {
    if (!this.#isObject) return this.#text.trim() === '' ? '' : JSON.stringify(readObject(this.#text))
    if (this.#isWhole) return this.#text
    const rest = this.take()
    if (this.#isUnchecked || this.#object.isComplete) return rest
    return rest + this.#object.closing(invalidMember(this.#text))
  }
}

/** The whole text, as clients of the wire are told to hand it back to the model. */
const invalidMember = (text: string): string => `"INVALID_JSON":${JSON.stringify(text)}`

function beginsObject(text: string): boolean | undefined {
  const first = /[^ \t\r\n]/.exec(text)?.[0]
  return first === undefined ? undefined : first === '{'
}
