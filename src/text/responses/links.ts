import { dataUrl } from '#core/media'
import type { FillBody, MediaByLink } from '#core/text'
import type { ContentPart } from './item-schema.ts'
import type { ResponsesBody } from './schema.ts'

/** The body in which the files replace the links to them. */
export const fillLinks: FillBody = (body, found) => {
  const { input } = body as ResponsesBody
  if (typeof input === 'string') return body
  return { ...body, input: input.map((item) => itemWithMedia(item, found)) }
}

/** Parts are in the `content` of a message and in the `output` of a function call. */
function itemWithMedia(item: object, found: MediaByLink): object {
  const { content, output } = item as Record<string, unknown>
  if (Array.isArray(content)) return { ...item, content: content.map((part) => withMedia(part, found)) }
  return Array.isArray(output) ? { ...item, output: output.map((part) => withMedia(part, found)) } : item
}

function withMedia(part: ContentPart, found: MediaByLink): object {
  if (part.type !== 'input_file' || part.file_url == null) return part
  const media = found.get(part.file_url)
  if (!media) return part
  const { file_url: _link, filename, ...rest } = part
  // OpenAI accepts no file data without a file name.
  return { ...rest, filename: filename ?? 'document.pdf', file_data: dataUrl(media) }
}
