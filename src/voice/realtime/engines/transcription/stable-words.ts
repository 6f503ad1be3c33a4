/** Of what is understood so far, which changes while somebody speaks, the words that stay: a client adds what it is told, and takes nothing back. */
export class StableWords {
  #said = ''
  #last = ''

  /** All that is understood now. Returns what is to be added: words that were understood twice alike. */
  partial(text: string): string {
    const common = commonWords(this.#last, text)
    this.#last = text
    return this.#add(common)
  }

  /** All that was said. Returns the rest; nothing where words that were told are not in it: whoever shows them has the whole text by then. */
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

/** What both begin with, in whole words: a word ends where a space or the end of both follows. */
function commonWords(a: string, b: string): string {
  let same = 0
  while (same < a.length && a[same] === b[same]) same++
  const endsIn = (text: string): boolean => same === text.length || text[same] === ' '
  if (endsIn(a) && endsIn(b)) return b.slice(0, same)
  return b.slice(0, Math.max(0, b.lastIndexOf(' ', same - 1)))
}
