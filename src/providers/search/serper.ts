import { findings, type SearchWire, withSites } from './client.ts'

const longest = { characters: 2_000 }

/** Serper, which asks Google. https://serper.dev/playground */
export const serper: SearchWire = {
  longest,
  headers: (apiKey) => ({ 'x-api-key': apiKey }),
  async search(client, ask) {
    const answer = await client.ask('/search', {
      body: { q: withSites(ask, longest), num: ask.count },
      signal: ask.signal,
    })
    return findings(answer['organic'], { url: 'link', title: 'title', text: 'snippet', date: 'date' })
  },
}
