/** Requests to providers: by the proxy and the roots of the installation, bounded in bytes and time. */
import type { CustomFetch } from 'openid-client'
import { type Dispatcher, request } from 'undici'
import { type Egress, OriginPool } from '#platform/proxy'

/** Discovery documents are of some kilobytes; the keys of a provider, and a token with many groups, of some tens. */
const maxBytes = 512 * 1024
const connectMs = 5_000
/** The timeout of one request, from its name lookup to the end of its answer. */
export const requestMs = 8_000

/** The provider did not answer, or not with what it promises. Signing in by other means works on. */
export class ProviderAway extends Error {
  override name = 'ProviderAway'
}

/** A `fetch` for `openid-client` that throws `ProviderAway` for every failure of the network and of the provider's server. It follows no redirects. */
export const providerFetch =
  (egressTo: (url: URL) => Egress): CustomFetch =>
  async (address, { method, headers, body, signal }) => {
    const url = new URL(address)
    await using pool = new OriginPool(url.origin, {
      ...egressTo(url),
      connectMs,
      pool: { connections: 1, maxHeaderSize: 16 * 1024, headersTimeout: 0, bodyTimeout: 0 },
    })
    const deadline = AbortSignal.timeout(requestMs)
    try {
      const reply = await request(url, {
        dispatcher: pool.dispatcher,
        method: method as Dispatcher.HttpMethod,
        headers,
        body: textOf(body),
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      })
      const bytes = await readBody(reply.body)
      if (reply.statusCode >= 500 || reply.statusCode === 429)
        throw new ProviderAway(`HTTP ${reply.statusCode} from ${url.origin}`)
      return new Response(mayHaveBody(reply.statusCode) ? bytes : null, {
        status: reply.statusCode,
        headers: headersOf(reply.headers),
      })
    } catch (cause) {
      if (cause instanceof ProviderAway) throw cause
      const { code, message } = cause as Error & { code?: string }
      throw new ProviderAway(`${url.origin}: ${code ?? message}`, { cause })
    }
  }

const textOf = (body: unknown): string | null => {
  if (body === undefined || body === null) return null
  return body instanceof URLSearchParams ? body.toString() : String(body)
}

async function readBody(body: Dispatcher.ResponseData['body']): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new ProviderAway(`an answer of more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** `Response` refuses a body with these. */
const mayHaveBody = (status: number): boolean => status !== 204 && status !== 205 && status !== 304

function headersOf(all: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(all))
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, one)
  return headers
}
