/** Content blocks → neutral content. Media are decoded and measured here, before anything is held. */
import { base64Media, linkMedia, requireModality } from '#capabilities/text'
import type { Content, Document, Media } from '#engine/turn'
import { abilities } from '../phrases.ts'
import type { DocumentBlock, ImageBlock, Link, SearchResultBlock, TextBlock } from './block-schema.ts'
import type { Reading } from './reading.ts'

export const textContent = (content: string | readonly TextBlock[]): Content[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(textOf)

const textOf = ({ text }: TextBlock): Content => ({ type: 'text', text })

/** The content of blocks that say something by themselves, in whatever message they stand. */
export function contentOf(
  block: TextBlock | ImageBlock | DocumentBlock | SearchResultBlock,
  param: string,
  reading: Reading,
): Content {
  switch (block.type) {
    case 'text':
      if (block.citations) reading.unread(block.citations)
      return textOf(block)
    case 'image':
      requireModality(reading.model, 'image', param)
      return { type: 'image', media: mediaOf(block.source, `${param}.source`) }
    case 'document':
      return documentOf(block, param, reading)
    case 'search_result':
      needCitations(block, param, reading)
      return {
        type: 'document',
        title: block.title,
        context: block.source,
        citations: block.citations?.enabled === true,
        parts: block.content.map(textOf),
      }
  }
}

function documentOf(block: DocumentBlock, param: string, reading: Reading): Document {
  needCitations(block, param, reading)
  const about = {
    type: 'document' as const,
    citations: block.citations?.enabled === true,
    ...(block.title != null && { title: block.title }),
    ...(block.context != null && { context: block.context }),
  }
  const { source } = block
  if (source.type === 'text') return { ...about, parts: textContent(source.data) }
  if (source.type === 'content') return { ...about, parts: partsOf(source.content, param, reading) }
  requireModality(reading.model, 'file', param)
  return { ...about, media: mediaOf(source, `${param}.source`) }
}

function partsOf(
  content: string | readonly (TextBlock | ImageBlock)[],
  param: string,
  reading: Reading,
): Content[] {
  if (typeof content === 'string') return textContent(content)
  return content.map((block, index) => contentOf(block, `${param}.source.content.${index}`, reading))
}

function needCitations(
  { citations }: DocumentBlock | SearchResultBlock,
  param: string,
  reading: Reading,
): void {
  if (citations?.enabled) reading.needsOwnWire(`${param}.citations`, abilities.citations)
}

/** The bytes have to be what the block says they are. */
const mediaOf = (
  source: { type: 'base64'; media_type: string; data: string } | Link,
  param: string,
): Media =>
  source.type === 'base64'
    ? base64Media(source.data, [source.media_type], `${param}.data`)
    : linkMedia(source.url, `${param}.url`)
