/** The sites of a project, as a running server describes them. */
import { refuse } from '../command.ts'
import { requestAll, requestRecord } from '../server/records.ts'
import { type Server, ServerRefused } from '../server.ts'
import { sitePhrases as words } from './phrases.ts'

export interface Site {
  id: string
  name: string
  slug: string
  status: 'publishing' | 'ready' | 'failed'
  url: string | null
  domain: string
  live: { version: number; url: string } | null
  version: number
  spa: boolean
  error: { code: string; message: string } | null
  files: number
  bytes: number
  taken_down: boolean
  updated_at: string
}

export interface Version {
  version: number
  status: Site['status']
  live: boolean
  preview_url: string | null
  files: number
  bytes: number
  created_at: string
}

export interface SiteDetail extends Site {
  versions: Version[]
  usage: { requests: number; bytes: number; max_requests: number; max_bytes: number }
}

export interface Domain {
  domain: string
  display: string
  state: 'pending' | 'proven' | 'lost'
  record: { name: string; value: string }
  target: string
}

export const pathOf = (site: Pick<Site, 'id'>, below = ''): string =>
  `/v1/sites/${encodeURIComponent(site.id)}${below}`

/** All sites of the project, newest first. */
export const allSites = (server: Server): Promise<Site[]> => requestAll<Site>(server, '/v1/sites')

/** Finds a site by an id, a slug or a name; undefined if there is none. Refuses a name that several sites have. */
export async function findSite(server: Server, typed: string): Promise<Site | undefined> {
  const sites = await allSites(server)
  const exact = sites.find(({ id, slug }) => id === typed.toLowerCase() || slug === typed)
  if (exact) return exact
  const named = sites.filter(({ name }) => name === typed)
  if (named.length > 1) refuse('SEVERAL_SITES', words.severalSites(typed))
  return named[0]
}

export const requireSite = async (server: Server, typed: string): Promise<Site> =>
  (await findSite(server, typed)) ?? refuse('NOT_FOUND', words.unknownSite(typed))

/** The hashes of the files that the site has; empty where it has none yet. */
export async function knownHashes(server: Server, site: Site): Promise<Set<string>> {
  try {
    const { data } = await requestRecord<{ data: { sha256: string }[] }>(
      server,
      'GET',
      pathOf(site, '/files'),
    )
    return new Set(data.map(({ sha256 }) => sha256))
  } catch (error) {
    if (error instanceof ServerRefused && error.status === 404) return new Set()
    throw error
  }
}
