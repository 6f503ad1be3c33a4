import { dataUrl, withTypeOfBytes } from '#core/media'
import type { FillBody } from '#core/text'
import type { ContentPart } from './item-schema.ts'
import type { ResponsesBody } from './schema.ts'

/** The body in which the files replace the links to them. */
export const fillLinks: FillBody = (body, found) => {
  const { input } = body as ResponsesBody
  if (typeof input === 'string') return body
  const fill = (part: ContentPart): object => {
    const media = part.type === 'input_file' && part.file_url != null ? found.get(part.file_url) : undefined
    if (part.type !== 'input_file' || !media) return part
    const { file_url: _link, filename, ...rest } = part
    // OpenAI accepts no file data without a file name.
    return { ...rest, filename: filename ?? 'document.pdf', file_data: dataUrl(media) }
  }
  return { ...body, input: input.map((item) => withParts(item, fill)) }
}

/** An item with the types that the bytes of its pictures and files have: vendors refuse others, and a picture as a file. */
export const withTypesOfBytes = <Item extends object>(item: Item): Item =>
  withParts(item, (part) => {
    if (part.type === 'input_image' && part.image_url != null)
      return { ...part, image_url: withTypeOfBytes(part.image_url) }
    if (part.type !== 'input_file' || part.file_data == null) return part
    const url = withTypeOfBytes(part.file_data)
    return url.startsWith('data:image/')
      ? { type: 'input_image', image_url: url }
      : { ...part, file_data: url }
  })

/** Parts are in the `content` of a message and in the `output` of a function call. */
function withParts<Item extends object>(item: Item, change: (part: ContentPart) => object): Item {
  const { content, output } = item as { content?: unknown; output?: unknown }
  const changed = (part: unknown): unknown =>
    typeof part === 'object' && part !== null ? change(part as ContentPart) : part
  if (Array.isArray(content)) return { ...item, content: content.map(changed) }
  return Array.isArray(output) ? { ...item, output: output.map(changed) } : item
}
