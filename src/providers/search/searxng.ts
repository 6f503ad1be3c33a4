import { findings, type SearchWire, withSites } from './client.ts'

const queryLimits = { characters: 2_000 }

/** A self-hosted SearXNG, with `json` among `search.formats` of its settings.yml. https://docs.searxng.org/dev/search_api.html */
export const searxng: SearchWire = {
  queryLimits,
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  async search(client, options) {
    const answer = await client.request('/search', {
      query: { q: withSites(options, queryLimits), format: 'json' },
      signal: options.signal,
    })
    return findings(answer['results'], {
      url: 'url',
      title: 'title',
      text: 'content',
      date: 'publishedDate',
    })
  },
}
