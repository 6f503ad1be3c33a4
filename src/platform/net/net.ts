/**
 * Requests to addresses that a user names: files by link, fetched pages, addresses to call back. They reach the public internet and
 * nothing else, unless the operator allows a network (docs/decisions/0018).
 */
import { createSecureContext } from 'node:tls'
import type { Log } from '#platform/log'
import type { Egress } from '#platform/proxy'
import { type AddressPolicy, type Lookup, openAddressPolicy } from './address-policy.ts'
import {
  type ByteBudget,
  exchange,
  isRedirect,
  type Reply,
  type ReplyHeaders,
  type Sink,
  type Step,
} from './exchange.ts'
import { type KeepAliveClient, openKeepAliveClient } from './keep-alive-client.ts'
import { openSocket } from './open-socket.ts'
import { followRedirect } from './redirect.ts'
import { FetchRefused } from './refused.ts'
import { hostOf, isInside, mayBePublic, type Protocol, readTarget } from './target.ts'
import { unlessAborted } from './unless-aborted.ts'

export type { Reason } from './refused.ts'
export { isGloballyRoutable } from './routable.ts'
export { type ByteBudget, FetchRefused, type KeepAliveClient, type Lookup }

export interface GuardOptions {
  /** Networks that may be reached though they are not public, such as `10.0.0.0/8`. */
  allowedCidrs: readonly string[]
  log?: Log
  /** Instead of the system's resolver. */
  lookup?: Lookup
  /** PEM of the roots to trust, instead of the system's. */
  ca?: string
  /** Instead of directly; its proxy is given addresses that were judged, and no names. */
  egress?: (url: URL) => Egress
}

export interface FetchOptions {
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** From the first question to the name server to the last byte, over all redirects. */
  timeoutMs: number
  /** Of the answer's body, as it comes and unpacked. */
  maxBytes: number
  /** Shared with other fetches. */
  budget?: ByteBudget
  /** Default: 0, so that a redirect is returned as the answer. */
  maxRedirects?: number
  /** Default: `['https:']`. */
  protocols?: readonly Protocol[]
  /** Media types that a success may have, such as `text/*`; sent as `Accept`. Absent takes any. */
  accept?: readonly string[]
  /** Takes the body of a success piece by piece, so that it is never in memory; what it throws is thrown as it is. */
  sink?: Sink
  /** Instead of the client's own; for what an upstream names that is reached through a proxy. */
  egress?: ((url: URL) => Egress) | undefined
  signal?: AbortSignal
}

export interface Fetched {
  status: number
  headers: ReplyHeaders
  /** Unpacked; empty where a sink took it. */
  body: Buffer
  /** Where it came from in the end. */
  url: string
  redirects: number
}

export interface GuardedClient {
  /**
   * One request and its answer, whatever the status. Every hop resolves, judges and connects anew; no connection is kept, and a proxy
   * is asked only where the operator says so. Throws `FetchRefused`.
   */
  fetch(url: string, options: FetchOptions): Promise<Fetched>
}

/** A guarded client that also keeps connections, to where the same party is written to again and again. */
export interface GuardedNet extends GuardedClient {
  /**
   * The address as it would be asked, unless it leads elsewhere than to the public internet now. A name that cannot be found now is
   * taken where it could be public: it is new, or the name server is away. Throws `FetchRefused`.
   */
  checkTarget(url: string, timeoutMs: number): Promise<string>
  /**
   * Throws `FetchRefused` for an HTTPS address that leads elsewhere than to the public internet, for a third party that will open it. One whose
   * name cannot be found, or not in time, passes where that name could be found elsewhere; nothing is connected to.
   */
  checkForwardedTarget(url: string, options: { timeoutMs: number; signal?: AbortSignal }): Promise<void>
  /** Connections to one HTTPS address, at most so many at once. Every new one resolves, judges and connects as `fetch` does. */
  keepAliveClient(url: string, connections: number): KeepAliveClient
}

/** Throws for an allowed network that is no CIDR. */
export function openGuardedClient(options: GuardOptions): GuardedNet {
  const policy = openAddressPolicy(options.allowedCidrs, options.lookup)
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
      // Others read on where the URL standard has it end, or before what it strips.
      if (/[\\\t\n\r]/.test(text)) throw new FetchRefused('bad_url', host)
      if (isInside(host)) throw new FetchRefused('address_not_public', host)
      const deadline = AbortSignal.timeout(timeoutMs)
      const signal = caller ? AbortSignal.any([caller, deadline]) : deadline
      await unlessAborted(policy.resolve(host), signal).catch((cause: unknown) => {
        if (caller?.aborted) throw new FetchRefused('aborted', host, cause)
        if (!signal.aborted && !(cause instanceof FetchRefused && cause.reason === 'dns')) throw cause
      })
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

type Hop = (step: Step, signal: AbortSignal) => Promise<Reply>

/** Follows redirects, and distinguishes an abort of the caller from the timeout. */
async function fetchWithin(url: string, options: FetchOptions, hop: Hop): Promise<Fetched> {
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

function firstStep(url: URL, { method = 'GET', headers = {}, body }: FetchOptions): Step {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  // A host of its own would pass one name by the gate and ask the server for another.
  if (named.some(([name]) => name === 'host')) throw new TypeError('The host follows from the address.')
  return { url, method, headers: Object.fromEntries(named), body }
}

async function hop(
  policy: AddressPolicy,
  egress: Egress,
  step: Step,
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
