/**
 * Finds where the statements of a script begin and end, as PostgreSQL reads it, with comments, strings, dollar quotes and bodies in SQL. A mistake
 * here lets nothing through: each statement is sent alone, and PostgreSQL refuses a text of several.
 */

export interface ScriptStatement {
  text: string
  /** The place of its first character within the script, in UTF-16 units. */
  start: number
  /** Its words outside strings, comments and quoted names, in lower case: the first ones are enough to know what it is. */
  words: readonly string[]
}

/** A string, quoted name or comment of a script that has no end; it begins at `at`, in UTF-16 units. */
export interface OpenText {
  kind: 'string' | 'name' | 'dollar' | 'comment'
  at: number
}

export type ParsedScript = { statements: ScriptStatement[] } | { open: OpenText }

/** How many words of a statement are kept: its first words are enough to know what it is. */
const keptWords = 64

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)
const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** PostgreSQL takes every character beyond ASCII for a letter. */
const startsWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code >= 128
const isWord = (code: number): boolean => startsWord(code) || isDigit(code) || code === 36

export function readScript(text: string): ParsedScript {
  return new ScriptReader(text).read()
}

class ScriptReader {
  readonly #text: string
  readonly #statements: ScriptStatement[] = []
  #at = 0
  /** The start of the statement that is being read; -1 where none has begun. */
  #start = -1
  #words: string[] = []
  #parentheses = 0
  /** The depth of BEGIN … END and CASE … END in a body in SQL. */
  #blocks = 0
  #open: OpenText | undefined

  constructor(text: string) {
    this.#text = text
  }

  read(): ParsedScript {
    while (this.#at < this.#text.length && !this.#open) this.#step()
    if (this.#open) return { open: this.#open }
    this.#end()
    return { statements: this.#statements }
  }

  #step(): void {
    const code = this.#text.charCodeAt(this.#at)
    if (isSpace(code)) this.#at++
    else if (this.#skipComment(code)) return
    else if (code === 59 && this.#parentheses === 0 && this.#blocks === 0) this.#endAtSemicolon()
    else this.#token(code)
  }

  #skipComment(code: number): boolean {
    const next = this.#text.charCodeAt(this.#at + 1)
    if (code === 45 && next === 45) {
      while (this.#at < this.#text.length && !isLineEnd(this.#text.charCodeAt(this.#at))) this.#at++
      return true
    }
    if (code !== 47 || next !== 42) return false
    this.#skipNested()
    return true
  }

  /** Skips a comment of the kind that may contain others. */
  #skipNested(): void {
    const from = this.#at
    let depth = 0
    while (this.#at < this.#text.length) {
      const two = this.#text.slice(this.#at, this.#at + 2)
      if (two === '/*') depth++
      if (two === '*/') depth--
      this.#at += two === '/*' || two === '*/' ? 2 : 1
      if (depth === 0) return
    }
    this.#open = { kind: 'comment', at: from }
  }

  #token(code: number): void {
    if (this.#start < 0) this.#start = this.#at
    if (code === 39) this.#quoted(this.#at, "'", false)
    else if (code === 34) this.#quoted(this.#at, '"', false)
    else if (code === 36) this.#dollar()
    else if (startsWord(code)) this.#word()
    else if (isDigit(code)) this.#number()
    else {
      if (code === 40) this.#parentheses++
      if (code === 41 && this.#parentheses > 0) this.#parentheses--
      this.#at++
    }
  }

  /** Reads to the end of a string or of a quoted name, in which the quote itself is written twice. */
  #quoted(from: number, quote: string, hasEscapes: boolean): void {
    const opens = this.#text.indexOf(quote, from)
    for (this.#at = opens + 1; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]
      if (hasEscapes && char === '\\') this.#at++
      else if (char === quote && this.#text[this.#at + 1] === quote) this.#at++
      else if (char === quote) {
        this.#at++
        return
      }
    }
    this.#open = { kind: quote === '"' ? 'name' : 'string', at: from }
  }

  #dollar(): void {
    let end = this.#at + 1
    if (startsWord(this.#text.charCodeAt(end)))
      while (isWord(this.#text.charCodeAt(end)) && this.#text[end] !== '$') end++
    if (this.#text[end] !== '$') {
      // A parameter, such as $1.
      this.#at++
      return
    }
    const tag = this.#text.slice(this.#at, end + 1)
    const closes = this.#text.indexOf(tag, end + 1)
    if (closes < 0) this.#open = { kind: 'dollar', at: this.#at }
    else this.#at = closes + tag.length
  }

  #word(): void {
    const from = this.#at
    while (isWord(this.#text.charCodeAt(this.#at))) this.#at++
    const word = this.#text.slice(from, this.#at).toLowerCase()
    if (word === 'e' && this.#text[this.#at] === "'") this.#quoted(from, "'", true)
    else this.#note(word)
  }

  #note(word: string): void {
    if (this.#words.length < keptWords) this.#words.push(word)
    if (this.#parentheses > 0 || !this.#hasBody()) return
    if (word === 'begin' || (word === 'case' && this.#blocks > 0)) this.#blocks++
    if (word === 'end' && this.#blocks > 0) this.#blocks--
  }

  /** Whether the statement may have a body in SQL, with semicolons of its own, as functions have: BEGIN ATOMIC … END. */
  #hasBody(): boolean {
    const [first, second, third, fourth] = this.#words
    if (first !== 'create') return false
    const what = second === 'or' && third === 'replace' ? fourth : second
    return what === 'function' || what === 'procedure'
  }

  /** Reads a number, of which letters that follow are part: 1e5, 0x1f. */
  #number(): void {
    while (isWord(this.#text.charCodeAt(this.#at)) && this.#text[this.#at] !== '$') this.#at++
  }

  #endAtSemicolon(): void {
    this.#end()
    this.#at++
  }

  #end(): void {
    if (this.#start >= 0) {
      const text = this.#text.slice(this.#start, this.#at).trimEnd()
      this.#statements.push({ text, start: this.#start, words: this.#words })
    }
    this.#start = -1
    this.#words = []
    this.#parentheses = 0
    this.#blocks = 0
  }
}

const isLineEnd = (code: number): boolean => code === 10 || code === 13

/** Line and column of a place in a text, both from 1, in characters as people count them. */
export function positionAt(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at)
  const lines = before.split('\n')
  return { line: lines.length, column: [...lines.at(-1)!].length + 1 }
}
