/** Fetches and checks the media that a turn names by links, of every text API; pictures among them may become references of a drawing later. */
import { heifType } from '#core/magic'
import type { Media, Message, MessageContent } from '#core/turn'
import { fail, type Localized } from '#platform/errors'
import { FetchRefused, type GuardedClient, type GuardedNet } from '#platform/net'
import { isTooLarge } from './image.ts'
import { measure } from './measure.ts'
import { allContentParts, mapContentParts } from './parts.ts'
import { reasons } from './phrases.ts'

/** Limits for the links of one turn. */
export interface LinkBounds {
  /** The most different links; a link that occurs several times is fetched once. */
  maxLinks: number
  maxBytesEach: number
  /** The most bytes of all links together. */
  maxBytes: number
  timeoutMs: number
  /** The most redirects of each link. */
  maxRedirects: number
}

export const defaultLinkBounds: LinkBounds = {
  maxLinks: 20,
  maxBytesEach: 10 * 1024 * 1024,
  // As Base64, these bytes fit the 32 MB that vendors take in one request.
  maxBytes: 23 * 1024 * 1024,
  timeoutMs: 15_000,
  maxRedirects: 3,
}

/** Media types that upstreams accept, by kind of content. */
const typesOf = {
  image: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  audio: ['audio/wav', 'audio/mpeg'],
  video: ['video/mp4'],
  document: ['application/pdf'],
} as const satisfies Partial<Record<MessageContent['type'], readonly string[]>>

export interface LinkedMedia {
  /** The messages with bytes in place of every link. */
  messages: Message[]
  /** The fetched media, by link. */
  found: ReadonlyMap<string, FoundMedia>
}

export type FoundMedia = Media & { data: Uint8Array; mediaType: string }

/**
 * The messages with the bytes of every link in its place, for upstreams that take no links. The type and measures come from the bytes, whatever their
 * server calls them. The input is not modified. Throws LINK_NOT_USABLE for the first link that fails and aborts the others; throws `FetchRefused`
 * (`aborted`) when the signal aborts.
 */
export async function withLinkedMedia(
  client: GuardedClient,
  messages: readonly Message[],
  options: { signal: AbortSignal; bounds?: LinkBounds },
): Promise<LinkedMedia> {
  const links = new Map<string, MediaLink>()
  for (const { media } of linksIn(messages)) if (!links.has(media.url)) links.set(media.url, media)
  const found = await fetchAll(
    client,
    [...links.values()],
    options.bounds ?? defaultLinkBounds,
    options.signal,
  )
  return { messages: mapContentParts(messages, (part) => withFetchedMedia(part, found)), found }
}

/** Limits for checking links that an upstream will open itself. */
const inspection = {
  /** The most different hosts, whose names are looked up. */
  maxHosts: 64,
  atOnce: 8,
  timeoutMs: 2_000,
}

/**
 * Refuses links to private addresses before they are sent to an upstream: names are resolved, nothing is opened. A name that cannot be
 * resolved passes. Throws LINK_NOT_USABLE; throws `FetchRefused` (`aborted`) when the signal aborts.
 */
export async function inspectLinks(
  net: Pick<GuardedNet, 'checkForwardedTarget'>,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<void> {
  const hosts = new Map<string, MediaLink>()
  for (const { media } of linksIn(messages)) {
    const url = URL.parse(media.url)
    // One link per host is checked, unless the link holds credentials or is not plain https; such links are each checked.
    const key = url && /^https:\/\/[^/@\\]+\//i.test(media.url) ? url.host : media.url
    if (!hosts.has(key)) hosts.set(key, media)
  }
  const links = [...hosts.values()]
  const tooMany = links[inspection.maxHosts]
  if (tooMany !== undefined) refuse(tooMany, reasons.tooManyHosts(inspection.maxHosts))
  const queue = links.values()
  const worker = async (): Promise<void> => {
    for (const link of queue) await inspectOne(net, link, signal)
  }
  await Promise.all(Array.from({ length: Math.min(inspection.atOnce, links.length) }, worker))
}

async function inspectOne(
  net: Pick<GuardedNet, 'checkForwardedTarget'>,
  link: MediaLink,
  signal: AbortSignal,
): Promise<void> {
  try {
    await net.checkForwardedTarget(link.url, { timeoutMs: inspection.timeoutMs, signal })
  } catch (cause) {
    if (!(cause instanceof FetchRefused) || cause.reason === 'aborted') throw cause
    refuse(link, cause.why, cause)
  }
}

/** The kinds of content that are given only as a link. */
export const linkedKinds = (messages: readonly Message[]): ReadonlySet<MessageContent['type']> =>
  new Set(linksIn(messages).map(({ type }) => type))

type MediaLink = Media & { url: string }
type LinkedContent = MessageContent & { media: MediaLink }

const linksIn = (messages: readonly Message[]): LinkedContent[] => allContentParts(messages).filter(isLinked)

const isLinked = (part: MessageContent): part is LinkedContent =>
  'media' in part && part.media.url !== undefined && part.media.data === undefined

/** Fetches the links concurrently, since each is limited in time, and all together in number and bytes. */
async function fetchAll(
  client: GuardedClient,
  links: readonly MediaLink[],
  bounds: LinkBounds,
  signal: AbortSignal,
): Promise<Map<string, FoundMedia>> {
  const tooMany = links[bounds.maxLinks]
  if (tooMany !== undefined) return refuse(tooMany, reasons.tooManyLinks(bounds.maxLinks))
  const { timeoutMs, maxRedirects, maxBytesEach: maxBytes } = bounds
  const failed = new AbortController()
  const options = {
    timeoutMs,
    maxRedirects,
    maxBytes,
    budget: { left: bounds.maxBytes },
    headers: { accept: Object.values(typesOf).flat().join(', ') },
    signal: AbortSignal.any([signal, failed.signal]),
  }
  const fetches = links.map(async (link) => [link.url, await fetchOne(client, link, options)] as const)
  try {
    return new Map(await Promise.all(fetches))
  } finally {
    failed.abort()
    await Promise.allSettled(fetches)
  }
}

/** Fetches a link, whatever its media type. */
async function fetchOne(
  client: GuardedClient,
  link: MediaLink,
  options: Parameters<GuardedClient['fetch']>[1],
): Promise<FoundMedia> {
  try {
    const { status, body } = await client.fetch(link.url, options)
    if (status !== 200) refuse(link, reasons.answered(status))
    return { data: body, mediaType: '', ...measure(body) }
  } catch (cause) {
    // After an abort, no error about the link is raised.
    if (!(cause instanceof FetchRefused) || cause.reason === 'aborted') throw cause
    return refuse(link, cause.why, cause)
  }
}

function withFetchedMedia(part: MessageContent, found: ReadonlyMap<string, FoundMedia>): MessageContent {
  if (!isLinked(part)) return part
  const { media: link } = part
  const types: readonly string[] = typesOf[part.type as keyof typeof typesOf]
  const media = found.get(link.url)!
  if (!types.includes(media.mediaType))
    return refuse(link, reasons.otherType(media.mediaType || heifType(media.data), types))
  if (isTooLarge(media)) return refuse(link, reasons.vast)
  const { param } = link
  return { ...part, media: { ...media, ...(param !== undefined && { param }) } } as MessageContent
}

/** The error shows the link without its query, which may contain signatures. */
const refuse = ({ url, param }: MediaLink, why: Localized, cause?: unknown): never =>
  fail(
    'LINK_NOT_USABLE',
    { link: url.split(/[?#]/, 1)[0]!.slice(0, 200), why },
    { cause, ...(param !== undefined && { param }) },
  )
