import type { Content, Media, Message } from '#engine/inference'
import { fail, type Told } from '#platform/errors'
import { FetchRefused, type GuardedClient } from '#platform/net'
import { measure } from './measure.ts'
import { reasons } from './words.ts'

/** What the links of one turn may cost. */
export interface LinkBounds {
  /** Different links; one that stands in several places is fetched once. */
  maxLinks: number
  maxBytesEach: number
  /** All together. */
  maxBytes: number
  timeoutMs: number
  /** Of each link. */
  maxRedirects: number
}

export const usualLinkBounds: LinkBounds = {
  maxLinks: 20,
  maxBytesEach: 10 * 1024 * 1024,
  maxBytes: 32 * 1024 * 1024,
  timeoutMs: 15_000,
  maxRedirects: 3,
}

/** What upstreams read, by the content that a link stands in. */
const typesOf = {
  image: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  audio: ['audio/wav', 'audio/mpeg'],
  video: ['video/mp4'],
  document: ['application/pdf'],
} as const satisfies Partial<Record<Content['type'], readonly string[]>>

/**
 * The messages with the bytes of every link in its place, named and measured by themselves whatever their server calls them; for
 * upstreams that take no links. What was given stays as it is. Throws LINK_NOT_USABLE for the first link that fails and calls the
 * others off; throws `FetchRefused` (`aborted`) when the signal does.
 */
export async function withLinkedMedia(
  client: GuardedClient,
  messages: readonly Message[],
  ask: { signal: AbortSignal; bounds?: LinkBounds },
): Promise<Message[]> {
  const links = new Set(messages.flatMap(({ content }) => content.flatMap(linksIn)))
  const found = await fetchAll(client, links, ask.bounds ?? usualLinkBounds, ask.signal)
  return messages.map((message) => ({
    ...message,
    content: message.content.map((part) => filled(part, found)),
  }))
}

function linksIn(part: Content): string[] {
  if (part.type === 'document' && 'parts' in part) return part.parts.flatMap(linksIn)
  return 'media' in part && isLink(part.media) ? [part.media.url] : []
}

const isLink = (media: Media): media is Media & { url: string } =>
  media.url !== undefined && media.data === undefined

/** All at once, since each is bounded in time and all together in number and bytes. */
async function fetchAll(
  client: GuardedClient,
  links: ReadonlySet<string>,
  bounds: LinkBounds,
  signal: AbortSignal,
): Promise<Map<string, Media | undefined>> {
  const tooMany = [...links][bounds.maxLinks]
  if (tooMany !== undefined) return refuse(tooMany, reasons.tooManyLinks(bounds.maxLinks))
  const { timeoutMs, maxRedirects, maxBytesEach: maxBytes } = bounds
  const failed = new AbortController()
  const ask = {
    timeoutMs,
    maxRedirects,
    maxBytes,
    budget: { left: bounds.maxBytes },
    headers: { accept: Object.values(typesOf).flat().join(', ') },
    signal: AbortSignal.any([signal, failed.signal]),
  }
  const fetches = [...links].map(async (link) => [link, await fetchOne(client, link, ask)] as const)
  try {
    return new Map(await Promise.all(fetches))
  } finally {
    failed.abort()
    await Promise.allSettled(fetches)
  }
}

/** What the link leads to; undefined for bytes of no known type. */
async function fetchOne(
  client: GuardedClient,
  link: string,
  ask: Parameters<GuardedClient['fetch']>[1],
): Promise<Media | undefined> {
  try {
    const { status, body } = await client.fetch(link, ask)
    return status === 200 ? measure(body) : refuse(link, reasons.answered(status))
  } catch (cause) {
    // Whoever called it off wants no sentence about the link.
    if (!(cause instanceof FetchRefused) || cause.reason === 'aborted') throw cause
    return refuse(link, cause.why, cause)
  }
}

function filled(part: Content, found: ReadonlyMap<string, Media | undefined>): Content {
  if (part.type === 'document' && 'parts' in part)
    return { ...part, parts: part.parts.map((inner) => filled(inner, found)) }
  if (!('media' in part) || !isLink(part.media)) return part
  const media = found.get(part.media.url)
  const types: readonly string[] = typesOf[part.type]
  if (!media?.mediaType || !types.includes(media.mediaType))
    return refuse(part.media.url, reasons.otherType(types))
  return { ...part, media }
}

/** The link is shown without its query, where signatures stand. */
const refuse = (link: string, why: Told, cause?: unknown): never =>
  fail('LINK_NOT_USABLE', { link: link.split(/[?#]/, 1)[0]!.slice(0, 200), why }, { cause })
