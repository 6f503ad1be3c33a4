import type { AnswerPart } from '#core/turn'

/**
 * Ends an answer where one of the caller's stop sequences begins, for upstreams that lack the field. Text that may be the beginning of a
 * sequence is buffered until more of it arrives.
 */
export class StopSequenceFilter {
  /** The sequence that was found. */
  found: string | undefined
  readonly #sequences: readonly string[]
  #held = ''

  constructor(sequences: readonly string[]) {
    this.#sequences = sequences.filter((sequence) => sequence !== '')
  }

  /** Rewrites the parts from `from` on: after the stop sequence only the finish and the usage remain. */
  apply(parts: AnswerPart[], from: number): void {
    for (const part of parts.splice(from)) {
      if (this.found !== undefined) this.#afterCut(part, parts)
      else if (part.type === 'text') this.#text(part.text, parts)
      else {
        if (endsText.has(part.type)) this.#flush(parts)
        parts.push(part)
      }
    }
  }

  #text(text: string, parts: AnswerPart[]): void {
    this.#held += text
    const places = this.#sequences.map((sequence) => this.#held.indexOf(sequence))
    const first = Math.min(...places.filter((place) => place !== -1))
    if (first !== Number.POSITIVE_INFINITY) this.found = this.#sequences[places.indexOf(first)]
    const end = this.found === undefined ? this.#held.length - this.#begun() : first
    if (end > 0) parts.push({ type: 'text', text: this.#held.slice(0, end) })
    this.#held = this.#held.slice(end)
  }

  /** How many characters at the end of the text may be the beginning of a sequence. */
  #begun(): number {
    const maxPrefixLength = Math.max(...this.#sequences.map((sequence) => sequence.length)) - 1
    for (let length = Math.min(maxPrefixLength, this.#held.length); length > 0; length -= 1) {
      const tail = this.#held.slice(-length)
      if (this.#sequences.some((sequence) => sequence.startsWith(tail))) return length
    }
    return 0
  }

  #flush(parts: AnswerPart[]): void {
    if (this.#held !== '') parts.push({ type: 'text', text: this.#held })
    this.#held = ''
  }

  #afterCut(part: AnswerPart, parts: AnswerPart[]): void {
    if (part.type === 'finish') parts.push({ type: 'finish', reason: 'stop', stopSequence: this.found! })
    else if (part.type === 'usage') parts.push(part)
  }
}

/** A stop sequence does not span these parts. */
const endsText: ReadonlySet<AnswerPart['type']> = new Set([
  'refusal',
  'reasoning',
  'reasoning-end',
  'tool-call',
  'tool-arguments',
  'finish',
])
