/** Cuts an answer that comes in pieces into what is spoken at a time: the first clause as soon as it is there, then whole sentences. */
import { boundariesOf, piecesOfText } from '#core/sound'

/** Of the first piece: behind a mark it is long enough to sound like speech, and without one it is not waited for any longer. */
const leastFirst = 20
const maxFirst = 60
const maxLater = 200
/** Characters that are looked at for a cut. */
const window = maxLater + 100

export class Clauses {
  #text = ''
  #isFirst = true

  /** What can be spoken now; all pieces put together are the text, character for character. */
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

  /** The rest. */
  end(): string[] {
    const rest = this.#text
    this.#text = ''
    return rest === '' ? [] : piecesOfText(rest, maxLater)
  }

  #cut(): number | undefined {
    const seen = this.#text.slice(0, window)
    const most = this.#isFirst ? maxFirst : maxLater
    const least = this.#isFirst ? leastFirst : 1
    let clause: number | undefined
    let word: number | undefined
    for (const { at, strength } of boundariesOf(seen)) {
      // Of the end it is not known yet what follows.
      if (at >= seen.length || at > most) break
      if (strength === 'sentence' && at >= least) return at
      if (strength === 'clause' && at >= least && this.#isFirst) return at
      if (strength === 'word') word = at
      else clause = at
    }
    if (this.#text.length <= most) return undefined
    // A word that is longer than a piece is cut where it may be.
    return clause ?? word ?? piecesOfText(seen, most)[0]!.length
  }
}

const marks = /[*_#`]+/g

/** `[words](https://…)`, of which the words are spoken, and `[3]`, which points at a source. */
const link = /\[([^[\]\n]{1,300})\]\(https?:[^\s()]{1,2000}\)/g
const pointer = /\s?\[[0-9۰-۹]{1,2}\]/g

/** Without the marks of Markdown and addresses, which nobody reads aloud. */
export const spokenForm = (piece: string): string =>
  piece.replace(link, '$1').replace(pointer, '').replace(marks, '').trim()
