/** The pages that an answer cites, as Studio answers list them. */
import type { Citation } from '#core/turn'
import { firstCharacters } from './first-characters.ts'
import type { Research } from './schema.ts'

const max = { sources: 8, urlLength: 2_048, titleLength: 300 }

export class CitedPages {
  readonly #titles = new Map<string, string>()

  add({ url, title }: Citation): void {
    if (this.#titles.has(url) || this.#titles.size === max.sources) return
    const page = pageOf(url)
    if (page) this.#titles.set(url, shortTitle(title) || page.hostname)
  }

  /** The cited pages; empty where nothing is cited. */
  get research(): { research?: Research } {
    if (this.#titles.size === 0) return {}
    const sources = [...this.#titles].map(([url, title]) => ({ url, title }))
    return { research: { searched: true, sources } }
  }
}

/** Only pages by HTTPS are shown: the address comes from outside and will be clicked. */
function pageOf(url: string): URL | undefined {
  if (url.length > max.urlLength || !URL.canParse(url)) return undefined
  const page = new URL(url)
  return page.protocol === 'https:' ? page : undefined
}

const shortTitle = (title: string): string =>
  firstCharacters(title, max.titleLength).toWellFormed().replace(/\s+/g, ' ').trim()
