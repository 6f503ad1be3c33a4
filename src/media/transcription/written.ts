/** The text of a transcript as it grows: of the piece whose turn it is letter for letter, of later ones when they are joined. */
import { foldPersian, isFoldable } from './fold.ts'
import type { Joined } from './join.ts'
import type { Progress } from './progress.ts'

export class Written {
  readonly #progress: Progress
  /** What is known of the language, and whether Persian letters are wanted. */
  readonly #language: string | undefined
  readonly #normalizes: boolean
  readonly #texts: string[] = []
  /** Of the piece whose turn it is: given out, and held back because it may be changed. */
  #shown = ''
  #held = ''
  #isHeld = false

  constructor(
    progress: Progress,
    { language, normalizes }: { language: string | undefined; normalizes: boolean },
  ) {
    this.#progress = progress
    this.#language = language
    this.#normalizes = normalizes
  }

  /** Of all final stretches. */
  get text(): string {
    return this.#texts.join(' ')
  }

  /** More text of the piece whose turn it is, as the upstream writes it. */
  show(delta: string): void {
    if (this.#isHeld) return
    const known = this.#known(delta)
    this.#held += known
    // What is held is spaces: to look at all of it for each further one would take ever longer.
    if (known.trimEnd() === '' && this.#shown !== '') return
    if (this.#shown === '') this.#held = this.#held.trimStart()
    // Spaces at the end are not known to be followed by anything.
    const ready = this.#held.trimEnd()
    this.#held = this.#held.slice(ready.length)
    this.#write(ready)
  }

  /** Folded where that is known to be right: in a language that nobody has said yet up to the first letter that folding would change. */
  #known(delta: string): string {
    if (!this.#normalizes || !isFoldable(delta)) return delta
    if (this.#language !== undefined) return this.#language === 'fa' ? foldPersian(delta) : delta
    this.#isHeld = true
    return delta.slice(0, [...delta].findIndex(isFoldable))
  }

  /** The stretch is final. Where the upstream has taken back what was shown, only its segments say so. */
  finish({ text, segments }: Joined): void {
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
