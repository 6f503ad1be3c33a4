/** The text of a transcript as it grows: the text of the current piece letter by letter, that of later pieces when they are joined. */
import { foldPersian, isFoldable } from './fold.ts'
import type { FinalStretch } from './join.ts'
import type { TranscriptPartQueue } from './progress.ts'

export class TranscriptText {
  readonly #progress: TranscriptPartQueue
  /** The language as far as it is known, and whether Persian letters are wanted. */
  readonly #language: string | undefined
  readonly #normalizes: boolean
  readonly #texts: string[] = []
  /** The text of the current piece: what was given out, and what is held back because it may be changed. */
  #shown = ''
  #held = ''
  #isHeld = false

  constructor(
    progress: TranscriptPartQueue,
    { language, normalizes }: { language: string | undefined; normalizes: boolean },
  ) {
    this.#progress = progress
    this.#language = language
    this.#normalizes = normalizes
  }

  /** The text of all final stretches. */
  get text(): string {
    return this.#texts.join(' ')
  }

  /** Adds text of the current piece, as the upstream writes it. */
  show(delta: string): void {
    if (this.#isHeld) return
    const known = this.#known(delta)
    this.#held += known
    // The held text is only spaces: to read all of it for each further one would take ever longer.
    if (known.trimEnd() === '' && this.#shown !== '') return
    if (this.#shown === '') this.#held = this.#held.trimStart()
    // Spaces at the end are held back, since nothing may follow them.
    const ready = this.#held.trimEnd()
    this.#held = this.#held.slice(ready.length)
    this.#write(ready)
  }

  /**
   * The text, folded where folding is known to be right. While the language is unknown, it ends before the first letter that folding would change.
   */
  #known(delta: string): string {
    if (!this.#normalizes || !isFoldable(delta)) return delta
    if (this.#language !== undefined) return this.#language === 'fa' ? foldPersian(delta) : delta
    this.#isHeld = true
    return delta.slice(0, [...delta].findIndex(isFoldable))
  }

  /** Ends the current stretch. Where the upstream has taken back text that was shown, only its segments say so. */
  finish({ text, segments }: FinalStretch): void {
    if (text.startsWith(this.#shown)) this.#write(text.slice(this.#shown.length))
    if (text !== '') this.#texts.push(text)
    this.#shown = ''
    this.#held = ''
    this.#isHeld = false
    for (const segment of segments) this.#progress.add({ kind: 'segment', segment })
  }

  #write(more: string): void {
    if (more === '') return
    const gap = this.#shown === '' && this.#texts.length > 0 ? ' ' : ''
    this.#shown += more
    this.#progress.add({ kind: 'text', text: gap + more })
  }
}
