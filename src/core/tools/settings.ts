/** Settings of the hosted tools. A search vendor that the file does not name is found by its environment variable. */
import { type Static, Type } from 'typebox'
import {
  baseUrl,
  fileSection,
  readingRules,
  readUrl,
  refusals,
  refuseConfig,
  type SectionContext,
  usd,
  webProtocols,
} from '#platform/config'
import { oneOf } from '#platform/schema'

declare module '#platform/config' {
  interface Settings {
    tools: ToolsConfig
  }
}

export type SearchVendorName = 'searxng' | 'brave' | 'tavily' | 'serper'

export interface ToolsConfig {
  /** Absent when there is no search. */
  webSearch?: WebSearchConfig
  webFetch: { enabled: boolean; priceUsd: number }
}

export interface WebSearchConfig {
  vendor: SearchVendorName
  /** The address, without a slash at the end. */
  baseUrl: string
  apiKey?: string
  /** The price of one search. */
  priceUsd: number
}

const keyOfEngine = (name: string) => ({
  en: `A key of ${name}, which then searches the web.`,
  fa: `کلید ${name} که از آن پس در وب می‌جوید.`,
})

type VendorVariable = (typeof variables)[number]

const variables = [
  {
    name: 'SEARXNG_URL',
    about: {
      en: 'The address of a SearXNG, which then searches the web.',
      fa: 'نشانی یک SearXNG که از آن پس در وب می‌جوید.',
    },
  },
  { name: 'BRAVE_API_KEY', about: keyOfEngine('Brave'), secret: true },
  { name: 'TAVILY_API_KEY', about: keyOfEngine('Tavily'), secret: true },
  { name: 'SERPER_API_KEY', about: keyOfEngine('Serper'), secret: true },
] as const

/** The public address of each vendor, and the assumed price of one search where the file has none (USD; plans differ). */
const vendors: Record<
  SearchVendorName,
  { baseUrl?: string; priceUsd: number; variable: VendorVariable['name'] }
> = {
  searxng: { priceUsd: 0, variable: 'SEARXNG_URL' },
  brave: { baseUrl: 'https://api.search.brave.com/res/v1', priceUsd: 0.005, variable: 'BRAVE_API_KEY' },
  tavily: { baseUrl: 'https://api.tavily.com', priceUsd: 0.008, variable: 'TAVILY_API_KEY' },
  serper: { baseUrl: 'https://google.serper.dev', priceUsd: 0.001, variable: 'SERPER_API_KEY' },
}

/** The vendors, in the order in which they are looked for. */
const names = Object.keys(vendors) as SearchVendorName[]
const dearestUsd = 1_000

const WebSearch = Type.Object({
  vendor: Type.Unsafe<SearchVendorName>({
    ...oneOf(...names),
    ...readingRules({
      missing: {
        en: `write one of ${names.join(', ')}`,
        fa: `یکی از این‌ها را بنویسید: ${names.join('، ')}`,
      },
    }),
  }),
  base_url: Type.Optional(baseUrl()),
  api_key: Type.Optional(Type.String(readingRules({ secret: true }))),
  price_per_search_usd: Type.Optional(usd(dearestUsd)),
})

const WebFetch = Type.Object(
  {
    enabled: Type.Boolean({ default: true }),
    price_per_fetch_usd: usd(dearestUsd, { default: 0 }),
  },
  { default: {} },
)

export const tools = fileSection({
  name: 'tools',
  schema: Type.Object({ web_search: Type.Optional(WebSearch), web_fetch: WebFetch }, { default: {} }),
  variables,
  read: ({ web_search, web_fetch }, found) => {
    const webSearch = web_search ? readSearch(web_search, found) : foundSearch(found)
    return {
      ...(webSearch && { webSearch }),
      webFetch: { enabled: web_fetch.enabled, priceUsd: web_fetch.price_per_fetch_usd },
    }
  },
})

type Variables = SectionContext<VendorVariable>

function readSearch(typed: Static<typeof WebSearch>, found: Variables): WebSearchConfig {
  const { vendor } = typed
  const { baseUrl: publicUrl, priceUsd, variable } = vendors[vendor]
  const place = found.at('web_search')!
  const address = typed.base_url ?? publicUrl ?? searxngUrl(found)
  const apiKey = typed.api_key ?? keyOf(vendor, found)
  if (address === undefined)
    refuseConfig(
      refusals.missing(place.sourcePosition('base_url'), {
        en: `write the address of the SearXNG, for example http://127.0.0.1:8888, or set ${variable}`,
        fa: `نشانی SearXNG را بنویسید، برای نمونه http://127.0.0.1:8888، یا ${variable} را تعیین کنید`,
      }),
    )
  if (apiKey === undefined && vendor !== 'searxng')
    refuseConfig(
      refusals.missing(place.sourcePosition('api_key'), {
        en: `write the key, or set ${variable}`,
        fa: `کلید را بنویسید یا ${variable} را تعیین کنید`,
      }),
    )
  return {
    vendor,
    baseUrl: address,
    ...(apiKey !== undefined && { apiKey }),
    priceUsd: typed.price_per_search_usd ?? priceUsd,
  }
}

function foundSearch(found: Variables): WebSearchConfig | undefined {
  const vendor = names.find((name) => found.variable(vendors[name].variable) !== undefined)
  if (!vendor) return undefined
  const { baseUrl = searxngUrl(found)!, priceUsd } = vendors[vendor]
  const apiKey = keyOf(vendor, found)
  return { vendor, baseUrl, ...(apiKey !== undefined && { apiKey }), priceUsd }
}

function searxngUrl({ variable }: Variables): string | undefined {
  const address = variable('SEARXNG_URL')
  return address === undefined ? undefined : readUrl('SEARXNG_URL', address, webProtocols)
}

const keyOf = (vendor: SearchVendorName, { variable }: Variables): string | undefined =>
  vendor === 'searxng' ? undefined : variable(vendors[vendor].variable)
