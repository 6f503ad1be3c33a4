/** Cuts an answer that comes in pieces into the pieces that are spoken: the first clause as soon as it is there, then whole sentences. */
import { boundariesOf, splitForSpeech } from '#core/sound'

/** The length of the first piece: from `minFirst` on, a piece up to a mark sounds like speech; at `maxFirst` it is cut without a mark. */
const minFirst = 20
const maxFirst = 60
const maxLater = 200
/** The characters in which a cut is looked for. */
const window = maxLater + 100

export class Clauses {
  #text = ''
  #isFirst = true

  /** Adds text and returns the pieces that can be spoken now; all pieces joined are the text, character for character. */
  write(text: string): string[] {
    this.#text += text
    const pieces: string[] = []
    for (let at = this.#cut(); at !== undefined; at = this.#cut()) {
      pieces.push(this.#text.slice(0, at))
      this.#text = this.#text.slice(at)
      this.#isFirst = false
    }
    return pieces
  }

  /** The rest of the text, in pieces. */
  end(): string[] {
    const rest = this.#text
    this.#text = ''
    return rest === '' ? [] : splitForSpeech(rest, maxLater)
  }

  #cut(): number | undefined {
    const seen = this.#text.slice(0, window)
    const max = this.#isFirst ? maxFirst : maxLater
    const min = this.#isFirst ? minFirst : 1
    let clause: number | undefined
    let word: number | undefined
    for (const { at, strength } of boundariesOf(seen)) {
      // At the end of the text it is not known yet what follows.
      if (at >= seen.length || at > max) break
      if (strength === 'sentence' && at >= min) return at
      if (strength === 'clause' && at >= min && this.#isFirst) return at
      if (strength === 'word') word = at
      else clause = at
    }
    if (this.#text.length <= max) return undefined
    // A word that is longer than a piece is cut where that is possible.
    return clause ?? word ?? splitForSpeech(seen, max)[0]!.length
  }
}

const marks = /[*_#`]+/g

/** `[words](https://…)`, of which the words are spoken, and `[3]`, which refers to a source. */
const link = /\[([^[\]\n]{1,300})\]\(https?:[^\s()]{1,2000}\)/g
const citation = /\s?\[[0-9۰-۹]{1,2}\]/g

/** The text without Markdown marks and addresses, which are not read aloud. */
export const spokenForm = (piece: string): string =>
  piece.replace(link, '$1').replace(citation, '').replace(marks, '').trim()
