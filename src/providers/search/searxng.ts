import { findings, type SearchWire, withSites } from './client.ts'

const longest = { characters: 2_000 }

/** A SearXNG of one's own, with `json` among `search.formats` of its settings.yml. https://docs.searxng.org/dev/search_api.html */
export const searxng: SearchWire = {
  longest,
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  async search(client, ask) {
    const answer = await client.ask('/search', {
      query: { q: withSites(ask, longest), format: 'json' },
      signal: ask.signal,
    })
    return findings(answer['results'], {
      url: 'url',
      title: 'title',
      text: 'content',
      date: 'publishedDate',
    })
  },
}
