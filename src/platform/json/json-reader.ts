import type { Slice } from '#platform/slices'
import { exactNumberOf, noteExact } from './exact-number.ts'
import { type JsonBounds, NotJson } from './not-json.ts'
import { StringReader } from './string-reader.ts'

const quote = 0x22
const minus = 0x2d
const plus = 0x2b
const point = 0x2e
const zero = 0x30
const smallE = 0x65
const capitalE = 0x45
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** The kind of token that is expected next. `first…` also accepts the end of the list or object that was just opened. */
type ExpectedToken = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'more' | 'end'

/** Units of work (about one per byte) between two checks of the clock, which take some tenths of a millisecond. */
const workPerLook = 65_536
/** Units of work per value, in addition to its bytes. */
const workOfValue = 48
/** Maximum characters of one number. JSON.parse has no such limit, but no real number is this long. */
const maxNumberLength = 10_000
/** Maximum numbers of one text that no double has: each takes as long as five others, to be read and whenever it is written. */
export const maxExactNumbers = 30_000
/** A number of so many characters without an exponent is that of a double. */
const shortDigits = 15
/** From this many characters on a string was joined of parts. */
const longText = 1024 * 1024
const literals = [
  { bytes: Buffer.from('true'), value: true },
  { bytes: Buffer.from('false'), value: false },
  { bytes: Buffer.from('null'), value: null },
]

type Container = unknown[] | Record<string, unknown>

/** Reads a JSON text piece by piece: call `run` until it returns true, then read `value`. The bytes must be UTF-8. */
export class JsonReader {
  value: unknown
  /** The value as it is to be written again; unlike `exactly(value)` also where the text is one number. */
  exactValue: unknown
  readonly #bytes: Buffer
  readonly #bounds: JsonBounds
  #at = 0
  #expected: ExpectedToken = 'value'
  /** The list or object that is being read, and those that enclose it. */
  #container: Container | undefined
  /** The same with exact numbers, from the first one on. */
  #exact: Container | undefined
  readonly #parents: {
    container: Container
    exact: Container | undefined
    name: string
    members: number
  }[] = []
  #name = ''
  #members = 0
  #values = 0
  #exactNumbers = 0
  #work = 0
  /** Characters of strings that were joined of parts since `takeJoined`: their parts are garbage. */
  #joined = 0
  /** The string that is being read: a name or a value. */
  #string: StringReader | undefined

  constructor(bytes: Buffer, bounds: JsonBounds) {
    this.#bytes = bytes
    this.#bounds = bounds
  }

  /** Reads until the slice is over. Returns true when the text is complete. Throws `NotJson`. */
  run(slice: Pick<Slice, 'isOver'>): boolean {
    for (;;) {
      if (this.#work > workPerLook) {
        this.#work = 0
        if (slice.isOver()) return false
      }
      if (this.#string) this.#readString(this.#string)
      else if (this.#skipSpace()) {
        if (this.#at < this.#bytes.length) this.#step(this.#bytes[this.#at]!)
        else if (this.#expected === 'end') return true
        else throw new NotJson({ kind: 'endsEarly' })
      }
    }
  }

  /** Skips white space. Returns false if more of it may follow. */
  #skipSpace(): boolean {
    const bytes = this.#bytes
    const end = Math.min(bytes.length, this.#at + workPerLook)
    const start = this.#at
    let at = start
    while (at < end && isSpace(bytes[at]!)) at++
    this.#at = at
    this.#work += at - start
    return at < end || at === bytes.length
  }

  #step(byte: number): void {
    switch (this.#expected) {
      case 'firstValue':
        if (byte === closeList) this.#close()
        else this.#begin(byte)
        break
      case 'value':
        this.#begin(byte)
        break
      case 'firstName':
        if (byte === closeObject) this.#close()
        else this.#beginName(byte)
        break
      case 'name':
        this.#beginName(byte)
        break
      case 'colon':
        if (byte !== colon) this.#refuse()
        this.#at++
        this.#expected = 'value'
        break
      case 'more':
        this.#goOn(byte)
        break
      case 'end':
        this.#refuse()
    }
  }

  #begin(byte: number): void {
    this.#work += workOfValue
    if (++this.#values > this.#bounds.maxValues)
      throw new NotJson({ kind: 'tooManyValues', max: this.#bounds.maxValues })
    if (byte === quote) this.#string = new StringReader(this.#bytes, this.#at + 1)
    else if (byte === openObject) this.#open({}, 'firstName')
    else if (byte === openList) this.#open([], 'firstValue')
    else if (byte === minus || isDigit(byte)) this.#readNumber()
    else this.#readLiteral()
  }

  #beginName(byte: number): void {
    if (byte !== quote) this.#refuse()
    if (++this.#members > this.#bounds.maxMembers)
      throw new NotJson({ kind: 'tooManyMembers', max: this.#bounds.maxMembers })
    this.#string = new StringReader(this.#bytes, this.#at + 1)
  }

  takeJoined(): number {
    const joined = this.#joined
    this.#joined = 0
    return joined
  }

  #readString(string: StringReader): void {
    this.#work += string.run(workPerLook)
    if (string.text === undefined) return
    if (string.text.length > longText) this.#joined += string.text.length
    this.#string = undefined
    this.#at = string.at
    if (this.#expected === 'name' || this.#expected === 'firstName') {
      this.#name = string.text
      this.#expected = 'colon'
    } else this.#take(string.text)
  }

  #readNumber(): void {
    const bytes = this.#bytes
    const start = this.#at
    const end = Math.min(bytes.length, start + maxNumberLength + 1)
    const whole = bytes[start] === minus ? start + 1 : start
    let at = bytes[whole] === zero ? whole + 1 : endOfDigits(bytes, whole, end)
    let isWhole = at > whole
    if (bytes[at] === point) {
      const fraction = at + 1
      at = endOfDigits(bytes, fraction, end)
      isWhole &&= at > fraction
    }
    const hasExponent = bytes[at] === smallE || bytes[at] === capitalE
    if (hasExponent) {
      const exponent = bytes[at + 1] === plus || bytes[at + 1] === minus ? at + 2 : at + 1
      at = endOfDigits(bytes, exponent, end)
      isWhole &&= at > exponent
    }
    if (at - start > maxNumberLength) throw new NotJson({ kind: 'longNumber', max: maxNumberLength })
    if (!isWhole || isOfNumber(bytes[at])) this.#refuse()
    const text = bytes.toString('latin1', start, at)
    const double = Number(text)
    const mayBeExact = this.#bounds.exact && (hasExponent || text.length > shortDigits)
    this.#work += at - start
    this.#at = at
    const exact = mayBeExact ? exactNumberOf(text, double) : undefined
    if (exact && ++this.#exactNumbers > maxExactNumbers)
      throw new NotJson({ kind: 'tooManyLongNumbers', max: maxExactNumbers })
    this.#take(double, exact)
  }

  #readLiteral(): void {
    const word = literals.find(({ bytes }) => this.#bytes[this.#at] === bytes[0])
    if (!word) throw this.#unexpected()
    const end = this.#at + word.bytes.length
    if (word.bytes.compare(this.#bytes, this.#at, Math.min(end, this.#bytes.length)) !== 0) this.#refuse()
    this.#at = end
    this.#take(word.value)
  }

  /** Stores the value in the list or object that encloses it; `exact` is the same with exact numbers, where there are some. */
  #take(value: unknown, exact?: object): void {
    const into = this.#container
    if (into === undefined) {
      this.value = value
      this.exactValue = exact ?? value
      this.#expected = 'end'
      return
    }
    if (exact) this.#exact ??= Array.isArray(into) ? [...into] : { ...into }
    put(into, this.#name, value)
    if (this.#exact) put(this.#exact, this.#name, exact ?? value)
    this.#expected = 'more'
  }

  #open(container: Container, expected: ExpectedToken): void {
    if (this.#parents.length >= this.#bounds.maxDepth)
      throw new NotJson({ kind: 'tooDeep', max: this.#bounds.maxDepth })
    this.#parents.push({
      container: this.#container!,
      exact: this.#exact,
      name: this.#name,
      members: this.#members,
    })
    this.#container = container
    this.#exact = undefined
    this.#members = 0
    this.#expected = expected
    this.#at++
  }

  #close(): void {
    const closed = this.#container!
    const closedExact = this.#exact
    const { container, exact, name, members } = this.#parents.pop()!
    this.#container = container
    this.#exact = exact
    this.#name = name
    this.#members = members
    this.#at++
    if (closedExact) noteExact(closed, closedExact)
    this.#take(closed, closedExact)
  }

  #goOn(byte: number): void {
    const isList = Array.isArray(this.#container)
    if (byte === (isList ? closeList : closeObject)) this.#close()
    else if (byte === comma) {
      this.#at++
      this.#expected = isList ? 'value' : 'name'
    } else this.#refuse()
  }

  #refuse(): never {
    throw this.#unexpected()
  }

  #unexpected(): NotJson {
    return new NotJson({ kind: 'unexpected', at: this.#bytes.toString('utf8', 0, this.#at).length })
  }
}

function put(into: Container, name: string, value: unknown): void {
  if (Array.isArray(into)) into.push(value)
  else if (name !== '__proto__') into[name] = value
  else
    Object.defineProperty(into, '__proto__', {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= 0x39

function endOfDigits(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (at < end && isDigit(bytes[at])) at++
  return at
}

/** The bytes of numbers: digits, `-`, `+`, `.`, `e` and `E`. */
const isOfNumber = (byte: number | undefined): boolean =>
  isDigit(byte) || byte === minus || byte === plus || byte === point || byte === smallE || byte === capitalE
