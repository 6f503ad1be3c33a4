import type { Finding, SearchOptions, SearchVendor } from '#engine/tools'
import { isRecord, type UpstreamAddress, UpstreamClient } from '#providers/kit'
import { type Timeouts, UpstreamError } from '#providers/spec'

/** What makes one vendor's wire its own. */
export interface SearchWire {
  longest: SearchVendor['longest']
  /** How the key is shown. */
  headers(apiKey: string): Record<string, string>
  search(client: SearchClient, options: SearchOptions): Promise<Finding[]>
}

/** A person waits for the answer that waits for the search. */
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

  /** A GET with a query, or a POST with a JSON body; the JSON object of the answer. */
  async request(
    path: string,
    {
      query,
      body,
      signal,
    }: { query?: Record<string, string>; body?: Record<string, unknown>; signal: AbortSignal },
  ): Promise<Record<string, unknown>> {
    const exchange = await this.#upstream.open({
      path: query ? `${path}?${new URLSearchParams(query)}` : path,
      headers: { accept: 'application/json' },
      signal,
      timeouts,
      ...(body && { body }),
    })
    const answer = parse(await exchange.text(maxAnswerBytes, 'fail'))
    exchange.release()
    return answer
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
    // Told below: a page of HTML is the usual answer of a wrong address.
  }
  throw new UpstreamError('malformed', { detail: 'the answer is no JSON object' })
}

/** The findings in a list of an answer; what is no record, or has no address, is passed over. */
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
 * The query with the operators `site:` and `-site:`, for engines that read them, as far as they fit; the findings are filtered anyway.
 */
export function withSites(
  { query, onlyHosts, notHosts }: SearchOptions,
  { characters }: SearchVendor['longest'],
): string {
  const only = onlyHosts.map((host) => `site:${host}`).join(' OR ')
  const parts = [query, onlyHosts.length > 1 ? `(${only})` : only, ...notHosts.map((host) => `-site:${host}`)]
  return parts.reduce((text, part) =>
    part !== '' && text.length + 1 + part.length <= characters ? `${text} ${part}` : text,
  )
}
