export interface CutOptions {
  /** No piece is longer, in UTF-16 units. At least 16. */
  maxCharacters: number
  /** A sentence ends a piece once the piece has so many; shorter ones go together. */
  minCharacters?: number
  /** The first piece may end with a clause already, once it has so many: its sound is what somebody waits for. */
  firstClauseCharacters?: number
}

const [sentence, clause, word] = [2, 1, 0] as const
type Strength = typeof sentence | typeof clause | typeof word

/** Letters and digits that end in a full stop without ending a sentence. */
const abbreviation =
  /(?:^|[^\p{L}\p{M}\d])(?:Dr|Mrs?|Ms|Prof|St|No|vs|etc|cf|al|Figs?|Eq|approx|Inc|Ltd|Co|[ap]\.m|e\.g|i\.e|[A-Za-z](?:\.[A-Za-z])?|pp|دکتر|ج|ص|ق|ه|م|ش)\.$/u
const ending = /[.!?؟…۔]/
const pause = /[؛;،,:–—]/
const closing = /[»”"'’)\]}*_]/
const blank = /\s/
/** What belongs to the character before it: marks, joiners (the half-space too), the second half of a surrogate pair. */
const attached = /[\p{M}\udc00-\udfff]|\u200c|\u200d/u
/** Characters looked back at, from the end of a word. */
const maxBack = 12

/**
 * Cuts text into pieces for speech at the ends of sentences, and where one is too long at clauses or words. The pieces put together are
 * the text, character for character. Text may come in chunks: the cuts do not depend on them.
 */
export class SpeechCutter {
  readonly #max: number
  readonly #min: number
  readonly #first: number
  #text = ''
  /** In `text`: where the open piece begins, and what is read next. */
  #start = 0
  #at = 0
  /** Where the last word ended, if spaces have followed it, and whether one of them is the end of a line. */
  #wordEnd: number | undefined
  #hasBreak = false
  /** Where the line and the word began. */
  #lineStart = 0
  #wordStart = 0
  /** The last places of each strength at which the open piece could end. */
  #places: [word: number, clause: number, sentence: number] = [-1, -1, -1]
  #isFirst = true

  constructor({
    maxCharacters,
    minCharacters = 1,
    firstClauseCharacters = Number.POSITIVE_INFINITY,
  }: CutOptions) {
    this.#max = Math.max(16, maxCharacters)
    this.#min = minCharacters
    this.#first = firstClauseCharacters
  }

  write(text: string): string[] {
    this.#text = this.#text.slice(this.#start) + text
    const shift = this.#start
    this.#start = 0
    this.#at -= shift
    this.#lineStart -= shift
    this.#wordStart -= shift
    if (this.#wordEnd !== undefined) this.#wordEnd -= shift
    for (const strength of [sentence, clause, word]) this.#places[strength] -= shift
    const pieces: string[] = []
    for (; this.#at < this.#text.length; this.#at++) this.#read(this.#text[this.#at]!, pieces)
    return pieces
  }

  end(): string[] {
    const rest = this.#text.slice(this.#start)
    this.#text = ''
    this.#start = 0
    this.#at = 0
    return rest === '' ? [] : [rest]
  }

  #read(character: string, pieces: string[]): void {
    if (blank.test(character)) {
      this.#wordEnd ??= this.#at
      if (character === '\n') this.#hasBreak = true
    } else if (this.#wordEnd !== undefined) {
      this.#boundary(character, this.#wordEnd, pieces)
      if (this.#hasBreak) this.#lineStart = this.#at
      this.#wordStart = this.#at
      this.#wordEnd = undefined
      this.#hasBreak = false
    }
    if (this.#at - this.#start >= this.#max) this.#cut(this.#longest(), pieces)
  }

  /** A word begins here, after spaces: what came before may be a piece. */
  #boundary(next: string, wordEnd: number, pieces: string[]): void {
    const strength = this.#strengthAt(wordEnd, next)
    this.#places[strength] = this.#at
    const length = this.#at - this.#start
    if (length > this.#max) return
    const isEnough =
      strength === sentence
        ? length >= this.#min
        : strength === clause && this.#isFirst && length >= this.#first
    if (isEnough) this.#cut(this.#at, pieces)
  }

  #strengthAt(wordEnd: number, next: string): Strength {
    if (this.#hasBreak) return sentence
    let end = wordEnd
    while (end > this.#start && wordEnd - end < 4 && closing.test(this.#text[end - 1]!)) end -= 1
    const mark = this.#text[end - 1] ?? ''
    if (pause.test(mark)) return clause
    if (!ending.test(mark)) return word
    if (mark === '.' || mark === '…') {
      if (/\p{Ll}/u.test(next)) return word
      const before = this.#text.slice(Math.max(this.#start, end - maxBack), end)
      if (mark === '.' && (abbreviation.test(before) || this.#isNumbering(end))) return word
    }
    return sentence
  }

  /** «1.» at the beginning of a line numbers what follows. */
  #isNumbering(end: number): boolean {
    return (
      this.#wordStart === this.#lineStart &&
      /^[\d۰-۹]{1,3}\.$/.test(this.#text.slice(this.#wordStart, end).slice(0, 5))
    )
  }

  /** The best place to end a piece that has become too long. */
  #longest(): number {
    const half = this.#start + this.#max / 2
    const found = [sentence, clause, word].find((strength) => this.#places[strength] > half)
    if (found !== undefined) return this.#places[found]
    const any = Math.max(...this.#places)
    if (any > this.#start) return any
    let at = this.#start + this.#max
    for (let back = 0; back < maxBack && attached.test(this.#text[at]!); back++) at -= 1
    return at
  }

  #cut(at: number, pieces: string[]): void {
    pieces.push(this.#text.slice(this.#start, at))
    this.#start = at
    this.#isFirst = false
  }
}

/** All pieces of a text. */
export function speechPieces(text: string, options: CutOptions): string[] {
  const cutter = new SpeechCutter(options)
  return [...cutter.write(text), ...cutter.end()]
}

/** Whether a piece has anything to say: marks and spaces alone are no speech. */
export const isSpeakable = (piece: string): boolean => /[\p{L}\p{N}]/u.test(piece)
