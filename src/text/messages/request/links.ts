import { encodeBase64 } from '#core/media'
import type { FillBody, MediaByLink } from '#core/text'
import type { MessagesBody } from './schema.ts'

/** The body in which pictures and documents replace the links to them. */
export const fillLinks: FillBody = (body, found) => ({
  ...body,
  messages: (body as MessagesBody).messages.map((message) =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: allWithMedia(message.content, found) },
  ),
})

interface LinkedBlock {
  type: string
  source?: { type: string; url?: string; content?: unknown }
  content?: unknown
}

/** Blocks that contain other blocks or a link; blocks of a vendor's tools are sent back to it unchanged. */
const blocksWithLinks = new Set(['image', 'document', 'tool_result'])

const allWithMedia = (blocks: readonly object[], found: MediaByLink): object[] =>
  blocks.map((block) =>
    blocksWithLinks.has((block as LinkedBlock).type) ? withMedia(block as LinkedBlock, found) : block,
  )

function withMedia(block: LinkedBlock, found: MediaByLink): object {
  const { source, content } = block
  if (Array.isArray(content)) return { ...block, content: allWithMedia(content, found) }
  if (Array.isArray(source?.content))
    return { ...block, source: { ...source, content: allWithMedia(source.content, found) } }
  const media = source?.type === 'url' ? found.get(source.url ?? '') : undefined
  if (!media) return block
  return { ...block, source: { type: 'base64', media_type: media.mediaType, data: encodeBase64(media.data) } }
}
