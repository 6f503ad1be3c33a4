import { readObject } from '#platform/json'

/**
 * The arguments of a call as they come. On this wire they are an object: what begins as one is passed on at once; everything else is held until it is
 * complete, and then written as the object that wraps it.
 */
export class ObjectText {
  #pending = ''
  /** Undefined while there are only blanks. */
  #isObject: boolean | undefined

  add(text: string): void {
    this.#isObject ??= beginsObject(text)
    this.#pending += text
  }

  /** Takes what can be passed on of the arguments so far. */
  take(): string {
    return this.#isObject ? this.#takeAll() : ''
  }

  /** The bytes that were not taken. */
  get bytes(): number {
    return Buffer.byteLength(this.#pending)
  }

  /** Takes the rest of complete arguments. */
  end(): string {
    const text = this.#takeAll()
    if (this.#isObject) return text
    return text.trim() === '' ? '' : JSON.stringify(readObject(text))
  }

  #takeAll(): string {
    const text = this.#pending
    this.#pending = ''
    return text
  }
}

function beginsObject(text: string): boolean | undefined {
  const first = text.trimStart()[0]
  return first === undefined ? undefined : first === '{'
}
