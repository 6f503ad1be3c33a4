/** The web search engines of the tool web_search, one file for each wire. */
import type { SearchVendor, WebSearchConfig } from '#core/tools'
import type { Egress } from '#platform/proxy'
import { brave } from './brave.ts'
import { SearchClient } from './client.ts'
import { searxng } from './searxng.ts'
import { serper } from './serper.ts'
import { tavily } from './tavily.ts'

const vendors = { searxng, brave, tavily, serper }

/** A client of the configured vendor, with keep-alive connections. The address is set by the operator and may be a private one. */
export function openSearch(config: WebSearchConfig, egress: Egress = {}): SearchVendor & AsyncDisposable {
  const { headers, queryLimits, search } = vendors[config.vendor]
  const client = new SearchClient({
    baseUrl: config.baseUrl,
    headers: config.apiKey === undefined ? {} : headers(config.apiKey),
    egress,
  })
  return {
    queryLimits,
    search: (options) => search(client, options),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
