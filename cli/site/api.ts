/** The sites of a project, as a running server tells of them. */
import { refuse } from '../command.ts'
import { readBytes, readJson, request, type Sent, type Server, ServerRefused } from '../server.ts'
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

const maxAnswerBytes = 16 * 1024 * 1024
const pageSize = 100

/** One answer of the server, which has to be an object. */
export async function ask<Answer>(
  server: Server,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  sent: Sent = {},
): Promise<Answer> {
  const answer = await request(server, method, path, sent, async (reply) =>
    readJson((await readBytes(reply, maxAnswerBytes)).toString()),
  )
  return typeof answer === 'object' && answer !== null
    ? (answer as Answer)
    : refuse('NOT_KHERAD', words.badAnswer())
}

export const pathOf = (site: Pick<Site, 'id'>, below = ''): string =>
  `/v1/sites/${encodeURIComponent(site.id)}${below}`

/** All of them, newest first. */
export async function allSites(server: Server): Promise<Site[]> {
  const sites: Site[] = []
  for (let after = ''; ; ) {
    const page = await ask<{ data: Site[]; has_more: boolean; last_id: string | null }>(
      server,
      'GET',
      `/v1/sites?limit=${pageSize}${after}`,
    )
    if (!Array.isArray(page.data)) return refuse('NOT_KHERAD', words.badAnswer())
    sites.push(...page.data)
    if (!page.has_more || page.last_id === null) return sites
    after = `&after=${encodeURIComponent(page.last_id)}`
  }
}

/** The one that is meant by an id, a slug or a name; undefined if there is none. Refuses a name that several have. */
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
    const { data } = await ask<{ data: { sha256: string }[] }>(server, 'GET', pathOf(site, '/files'))
    return new Set(data.map(({ sha256 }) => sha256))
  } catch (error) {
    if (error instanceof ServerRefused && error.status === 404) return new Set()
    throw error
  }
}
