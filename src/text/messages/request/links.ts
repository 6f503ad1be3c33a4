import { encodeBase64, typeOfBase64 } from '#core/media'
import type { FillBody } from '#core/text'
import type { MessageParam, MessagesBody } from './schema.ts'

/** The body in which pictures and documents replace the links to them. */
export const fillLinks: FillBody = (body, found) => ({
  ...body,
  messages: withSources((body as MessagesBody).messages, (source) => {
    const media = source.type === 'url' ? found.get(source.url ?? '') : undefined
    if (!media) return source
    return { type: 'base64', media_type: media.mediaType, data: encodeBase64(media.data) }
  }),
})

/** The messages with the types that the bytes of pictures and documents have: vendors refuse others. */
export const withTypesOfBytes = (messages: readonly MessageParam[]): MessageParam[] =>
  withSources(messages, (source) => {
    const type = source.type === 'base64' ? typeOfBase64(source.data ?? '') : undefined
    return type === undefined || type === source.media_type ? source : { ...source, media_type: type }
  })

interface BlockSource {
  type: string
  url?: string
  media_type?: string
  data?: string
  content?: unknown
}

interface BlockWithSource {
  type: string
  source?: BlockSource
  content?: unknown
}

type ChangeSource = (source: BlockSource) => BlockSource

/** Blocks that contain other blocks or a source; blocks of a vendor's tools are sent back to it unchanged. */
const blocksWithSources = new Set(['image', 'document', 'tool_result'])

const withSources = (messages: readonly MessageParam[], change: ChangeSource): MessageParam[] =>
  messages.map((message) =>
    typeof message.content === 'string'
      ? message
      : ({ ...message, content: changedBlocks(message.content, change) } as MessageParam),
  )

const changedBlocks = (blocks: readonly object[], change: ChangeSource): object[] =>
  blocks.map((block) =>
    blocksWithSources.has((block as BlockWithSource).type)
      ? changedBlock(block as BlockWithSource, change)
      : block,
  )

function changedBlock(block: BlockWithSource, change: ChangeSource): object {
  const { source, content } = block
  if (Array.isArray(content)) return { ...block, content: changedBlocks(content, change) }
  if (!source) return block
  if (Array.isArray(source.content))
    return { ...block, source: { ...source, content: changedBlocks(source.content, change) } }
  const changed = change(source)
  return changed === source ? block : { ...block, source: changed }
}
