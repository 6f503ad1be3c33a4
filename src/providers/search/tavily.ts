import { findings, type SearchWire } from './client.ts'

/** Tavily. https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavily: SearchWire = {
  queryLimits: { characters: 400 },
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  async search(client, options) {
    const answer = await client.request('/search', {
      body: {
        query: options.query,
        max_results: options.count,
        search_depth: 'basic',
        // The API's maximum.
        ...(options.onlyHosts.length > 0 && { include_domains: options.onlyHosts.slice(0, 300) }),
        ...(options.notHosts.length > 0 && { exclude_domains: options.notHosts.slice(0, 150) }),
      },
      signal: options.signal,
    })
    return findings(answer['results'], {
      url: 'url',
      title: 'title',
      text: 'content',
      date: 'published_date',
    })
  },
}
