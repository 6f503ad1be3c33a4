/**
 * Finds the words that stay in a partial transcript, which changes while the caller speaks: a client adds what it receives, and takes nothing back.
 */
export class StableWords {
  #said = ''
  #last = ''

  /** Takes the whole partial text and returns the words to add: those that two partial texts agree on. */
  partial(text: string): string {
    const common = commonWords(this.#last, text)
    this.#last = text
    return this.#add(common)
  }

  /** Takes the final text and returns the rest to add; nothing where it lacks words that were sent: the client receives the whole text then. */
  whole(text: string): string {
    return this.#add(text)
  }

  #add(text: string): string {
    if (text.length <= this.#said.length || !text.startsWith(this.#said)) return ''
    const more = text.slice(this.#said.length)
    this.#said = text
    return more
  }
}

/** The common beginning of both texts, in whole words: a word ends where a space or the end follows in both. */
function commonWords(a: string, b: string): string {
  let same = 0
  while (same < a.length && a[same] === b[same]) same++
  const endsIn = (text: string): boolean => same === text.length || text[same] === ' '
  if (endsIn(a) && endsIn(b)) return b.slice(0, same)
  return b.slice(0, Math.max(0, b.lastIndexOf(' ', same - 1)))
}
