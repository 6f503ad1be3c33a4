/** Streams large files of an upstream, from its own address or behind a link in its answer. */

import { type Timeouts, UpstreamError } from '#core/spec'
import { deadlines } from '#platform/clock'
import { FetchRefused, type GuardedClient } from '#platform/net'
import type { Egress } from '#platform/proxy'
import { faultOfStatus } from './fault.ts'
import type { AbortableOptions, UpstreamClient } from './kit.ts'
import { pullChunks, type Write } from './pulled.ts'
import { RedirectError } from './redirected.ts'

const maxRedirectCount = 3

/** How links are fetched: without a key, from public addresses only. */
export interface LinkedFileNet {
  net: GuardedClient
  /** The proxy and trusted roots of the requests. */
  egress?: ((url: URL) => Egress) | undefined
}

export interface FileOptions extends AbortableOptions {
  maxBytes: number
  /** The media types that are requested, such as `video/*`. */
  accept: string
}

/**
 * A file at the upstream's own address. A redirect within its origin is followed with the key, and one that leads elsewhere like a link: the key goes
 * nowhere but to the configured origin. Throws `UpstreamError`; `cut` where the bytes end before their declared length.
 */
export async function* fileBytes(
  client: UpstreamClient,
  links: LinkedFileNet,
  options: FileOptions,
): AsyncGenerator<Uint8Array, void> {
  const { maxBytes, accept, ...request } = options
  let next: AbortableOptions = { ...request, headers: { ...request.headers, accept } }
  for (let redirects = 0; ; redirects += 1)
    try {
      yield* ownBytes(client, next, maxBytes)
      return
    } catch (error) {
      if (!(error instanceof RedirectError)) throw error
      if (redirects === maxRedirectCount) throw malformed('redirects without an end')
      const url = client.locationOf(next, error.location)
      if (!url) throw malformed('a redirect to no address')
      if (!client.isOwn(url)) return yield* linkedBytes(url.href, links, options)
      next = { ...next, path: url.pathname + url.search, isFromRoot: true }
    }
}

const ownBytes = (client: UpstreamClient, options: AbortableOptions, maxBytes: number) =>
  pullChunks((write, signal) => client.stream({ ...options, signal }, { write, maxBytes }), options.signal)

/** A file behind a link. Throws as `fileBytes` does. */
export const linkedBytes = (
  url: string,
  links: LinkedFileNet,
  options: Pick<FileOptions, 'signal' | 'timeouts' | 'maxBytes' | 'accept'>,
): AsyncGenerator<Uint8Array, void> =>
  pullChunks((write, signal) => pipeLink(url, links, { ...options, signal }, write), options.signal)

async function pipeLink(
  url: string,
  { net, egress }: LinkedFileNet,
  { signal, timeouts, maxBytes, accept }: Pick<FileOptions, 'signal' | 'timeouts' | 'maxBytes' | 'accept'>,
  write: Write,
): Promise<void> {
  using idle = new IdleTimer(timeouts)
  let hasBegun = false
  try {
    const { status, headers } = await net.fetch(url, {
      timeoutMs: timeouts.totalMs,
      maxBytes,
      maxRedirects: maxRedirectCount,
      headers: { accept },
      egress,
      signal: AbortSignal.any([signal, idle.signal]),
      sink: async (body) => {
        hasBegun = true
        idle.wait()
        for await (const chunk of body) {
          idle.rest()
          await write(chunk)
          idle.wait()
        }
      },
    })
    // The text of a stranger's error page is not passed on.
    if (status < 200 || status > 299) throw faultOfLink(status, headers)
  } catch (cause) {
    if (signal.aborted) throw new UpstreamError('aborted', { cause })
    if (idle.hasRung) throw new UpstreamError('timeout', { detail: idle.detail, cause })
    if (cause instanceof FetchRefused) throw faultOfRefused(cause, hasBegun)
    throw cause
  }
}

/**
 * Rings when the other side is silent for too long. The time of a slow reader does not count, and if this process was too busy to read in time, bytes
 * that have arrived meanwhile are read first.
 */
class IdleTimer implements Disposable {
  readonly #idleMs: number
  readonly #controller = new AbortController()
  readonly #clock
  #hasBegun = false
  /** Counts the waits. */
  #turns = 0

  constructor({ connectMs, firstByteMs, idleMs }: Timeouts) {
    this.#idleMs = idleMs
    this.#clock = deadlines.in(connectMs + firstByteMs, () => this.#ring())
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get hasRung(): boolean {
    return this.signal.aborted
  }

  get detail(): string {
    return this.#hasBegun ? 'silence in the middle of a linked file' : 'no answer behind a link'
  }

  wait(): void {
    this.#hasBegun = true
    this.#turns += 1
    this.#clock.restart(this.#idleMs)
  }

  rest(): void {
    this.#turns += 1
    this.#clock.cancel()
  }

  #ring(): void {
    const turn = this.#turns
    // The event loop runs timers before sockets; this runs after both.
    setImmediate(() => {
      if (turn === this.#turns) this.#controller.abort()
    })
  }

  [Symbol.dispose](): void {
    this.rest()
  }
}

const faultOfLink = (
  status: number,
  headers: Record<string, string | string[] | undefined>,
): UpstreamError => {
  const { fault, retryAfterMs } = faultOfStatus(status, headers, '', [])
  // Links are signed: a refused one has expired, and says nothing about our key.
  return new UpstreamError(fault === 'authentication' || fault === 'invalid_request' ? 'not_found' : fault, {
    status,
    detail: `a link that answers with status ${status}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

function faultOfRefused(cause: FetchRefused, hasBegun: boolean): UpstreamError {
  if (cause.reason === 'timeout')
    return new UpstreamError('timeout', { detail: 'no end of a linked file', cause })
  if (cause.reason === 'connect')
    return new UpstreamError(hasBegun ? 'cut' : 'reset', { detail: 'the connection of a link broke', cause })
  if (cause.reason === 'dns')
    return new UpstreamError('reset', { detail: 'the host of a link is unknown', cause })
  return malformed(`a link that cannot be used (${cause.reason})`, cause)
}

const malformed = (detail: string, cause?: unknown): UpstreamError =>
  new UpstreamError('malformed', { detail, cause })
