import { findings, type SearchWire } from './client.ts'

/** Tavily. https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavily: SearchWire = {
  longest: { characters: 400 },
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  async search(client, ask) {
    const answer = await client.ask('/search', {
      body: {
        query: ask.query,
        max_results: ask.count,
        search_depth: 'basic',
        // The most that it takes.
        ...(ask.onlyHosts.length > 0 && { include_domains: ask.onlyHosts.slice(0, 300) }),
        ...(ask.notHosts.length > 0 && { exclude_domains: ask.notHosts.slice(0, 150) }),
      },
      signal: ask.signal,
    })
    return findings(answer['results'], {
      url: 'url',
      title: 'title',
      text: 'content',
      date: 'published_date',
    })
  },
}
