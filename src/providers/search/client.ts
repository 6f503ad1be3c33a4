import { type Timeouts, UpstreamError } from '#core/spec'
import type { Finding, SearchOptions, SearchVendor } from '#core/tools'
import { isRecord, type UpstreamAddress, UpstreamClient } from '#providers/kit'

/** The vendor-specific part of a search client. */
export interface SearchWire {
  queryLimits: SearchVendor['queryLimits']
  /** The header that carries the key. */
  headers(apiKey: string): Record<string, string>
  search(client: SearchClient, options: SearchOptions): Promise<Finding[]>
}

/** The timeouts are short, since a person is waiting for the answer. */
const timeouts: Timeouts = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  firstTokenMs: 10_000,
  idleMs: 10_000,
  totalMs: 15_000,
}

const maxAnswerBytes = 2 * 1024 * 1024

/** HTTP to a search engine. Failures are `UpstreamError`s; nothing is retried. */
export class SearchClient implements AsyncDisposable {
  readonly #upstream: UpstreamClient

  constructor(address: UpstreamAddress) {
    this.#upstream = new UpstreamClient(address)
  }

  /** Sends a GET with a query, or a POST with a JSON body; returns the JSON object of the answer. */
  async request(
    path: string,
    {
      query,
      body,
      signal,
    }: { query?: Record<string, string>; body?: Record<string, unknown>; signal: AbortSignal },
  ): Promise<Record<string, unknown>> {
    const ask = {
      path: query ? `${path}?${new URLSearchParams(query)}` : path,
      headers: { accept: 'application/json' },
      signal,
      timeouts,
      ...(body && { body }),
    }
    return parse((await this.#upstream.bytes(ask, maxAnswerBytes)).toString('utf8'))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#upstream[Symbol.asyncDispose]()
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Reported below: an HTML page usually means a wrong address.
  }
  throw new UpstreamError('malformed', { detail: 'the answer is no JSON object' })
}

/** The results in a list of an answer; entries that are not objects or have no address are skipped. */
export function findings(list: unknown, names: Record<keyof Finding, string>): Finding[] {
  if (!Array.isArray(list)) return []
  return list.filter(isRecord).flatMap((item) => {
    const read = (name: string) => (typeof item[name] === 'string' ? item[name] : '')
    const url = read(names.url)
    if (url === '') return []
    return [{ url, title: read(names.title), text: read(names.text), date: read(names.date) || undefined }]
  })
}

/**
 * The query with `site:` and `-site:` operators, as far as they fit, for engines that support them; the results are filtered in any case.
 */
export function withSites(
  { query, onlyHosts, notHosts }: SearchOptions,
  { characters }: SearchVendor['queryLimits'],
): string {
  const only = onlyHosts.map((host) => `site:${host}`).join(' OR ')
  const parts = [query, onlyHosts.length > 1 ? `(${only})` : only, ...notHosts.map((host) => `-site:${host}`)]
  return parts.reduce((text, part) =>
    part !== '' && text.length + 1 + part.length <= characters ? `${text} ${part}` : text,
  )
}
