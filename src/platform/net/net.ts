/**
 * HTTP requests to addresses that users name: files by link, fetched pages, callbacks (docs/decisions/platform/outgoing-requests.md). They reach the
 * public internet and nothing else, unless the operator allows a network.
 */
import { createSecureContext } from 'node:tls'
import type { Log } from '#platform/log'
import type { Egress } from '#platform/proxy'
import { type AddressPolicy, type Lookup, openAddressPolicy } from './address-policy.ts'
import {
  type ByteBudget,
  exchange,
  type HopRequest,
  isRedirect,
  type Reply,
  type ReplyHeaders,
  type Sink,
} from './exchange.ts'
import { type KeepAliveClient, openKeepAliveClient } from './keep-alive-client.ts'
import { openSocket, portOf } from './open-socket.ts'
import { followRedirect } from './redirect.ts'
import { FetchRefused } from './refused.ts'
import { type StreamReply, type StreamRequest, streamOver } from './stream.ts'
import { hostOf, isInternalName, mayBePublic, type Protocol, readTarget } from './target.ts'
import { type TxtOptions, txtRecords } from './txt.ts'
import { unlessAborted } from './unless-aborted.ts'

export type { FetchRefusalReason } from './refused.ts'
export { isGloballyRoutable } from './routable.ts'
export { type HeaderLine, type StreamReply, type StreamRequest, streamRefusal, streamTo } from './stream.ts'
export {
  type ByteBudget,
  FetchRefused,
  type KeepAliveClient,
  type Lookup,
  mayBePublic,
  type TxtOptions,
  txtRecords,
}

export interface GuardOptions {
  /** Networks that may be reached although they are not public, such as `10.0.0.0/8`. */
  allowedCidrs: readonly string[]
  log?: Log
  /** Resolves names instead of the system's resolver. */
  lookup?: Lookup
  /** The ports that `stream` may reach, instead of 80 and 443. */
  streamPorts?: readonly number[]
  /** The trusted root certificates in PEM, instead of the system's. */
  ca?: string
  /** The egress of each request. Its proxy gets addresses that were checked, never names. */
  egress?: (url: URL) => Egress
}

export interface FetchOptions {
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** The timeout from the name lookup to the last byte, over all redirects. */
  timeoutMs: number
  /** The maximum bytes of the answer's body, compressed and decompressed. */
  maxBytes: number
  /** A byte limit that is shared with other fetches. */
  budget?: ByteBudget
  /** The maximum of redirects that are followed. Default: 0, so that a redirect is returned as the answer. */
  maxRedirects?: number
  /** The allowed protocols. Default: `['https:']`. */
  protocols?: readonly Protocol[]
  /** The accepted media types of a successful answer, such as `text/*`; sent as `Accept`. If absent, any. */
  accept?: readonly string[]
  /** Receives the body of a successful answer chunk by chunk, so that it is never held in memory; its errors are passed on unchanged. */
  sink?: Sink
  /** Replaces the client's egress; for links of an upstream that is reached through a proxy. */
  egress?: ((url: URL) => Egress) | undefined
  signal?: AbortSignal
}

export interface FetchResult {
  status: number
  headers: ReplyHeaders
  /** The decompressed body; empty if a sink received it. */
  body: Buffer
  /** The final address. */
  url: string
  redirects: number
}

export interface GuardedClient {
  /**
   * Sends one request and returns its answer, whatever the status. For every hop the name is resolved, the address checked and a new connection
   * opened; no connection is reused, and a proxy is used only if the operator configured it. Throws `FetchRefused`.
   */
  fetch(url: string, options: FetchOptions): Promise<FetchResult>
}

/** A guarded client that can also keep connections open, for repeated requests to one host. */
export interface GuardedNet extends GuardedClient {
  /**
   * Returns the normalized address if it leads to the public internet. A name that cannot be resolved now is accepted if it could be public: it may
   * be new, or the name server unreachable. Throws `FetchRefused`.
   */
  checkTarget(url: string, timeoutMs: number): Promise<string>
  /**
   * Checks an HTTPS address that a third party will open: throws `FetchRefused` if it leads elsewhere than to the public internet. A name that cannot
   * be resolved in time is accepted if others could resolve it. No connection is opened.
   */
  checkForwardedTarget(url: string, options: { timeoutMs: number; signal?: AbortSignal }): Promise<void>
  /**
   * Sends one request to port 80 or 443 and returns its answer as it arrives, whatever its status: neither body is held in memory, and redirects are
   * not followed. The name is resolved, checked and connected as in `fetch`; the connection is not reused. Throws `FetchRefused`, and the signal's
   * AbortError.
   */
  stream(url: string, request: StreamRequest & { connectMs: number }): Promise<StreamReply>
  /**
   * Opens a client with keep-alive connections to one HTTPS address, at most `connections` at once. Every new connection is resolved, checked and
   * opened as in `fetch`.
   */
  keepAliveClient(url: string, connections: number): KeepAliveClient
}

/** Opens a guarded client. Throws if an allowed network is not a CIDR. */
export function openGuardedClient(options: GuardOptions): GuardedNet {
  const policy = openAddressPolicy(options.allowedCidrs, options.lookup)
  const { streamPorts: ports = webPorts } = options
  const trust = options.ca === undefined ? undefined : createSecureContext({ ca: options.ca })
  const egressTo = (url: URL, own = options.egress): Egress => ({ ...(trust && { trust }), ...own?.(url) })
  return {
    async checkTarget(text, timeoutMs) {
      const url = readTarget(text, ['https:'])
      const host = hostOf(url)
      const signal = AbortSignal.timeout(timeoutMs)
      await unlessAborted(policy.resolve(host), signal).catch((cause: unknown) => {
        const isUnknown = signal.aborted || (cause instanceof FetchRefused && cause.reason === 'dns')
        if (isUnknown && mayBePublic(host)) return
        throw signal.aborted ? new FetchRefused('timeout', host, cause) : cause
      })
      return url.href
    },
    async checkForwardedTarget(text, { timeoutMs, signal: caller }) {
      const host = hostOf(readTarget(text, ['https:']))
      // Other parsers continue where the URL standard ends the host, or at characters that it strips.
      if (/[\\\t\n\r]/.test(text)) throw new FetchRefused('bad_url', host)
      if (isInternalName(host)) throw new FetchRefused('address_not_public', host)
      const deadline = AbortSignal.timeout(timeoutMs)
      const signal = caller ? AbortSignal.any([caller, deadline]) : deadline
      await unlessAborted(policy.resolve(host), signal).catch((cause: unknown) => {
        if (caller?.aborted) throw new FetchRefused('aborted', host, cause)
        if (!signal.aborted && !(cause instanceof FetchRefused && cause.reason === 'dns')) throw cause
      })
    },
    async stream(text, request) {
      const url = readTarget(text, ['https:', 'http:'])
      if (!ports.includes(portOf(url))) throw new FetchRefused('port', url.hostname)
      const deadline = AbortSignal.timeout(request.connectMs)
      const signal = AbortSignal.any([request.signal, deadline])
      try {
        const addresses = await unlessAborted(policy.resolve(hostOf(url)), signal)
        const socket = await openSocket(url, { addresses, admits: policy.admits, ...egressTo(url), signal })
        return await streamOver(socket, url, request)
      } catch (cause) {
        if (cause instanceof FetchRefused || request.signal.aborted || !deadline.aborted) throw cause
        throw new FetchRefused('timeout', url.hostname, cause)
      }
    },
    keepAliveClient: (text, connections) => {
      const url = readTarget(text, ['https:'])
      return openKeepAliveClient({ url, policy, egress: egressTo(url), connections })
    },
    fetch: async (url, fetchOptions) => {
      try {
        return await fetchWithin(url, fetchOptions, (step, signal) =>
          hop(policy, egressTo(step.url, fetchOptions.egress), step, fetchOptions, signal),
        )
      } catch (error) {
        if (error instanceof FetchRefused)
          options.log?.info({ reason: error.reason, host: error.host }, 'a fetch came to nothing')
        throw error
      }
    },
  }
}

const webPorts = [80, 443]

type Hop = (step: HopRequest, signal: AbortSignal) => Promise<Reply>

/** Follows redirects, and distinguishes an abort of the caller from the timeout. */
async function fetchWithin(url: string, options: FetchOptions, hop: Hop): Promise<FetchResult> {
  const { protocols = ['https:'], maxRedirects = 0 } = options
  const deadline = AbortSignal.timeout(options.timeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
  let step = firstStep(readTarget(url, protocols), options)
  try {
    for (let redirects = 0; ; redirects += 1) {
      const reply = await hop(step, signal)
      if (maxRedirects === 0 || !isRedirect(reply.status)) return { ...reply, url: step.url.href, redirects }
      if (redirects === maxRedirects) throw new FetchRefused('bad_redirect', step.url.hostname)
      step = followRedirect(step, reply, protocols)
    }
  } catch (cause) {
    if (cause instanceof FetchRefused || !signal.aborted) throw cause
    throw new FetchRefused(options.signal?.aborted ? 'aborted' : 'timeout', step.url.hostname, cause)
  }
}

function firstStep(url: URL, { method = 'GET', headers = {}, body }: FetchOptions): HopRequest {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  // A `Host` header could name a host other than the checked one.
  if (named.some(([name]) => name === 'host')) throw new TypeError('The host follows from the address.')
  return { url, method, headers: Object.fromEntries(named), body }
}

async function hop(
  policy: AddressPolicy,
  egress: Egress,
  step: HopRequest,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Reply> {
  signal.throwIfAborted()
  const addresses = await unlessAborted(policy.resolve(hostOf(step.url)), signal)
  const socket = await openSocket(step.url, { addresses, admits: policy.admits, ...egress, signal })
  const { maxBytes, budget, accept, sink, maxRedirects = 0 } = options
  const bounds = { maxBytes, budget, accept, sink, readsRedirects: maxRedirects === 0, signal }
  return exchange(socket, step, bounds)
}
