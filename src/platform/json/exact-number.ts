/** Numbers that JSON can write and no double has, such as 2512292042121000001 (docs/decisions/platform/exact-numbers.md). */

declare global {
  interface JSON {
    /** An object that `JSON.stringify` writes as this text. V8 has it; the libraries of TypeScript do not know it. */
    rawJSON(text: string): { readonly rawJSON: string }
  }
}

/**
 * A number as its text: `JSON.stringify` writes the text, arithmetic takes the nearest double. It stands only in values that are written again
 * (`exactly`); what is read and checked has the double.
 */
export class ExactNumber {
  readonly #json: { readonly rawJSON: string }

  /** `text` is a number of JSON. */
  constructor(text: string) {
    this.#json = JSON.rawJSON(text)
  }

  toJSON(): object {
    return this.#json
  }

  valueOf(): number {
    return Number(this.#json.rawJSON)
  }

  toString(): string {
    return this.#json.rawJSON
  }
}

/** A text of fewer characters has at most fifteen digits, which a double keeps. */
const longText = 16

/** The number where no double has its value; undefined for all others, however they are spelled (`1.0`, `1E5`). `text` is a number of JSON. */
export function exactNumberOf(text: string, double = Number(text)): ExactNumber | undefined {
  const size = Math.abs(double)
  if (text.length < longText && size > 1e-290 && size < 1e290) return undefined
  const shortest = String(double)
  if (shortest === text) return undefined
  if (size === Number.POSITIVE_INFINITY) return new ExactNumber(text)
  const isPlain = size >= 1e-6 && size < 1e21 && !/[eE]/.test(text)
  const isSame = isPlain
    ? withoutLastZeros(text) === shortest
    : canonicalNumber(text) === canonicalNumber(shortest)
  return isSame ? undefined : new ExactNumber(text)
}

/** The text of a number without an exponent, as JavaScript would spell it. */
function withoutLastZeros(text: string): string {
  if (!text.endsWith('0') || !text.includes('.')) return text
  let end = text.length
  while (text[end - 1] === '0') end--
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end)
}

/** One spelling for all spellings of a number, in linear time; an exponent beyond 2^53 stays as it is spelled. */
export function canonicalNumber(text: string): string {
  const sign = text.startsWith('-') ? '-' : ''
  const at = text.search(/[eE]/)
  const [whole = '', fraction = ''] = text.slice(sign.length, at === -1 ? undefined : at).split('.')
  const digits = whole + fraction
  let from = 0
  while (digits[from] === '0') from++
  let to = digits.length
  while (to > from && digits[to - 1] === '0') to--
  if (from === to) return '0'
  const exponent = (at === -1 ? 0 : Number(text.slice(at + 1))) + whole.length - from
  return Number.isSafeInteger(exponent) ? `${sign}0.${digits.slice(from, to)}e${exponent}` : text
}

/**
 * How many digits PostgreSQL writes of a number of JSON before and after the point: it writes all of them, where JSON has `1e+21` and `1.5e-7`. What
 * becomes null counts as four.
 */
export function digitsOf(text: string): { sign: number; whole: number; fraction: number } {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (!match) return { sign: 0, whole: text.length, fraction: 0 }
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const zeros = /^0*/.exec(whole + fraction)![0].length
  return {
    sign: sign.length,
    whole: Math.max(1, whole.length + Number(exponent) - zeros),
    fraction: Math.max(0, fraction.length - Number(exponent)),
  }
}

/** The bytes of the JSON of a value as PostgreSQL has stored it: numbers that no double has are written without an exponent. */
export const writtenOutBytes = (value: unknown): number =>
  Buffer.byteLength(JSON.stringify(value)) + exponentBytes(value)

/** The bytes by which numbers grow when they are written without an exponent. */
function exponentBytes(value: unknown): number {
  if (value instanceof ExactNumber) {
    const text = String(value)
    const { sign, whole, fraction } = digitsOf(text)
    return Math.max(0, sign + whole + (fraction > 0 ? fraction + 1 : 0) - text.length)
  }
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, one) => sum + exponentBytes(one), 0)
}

/** Returns its argument, so that classes that extend it give a list or an object a hidden member, which no copy and no reader sees. */
class Host {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: a map of two hundred thousand weak references holds the event loop for half a second.
    return object
  }
}

class ExactPartner extends Host {
  readonly #exact: object

  constructor(plain: object, exact: object) {
    super(plain)
    this.#exact = exact
  }

  static of(plain: object): object {
    return #exact in plain ? plain.#exact : plain
  }
}

class PlainPartner extends Host {
  readonly #plain: object

  constructor(exact: object, plain: object) {
    super(exact)
    this.#plain = plain
  }

  static of(exact: object): object {
    return #plain in exact ? exact.#plain : exact
  }
}

/** Notes that `exact` is the list or object `plain` with exact numbers in it; call it once for each. */
export const noteExact = (plain: object, exact: object): void => void new ExactPartner(plain, exact)

/** Notes of what `exact` was made, for `plainly`. */
export const notePlain = (exact: object, plain: object): void => {
  if (PlainPartner.of(exact) === exact) new PlainPartner(exact, plain)
}

/**
 * A list or an object that was read with `exact: true`, as it is to be written: the numbers in it that no double has are `ExactNumber`s. A value
 * without such a number is returned as it is, and so is a copy of one, whose members are looked up one by one.
 */
export const exactly = <Value>(value: Value): Value =>
  typeof value === 'object' && value !== null ? (ExactPartner.of(value) as Value) : value

/** The doubles of an open part of a body with exact numbers (`exactNumbers` of its route), for code that computes with them. */
export const plainly = <Value>(value: Value): Value =>
  typeof value === 'object' && value !== null ? (PlainPartner.of(value) as Value) : value

/** The JSON of what was read with `exact: true`, with every digit of its numbers. */
export const exactText = (value: object): string => JSON.stringify(exactly(value))
