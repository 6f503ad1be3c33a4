/** The states between two signs of a JSON object. Those of a word, a string and a number are inside of one. */
type State =
  | 'start'
  | 'firstName'
  | 'name'
  | 'colon'
  | 'value'
  | 'firstValue'
  | 'afterValue'
  | 'complete'
  | 'word'
  | 'string'
  | 'escape'
  | 'codePoint'
  | NumberState
type NumberState = 'minus' | 'zero' | 'integer' | 'point' | 'fraction' | 'exponent' | 'powerSign' | 'power'

const words: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }
const isDigit = (sign: string): boolean => sign >= '0' && sign <= '9'
const isBlank = (sign: string): boolean => sign === ' ' || sign === '\n' || sign === '\t' || sign === '\r'
const endsNumber = (sign: string): boolean => isBlank(sign) || sign === ',' || sign === '}' || sign === ']'

/** Signs of a string that stand for themselves, and whole escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has control characters only in their escaped form.
const plainSigns = /[^"\\\u0000-\u001f]+/y
const wholeEscape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** The place after what matches here; -1 if nothing does. */
function pastMatch(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex : -1
}

/** What a number that ends in this state is continued with; empty where it is one already. */
const numberEnds: Readonly<Record<NumberState, string>> = {
  minus: '0',
  zero: '',
  integer: '',
  point: '0',
  fraction: '',
  exponent: '0',
  powerSign: '0',
  power: '',
}

/** The state of a number after this sign; undefined if the sign does not continue it. */
function nextOfNumber(state: NumberState, sign: string): NumberState | undefined {
  if (isDigit(sign)) {
    if (state === 'minus') return sign === '0' ? 'zero' : 'integer'
    if (state === 'point') return 'fraction'
    if (state === 'exponent' || state === 'powerSign') return 'power'
    return state === 'zero' ? undefined : state
  }
  if (sign === '.') return state === 'zero' || state === 'integer' ? 'point' : undefined
  if (sign === 'e' || sign === 'E')
    return state === 'zero' || state === 'integer' || state === 'fraction' ? 'exponent' : undefined
  return state === 'exponent' && (sign === '+' || sign === '-') ? 'powerSign' : undefined
}

const isInNumber = (state: State): state is NumberState => state in numberEnds

/**
 * A JSON object that comes in pieces and is passed on before its end is known: it follows how far the pieces are JSON, and closes what was passed on.
 * It takes time in proportion to the text, and keeps nothing of it but the name of the last member.
 */
export class PartialObject {
  #state: State = 'start'
  #isBroken = false
  /** The signs that close what is open, from the outside in. */
  readonly #closers: string[] = []
  /** Whether the string that was read last is the name of a member. */
  #isName = false
  /** The JSON of the last name of the outermost object, as far as it was read. */
  #outerName = ''
  /** What is missing of a word. */
  #restOfWord = ''
  /** How many digits are missing of `\u0000`. */
  #missingDigits = 0

  /** Reads on. Returns what of the piece can be passed on: nothing from the first sign that is no JSON, and no more than blanks after the object's end. */
  take(piece: string): string {
    let at = 0
    while (at < piece.length && !this.#isBroken) {
      if (this.#state === 'string') at = this.#readString(piece, at)
      else if (this.#read(piece[at]!)) at++
      else this.#isBroken = true
    }
    return piece.slice(0, at)
  }

  get isComplete(): boolean {
    return this.#state === 'complete'
  }

  /** Whether no more than blanks will be passed on. */
  get isOver(): boolean {
    return this.#isBroken || this.isComplete
  }

  /**
   * What makes a whole object of what was passed on, with `member` (its JSON) at the end. The member in which the text ends is repeated as null, which
   * holds for parsers because it comes later: half of a value is worse than none. Empty for an object that is complete.
   */
  closing(member: string): string {
    const state = this.#state
    if (state === 'complete') return ''
    if (state === 'start') return `{${member}}`
    const isOuter = this.#closers.length === 1
    if (isOuter && (state === 'firstName' || state === 'name')) return `${member}}`
    if (isOuter && state === 'afterValue') return `,${member}}`
    const name = this.#outerName + (isOuter && this.#isName ? this.#endOfString() : '')
    const inner = this.#closers.slice(1).reverse().join('')
    return `${this.#endOfValue()}${inner},${name}:null,${member}}`
  }

  /** Reads what is whole of a string, and the sign that ends it. Returns the place after what it read. */
  #readString(piece: string, at: number): number {
    let end = at
    for (
      let next = at;
      next !== -1;
      next = pastMatch(piece[end] === '\\' ? wholeEscape : plainSigns, piece, end)
    )
      end = next
    this.#noteName(piece.slice(at, end))
    if (end === piece.length) return end
    const sign = piece[end]
    if (sign !== '"' && sign !== '\\') {
      this.#isBroken = true
      return end
    }
    this.#noteName(sign)
    this.#state = sign === '\\' ? 'escape' : this.#isName ? 'colon' : 'afterValue'
    return end + 1
  }

  #noteName(text: string): void {
    if (this.#isName && this.#closers.length === 1) this.#outerName += text
  }

  /** Reads one sign. Returns false if JSON has none such here. */
  #read(sign: string): boolean {
    const state = this.#state
    if (isInNumber(state)) return this.#readNumber(state, sign)
    switch (state) {
      case 'word':
        return this.#readWord(sign)
      case 'escape':
        return this.#readEscape(sign)
      case 'codePoint':
        return this.#readDigit(sign)
      default:
        return isBlank(sign) || this.#readSign(state, sign)
    }
  }

  /** Reads a sign between names and values. */
  #readSign(state: State, sign: string): boolean {
    switch (state) {
      case 'start':
        return sign === '{' && this.#open('}', 'firstName')
      case 'firstName':
        return sign === '}' ? this.#close() : sign === '"' && this.#beginString(true)
      case 'name':
        return sign === '"' && this.#beginString(true)
      case 'colon':
        return sign === ':' && this.#enter('value')
      case 'firstValue':
        return sign === ']' ? this.#close() : this.#beginValue(sign)
      case 'value':
        return this.#beginValue(sign)
      case 'afterValue':
        if (sign === ',') return this.#enter(this.#closers.at(-1) === '}' ? 'name' : 'value')
        return sign === this.#closers.at(-1) && this.#close()
      default:
        return false
    }
  }

  #beginValue(sign: string): boolean {
    if (sign === '"') return this.#beginString(false)
    if (sign === '{') return this.#open('}', 'firstName')
    if (sign === '[') return this.#open(']', 'firstValue')
    this.#restOfWord = words[sign]?.slice(1) ?? ''
    if (this.#restOfWord !== '') return this.#enter('word')
    if (sign === '-') return this.#enter('minus')
    return isDigit(sign) && this.#enter(sign === '0' ? 'zero' : 'integer')
  }

  #beginString(isName: boolean): boolean {
    this.#isName = isName
    if (isName && this.#closers.length === 1) this.#outerName = '"'
    return this.#enter('string')
  }

  #readNumber(state: NumberState, sign: string): boolean {
    const next = nextOfNumber(state, sign)
    if (next !== undefined) return this.#enter(next)
    if (numberEnds[state] !== '' || !endsNumber(sign)) return false
    this.#state = 'afterValue'
    return this.#read(sign)
  }

  #readWord(sign: string): boolean {
    if (sign !== this.#restOfWord[0]) return false
    this.#restOfWord = this.#restOfWord.slice(1)
    return this.#enter(this.#restOfWord === '' ? 'afterValue' : 'word')
  }

  #readEscape(sign: string): boolean {
    if (!'"\\/bfnrtu'.includes(sign)) return false
    this.#noteName(sign)
    this.#missingDigits = 4
    return this.#enter(sign === 'u' ? 'codePoint' : 'string')
  }

  #readDigit(sign: string): boolean {
    if (!/[\da-f]/i.test(sign)) return false
    this.#noteName(sign)
    this.#missingDigits--
    return this.#enter(this.#missingDigits === 0 ? 'string' : 'codePoint')
  }

  #enter(state: State): true {
    this.#state = state
    return true
  }

  #open(closer: string, state: State): true {
    this.#closers.push(closer)
    this.#isName = false
    return this.#enter(state)
  }

  #close(): true {
    this.#closers.pop()
    return this.#enter(this.#closers.length === 0 ? 'complete' : 'afterValue')
  }

  #endOfString(): string {
    if (this.#state === 'escape') return '\\"'
    if (this.#state === 'codePoint') return `${'0'.repeat(this.#missingDigits)}"`
    return this.#state === 'string' ? '"' : ''
  }

  /** What ends the member or the value that was begun. */
  #endOfValue(): string {
    const state = this.#state
    if (isInNumber(state)) return numberEnds[state]
    switch (state) {
      case 'string':
      case 'escape':
      case 'codePoint':
        return this.#endOfString() + (this.#isName ? ':null' : '')
      case 'word':
        return this.#restOfWord
      case 'name':
        return '"":null'
      case 'colon':
        return ':null'
      case 'value':
        return 'null'
      default:
        return ''
    }
  }
}
