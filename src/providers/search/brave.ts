import { isRecord } from '#providers/kit'
import { findings, type SearchWire, withSites } from './client.ts'

const queryLimits = { characters: 400, words: 50 }

/** Brave Search. https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
export const brave: SearchWire = {
  queryLimits,
  headers: (apiKey) => ({ 'x-subscription-token': apiKey }),
  async search(client, options) {
    const answer = await client.request('/web/search', {
      query: {
        q: withinWords(withSites(options, queryLimits), options.query),
        count: String(options.count),
        result_filter: 'web',
        text_decorations: 'false',
      },
      signal: options.signal,
    })
    return findings(isRecord(answer['web']) ? answer['web']['results'] : undefined, {
      url: 'url',
      title: 'title',
      text: 'description',
      date: 'page_age',
    })
  },
}

/** Search operators count as words; if the query becomes too long with them, it is sent without. */
const withinWords = (text: string, query: string): string =>
  text.split(/\s+/).length <= queryLimits.words ? text : query
