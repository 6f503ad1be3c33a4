import { dataUrl } from '#core/media'
import type { FillBody, MediaByLink } from '#core/text'
import type { ChatBody, ChatContentPart } from './schema.ts'

/** The body with pictures in the place of links to them. */
export const fillLinks: FillBody = (body, found) => ({
  ...body,
  messages: (body as ChatBody).messages.map((message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.map((part) => withMedia(part, found)) }
      : message,
  ),
})

function withMedia(part: ChatContentPart, found: MediaByLink): ChatContentPart {
  const media = part.type === 'image_url' ? found.get(part.image_url.url) : undefined
  if (part.type !== 'image_url' || !media) return part
  return { ...part, image_url: { ...part.image_url, url: dataUrl(media) } }
}
