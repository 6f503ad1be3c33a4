/** Whether pages of strangers can plant cookies for the API, because both have one registrable domain above them. */
import type { Config } from '#platform/config'

export interface SharedParent {
  /** The domain of strangers' content. */
  domain: string
  /** The registrable domain that it shares with the host of KHERAD_BASE_URL. */
  parent: string
}

/**
 * Finds a domain of strangers' content that shares its registrable domain with the API: `apps.example.org` beside `ai.example.org`. A browser lets a
 * page of one set a cookie for `example.org`, which it then sends to the other. Only another registrable domain cures that.
 */
export async function sharedParent({
  baseUrl,
  apps,
}: Pick<Config, 'baseUrl' | 'apps'>): Promise<SharedParent | undefined> {
  const domains = [apps.domain, apps.cloudDomain].filter((domain) => domain !== undefined)
  if (!apps.listens || domains.length === 0) return undefined
  // The list of public suffixes is only read where a domain is set.
  const { getDomain } = await import('tldts')
  const parentOf = (host: string): string | null => getDomain(host, { allowPrivateDomains: true })
  const parent = parentOf(new URL(baseUrl).hostname)
  const domain = parent === null ? undefined : domains.find((one) => parentOf(one) === parent)
  return domain === undefined ? undefined : { domain, parent: parent! }
}
