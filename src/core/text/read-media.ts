/** Reads what the body alone does not show of its media: the targets of links, and the page counts of PDFs. Runs before credits are held. */
import { requireUnclaimed } from '#core/calls'
import {
  allContentParts,
  inspectLinks,
  type LinkedMedia,
  mapContentParts,
  withLinkedMedia,
} from '#core/media'
import { maxPages, maxUncountedPages } from '#core/metering'
import type { Model } from '#core/models'
import type { Media, Message, MessageContent, Turn } from '#core/turn'
import { fail, type Localized } from '#platform/errors'
import { ClientGone, type RequestContext } from '#platform/http'
import type { ModelRequestApp } from './app.ts'
import { reasons } from './phrases.ts'

/** The parts of a request context that are needed here; background work has no HTTP request and so no claim. */
type MediaOptions = Pick<
  RequestContext<Pick<ModelRequestApp, 'countPages' | 'inference' | 'ledger' | 'net'>>,
  'app' | 'caller' | 'gone'
> &
  Partial<Pick<RequestContext<unknown>, 'claim'>>

/** The fetched media, by link. */
export type MediaByLink = LinkedMedia['found']
/** Replaces the links in a body, as it is sent to upstreams of its wire, by the fetched media. */
export type FillBody = (body: Record<string, unknown>, found: MediaByLink) => Record<string, unknown>

/**
 * The turn with all media measured. Links that upstreams open themselves are checked, so that none leads to a private address. If an
 * upstream that may answer does not open links, they are fetched here, once; the media then replace the links in the turn and, by
 * `fill`, in its body. Throws LINK_NOT_USABLE and INVALID_MEDIA.
 */
export async function readMedia(
  options: MediaOptions,
  model: Model,
  turn: Turn,
  fill: FillBody,
): Promise<Turn> {
  if (!allContentParts(turn.messages).some((part) => isPdf(part) || isLink(part))) return turn
  await requireUnclaimed(options)
  try {
    return await withPages(options, model, await withLinks(options, model, turn, fill))
  } catch (error) {
    throw options.gone.aborted ? new ClientGone() : error
  }
}

async function withLinks(
  { app, caller, gone }: MediaOptions,
  model: Model,
  turn: Turn,
  fill: FillBody,
): Promise<Turn> {
  const opener = app.inference.linkOpener({ model, turn, allowed: caller.models })
  if (opener === 'upstream') await inspectLinks(app.net, turn.messages, gone)
  if (opener !== 'here') return turn
  const { messages, found } = await withLinkedMedia(app.net, turn.messages, { signal: gone })
  const { body } = turn.source
  return { ...turn, messages, source: { ...turn.source, ...(body && { body: fill(body, found) }) } }
}

const isLink = (part: MessageContent): boolean => 'media' in part && part.media.data === undefined

type Pdf = Extract<MessageContent, { type: 'document'; media: Media }>
const isPdf = (part: MessageContent): part is Pdf => part.type === 'document' && 'media' in part

/** Adds page counts to PDFs. A PDF that only the upstream opens, or whose pages could not be counted, counts as the longest that the model reads. */
async function withPages({ app, caller, gone }: MediaOptions, model: Model, turn: Turn): Promise<Turn> {
  const pdfs = allContentParts(turn.messages).filter(isPdf)
  if (pdfs.length === 0) return turn
  const files = [...new Set(pdfs.flatMap(({ media: { data } }) => (data ? [data] : [])))]
  const counted =
    files.length === 0 ? [] : await app.countPages(files, { accountId: caller.accountId, signal: gone })
  const models = app.inference.modelsFor({ model, turn, allowed: caller.models })
  const maxPageCount = Math.max(...models.map(({ contextLength }) => maxUncountedPages(contextLength)))
  const pagesOf = ({ data, param }: Media): Pick<Media, 'pages' | 'pagesGuessed'> => {
    const count = data && counted?.[files.indexOf(data)]
    if (!count) return { pages: maxPageCount, pagesGuessed: true }
    if ('unreadable' in count) return refuse(reasons.unreadable[count.unreadable], param)
    const max = maxPages(model.contextLength)
    return count.pages > max ? refuse(reasons.tooManyPages(count.pages, max), param) : { pages: count.pages }
  }
  const paged = (part: MessageContent): MessageContent =>
    isPdf(part) ? { ...part, media: { ...part.media, ...pagesOf(part.media) } } : part
  const messages: Message[] = mapContentParts(turn.messages, paged)
  return { ...turn, messages }
}

const refuse = (why: Localized, param: string | undefined): never =>
  fail('INVALID_MEDIA', { why }, param === undefined ? {} : { param })
