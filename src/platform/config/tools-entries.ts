import type { Env } from '#platform/env'
import type { SearchVendorName, ToolsConfig, WebSearchConfig } from './config.ts'
import { readUrl } from './process-settings.ts'
import { readBaseUrl } from './provider-entries.ts'
import { refuse } from './refuse.ts'
import { words } from './words.ts'
import type { Place } from './yaml-reader.ts'

/** The public address of each vendor, and what one search is taken to cost where the file does not say (USD; plans differ). */
const vendors: Record<SearchVendorName, { baseUrl?: string; priceUsd: number; variable: string }> = {
  searxng: { priceUsd: 0, variable: 'SEARXNG_URL' },
  brave: { baseUrl: 'https://api.search.brave.com/res/v1', priceUsd: 0.005, variable: 'BRAVE_API_KEY' },
  tavily: { baseUrl: 'https://api.tavily.com', priceUsd: 0.008, variable: 'TAVILY_API_KEY' },
  serper: { baseUrl: 'https://google.serper.dev', priceUsd: 0.001, variable: 'SERPER_API_KEY' },
}

const names = Object.keys(vendors) as SearchVendorName[]
const dearestUsd = 1_000

/** What the hosted tools need. A search vendor that the file does not name is found by its variable, the first in the order above. */
export function readTools(place: Place | undefined, env: Env): ToolsConfig {
  const members = place?.members(['web_search', 'web_fetch'])
  const searching = members?.get('web_search')
  const fetching = members?.get('web_fetch')?.members(['enabled', 'price_per_fetch_usd'])
  const webSearch = searching ? readSearch(searching, env) : foundSearch(env)
  return {
    ...(webSearch && { webSearch }),
    webFetch: {
      enabled: fetching?.get('enabled')?.flag() ?? true,
      priceUsd: fetching?.get('price_per_fetch_usd')?.number({ min: 0, max: dearestUsd }) ?? 0,
    },
  }
}

function readSearch(place: Place, env: Env): WebSearchConfig {
  const members = place.members(['vendor', 'base_url', 'api_key', 'price_per_search_usd'])
  const vendor = members
    .need('vendor', {
      en: `write one of ${names.join(', ')}`,
      fa: `یکی از این‌ها را بنویسید: ${names.join('، ')}`,
    })
    .oneOf(names)
  const { baseUrl: publicUrl, priceUsd, variable } = vendors[vendor]
  const base = members.get('base_url')
  const baseUrl = base ? readBaseUrl(base) : (publicUrl ?? searxngUrl(env))
  const apiKey = members.get('api_key')?.secret() ?? keyOf(vendor, env)
  if (baseUrl === undefined)
    refuse(
      words.missing(place.where('base_url'), {
        en: `write the address of the SearXNG, for example http://127.0.0.1:8888, or set ${variable}`,
        fa: `نشانی SearXNG را بنویسید، برای نمونه http://127.0.0.1:8888، یا ${variable} را تعیین کنید`,
      }),
    )
  if (apiKey === undefined && vendor !== 'searxng')
    refuse(
      words.missing(place.where('api_key'), {
        en: `write the key, or set ${variable}`,
        fa: `کلید را بنویسید یا ${variable} را تعیین کنید`,
      }),
    )
  return {
    vendor,
    baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    priceUsd: members.get('price_per_search_usd')?.number({ min: 0, max: dearestUsd }) ?? priceUsd,
  }
}

function foundSearch(env: Env): WebSearchConfig | undefined {
  const found = names.find((vendor) => (vendor === 'searxng' ? env.searxngUrl : keyOf(vendor, env)))
  if (!found) return undefined
  const { baseUrl = searxngUrl(env)!, priceUsd } = vendors[found]
  const apiKey = keyOf(found, env)
  return { vendor: found, baseUrl, ...(apiKey !== undefined && { apiKey }), priceUsd }
}

const searxngUrl = (env: Env): string | undefined =>
  env.searxngUrl === undefined ? undefined : readUrl('SEARXNG_URL', env.searxngUrl, ['http:', 'https:'])

function keyOf(vendor: SearchVendorName, env: Env): string | undefined {
  return { searxng: undefined, brave: env.braveKey, tavily: env.tavilyKey, serper: env.serperKey }[vendor]
}
