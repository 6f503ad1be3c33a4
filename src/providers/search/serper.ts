import { findings, type SearchWire, withSites } from './client.ts'

const queryLimits = { characters: 2_000 }

/** Serper, which queries Google. https://serper.dev/playground */
export const serper: SearchWire = {
  queryLimits,
  headers: (apiKey) => ({ 'x-api-key': apiKey }),
  async search(client, options) {
    const answer = await client.request('/search', {
      body: { q: withSites(options, queryLimits), num: options.count },
      signal: options.signal,
    })
    return findings(answer['organic'], { url: 'link', title: 'title', text: 'snippet', date: 'date' })
  },
}
