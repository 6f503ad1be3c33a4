/** Finds citations in an answer's text: links to the results of hosted tools, as they are streamed. */
import type { CitableSource, Citation } from '#core/turn'
import { latinDigits } from '#platform/words'

/** Instruction appended to every tool result that the model may cite. */
export const citeByLink =
  'Where your answer rests on one of these pages, say so with a Markdown link to its address right after the sentence.'

const maxQuoteLength = 150
/** Longer addresses are not recognized, so that an unfinished mark never buffers more than this. */
const maxMarkLength = 8_000
/** `[words](https://…)`, or `[3]` for the third result of the last search, recognized once the following character is known. */
const citationPattern =
  /\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s()]{1,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,500}){0,9})\)|\[([0-9۰-۹]{1,2})\](?=[^(])/g

export class Citations {
  readonly #byUrl = new Map<string, CitableSource>()
  #numbered: readonly CitableSource[] = []
  /** Buffered text that may be the beginning of a mark. */
  #text = ''
  /** The offset of the buffered text since `restart`. */
  #offset = 0

  /** Registers the results of one tool use; a search replaces the numbered results. */
  addSources(sources: readonly CitableSource[], isSearch: boolean): void {
    for (const source of sources) this.#byUrl.set(comparable(source.url), source)
    if (isSearch && sources.length > 0) this.#numbered = sources
  }

  /** Resets the offset to 0: text after a hosted call is counted separately. */
  restart(): void {
    this.#text = ''
    this.#offset = 0
  }

  /** Appends text and returns the citations completed by it. */
  add(text: string): Citation[] {
    if (this.#byUrl.size === 0) return []
    this.#text += text
    return /[)\]\n .,؛،]/.test(text) ? this.#scan(this.#text) : []
  }

  /** Returns the citations completed by the end of the text. */
  end(): Citation[] {
    return this.#byUrl.size === 0 ? [] : this.#scan(`${this.#text}\n`)
  }

  #scan(text: string): Citation[] {
    const found: Citation[] = []
    let read = 0
    citationPattern.lastIndex = 0
    for (let match = citationPattern.exec(text); match; match = citationPattern.exec(text)) {
      read = citationPattern.lastIndex
      const source = this.#sourceOf(match)
      const start = this.#offset + match.index
      if (source) found.push(citation(source, start, start + match[0].length))
    }
    // A mark never spans lines, so text before the last newline need not be scanned again.
    const dropBefore = Math.max(read, this.#text.lastIndexOf('\n') + 1, this.#text.length - maxMarkLength)
    this.#text = this.#text.slice(dropBefore)
    this.#offset += dropBefore
    return found
  }

  #sourceOf([, , url, number]: RegExpExecArray): CitableSource | undefined {
    if (url !== undefined) return this.#byUrl.get(comparable(url))
    return this.#numbered[Number(latinDigits(number ?? '')) - 1]
  }
}

const citation = ({ url, title, text }: CitableSource, start: number, end: number): Citation => ({
  url,
  title,
  start,
  end,
  citedText: text.slice(0, maxQuoteLength).toWellFormed(),
})

const comparable = (url: string): string => {
  const parsed = URL.parse(url)
  if (!parsed) return url
  parsed.hash = ''
  return parsed.href.replace(/\/$/, '')
}
