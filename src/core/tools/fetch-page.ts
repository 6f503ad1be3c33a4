import type { ToolError, ToolFailure } from '#core/turn'
import { type FetchRefusalReason, FetchRefused, type FetchResult, type GuardedClient } from '#platform/net'
import { essenceOf } from '#platform/schema'
import type { DomainFilter } from './domains.ts'
import { toolFailure } from './failed.ts'

export interface FetchedPage {
  kind: 'html' | 'pdf' | 'text'
  mediaType: string
  /** The whole Content-Type header, with its charset. */
  contentType: string
  bytes: Uint8Array
  /** The address of the page after all redirects. */
  url: string
}

const kinds: Record<string, FetchedPage['kind']> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
  'text/plain': 'text',
  'text/markdown': 'text',
  'text/x-markdown': 'text',
  'text/csv': 'text',
  'application/json': 'text',
  'application/ld+json': 'text',
  'text/xml': 'text',
  'application/xml': 'text',
  'application/rss+xml': 'text',
  'application/atom+xml': 'text',
}

const maxRedirects = 5
const timeoutMs = 20_000
const maxBytes = 10 * 1024 * 1024

/**
 * Fetches a page of the public web. Redirects are followed here and not by the client, so that the domain rules of the call apply to each of them.
 * Throws the signal's reason.
 */
export async function fetchPage(
  client: GuardedClient,
  address: string,
  { passes, signal }: { passes: DomainFilter; signal: AbortSignal },
): Promise<FetchedPage | ToolFailure> {
  const deadline = performance.now() + timeoutMs
  let url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol))
    return toolFailure('invalid_tool_input', 'url is no web address; write it whole, with https://')
  try {
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      if (!passes(url))
        return toolFailure('url_not_allowed', `the domains of this request leave out ${url.hostname}.`)
      const fetched: FetchResult = await client.fetch(url.href, {
        timeoutMs: Math.max(1, Math.floor(deadline - performance.now())),
        maxBytes,
        accept: Object.keys(kinds),
        headers: { 'accept-language': 'fa, en;q=0.8, *;q=0.5' },
        signal,
      })
      const next: URL | null = redirectOf(fetched)
      if (!next) return pageOf(fetched)
      url = next
    }
    return toolFailure('url_not_accessible', 'it redirects too often.')
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FetchRefused)) throw error
    return toolFailure(codes[error.reason], `${url.hostname}: ${error.why.en}`)
  }
}

function redirectOf({ status, headers, url }: FetchResult): URL | null {
  const location = [headers['location']].flat()[0]
  return [301, 302, 303, 307, 308].includes(status) && location !== undefined
    ? URL.parse(location, url)
    : null
}

function pageOf({ status, headers, body, url }: FetchResult): FetchedPage | ToolFailure {
  if (status === 429) return toolFailure('too_many_requests', 'the site wants fewer requests.')
  if (status < 200 || status > 299)
    return toolFailure('url_not_accessible', `the site answers with status ${status}.`)
  const contentType = [headers['content-type']].flat()[0] ?? ''
  const mediaType = essenceOf(contentType)
  const kind = Object.hasOwn(kinds, mediaType) ? kinds[mediaType]! : undefined
  if (!kind) return toolFailure('unsupported_content_type', 'only HTML, PDF, text, JSON and XML are read.')
  return { kind, mediaType, contentType, bytes: body, url }
}

const codes: Record<FetchRefusalReason, ToolError> = {
  bad_url: 'invalid_tool_input',
  bad_request: 'invalid_tool_input',
  port: 'url_not_allowed',
  protocol: 'url_not_allowed',
  address_not_public: 'url_not_allowed',
  dns: 'url_not_accessible',
  connect: 'url_not_accessible',
  tls: 'url_not_accessible',
  timeout: 'url_not_accessible',
  too_large: 'content_too_large',
  bad_redirect: 'url_not_accessible',
  media_type: 'unsupported_content_type',
  bad_answer: 'url_not_accessible',
  aborted: 'url_not_accessible',
}
