/** Content blocks → neutral content. Media are decoded and measured here, before any credits are held. */
import { base64Media, imageTypes, linkMedia, requireModality } from '#core/text'
import type { Document, Media, MessageContent } from '#core/turn'
import { abilities } from '../phrases.ts'
import type { DocumentBlock, ImageBlock, LinkSource, SearchResultBlock, TextBlock } from './block-schema.ts'
import type { ParseContext } from './parse-context.ts'

export const textContent = (content: string | readonly TextBlock[]): MessageContent[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(textOf)

const textOf = ({ text }: TextBlock): MessageContent => ({ type: 'text', text })

/** The content of blocks that may be in messages of any role. */
export function contentOf(
  block: TextBlock | ImageBlock | DocumentBlock | SearchResultBlock,
  param: string,
  context: ParseContext,
): MessageContent {
  switch (block.type) {
    case 'text':
      if (block.citations) context.addPassthroughBytes(block.citations)
      return textOf(block)
    case 'image':
      requireModality(context.model, 'image', param)
      return { type: 'image', media: mediaOf(block.source, imageTypes, `${param}.source`) }
    case 'document':
      return documentOf(block, param, context)
    case 'search_result':
      needCitations(block, param, context)
      return {
        type: 'document',
        title: block.title,
        context: block.source,
        citations: block.citations?.enabled === true,
        parts: block.content.map(textOf),
      }
  }
}

function documentOf(block: DocumentBlock, param: string, context: ParseContext): Document {
  needCitations(block, param, context)
  const about = {
    type: 'document' as const,
    citations: block.citations?.enabled === true,
    ...(block.title != null && { title: block.title }),
    ...(block.context != null && { context: block.context }),
  }
  const { source } = block
  if (source.type === 'text') return { ...about, parts: textContent(source.data) }
  if (source.type === 'content') return { ...about, parts: partsOf(source.content, param, context) }
  requireModality(context.model, 'file', param)
  return { ...about, media: mediaOf(source, ['application/pdf'], `${param}.source`) }
}

function partsOf(
  content: string | readonly (TextBlock | ImageBlock)[],
  param: string,
  context: ParseContext,
): MessageContent[] {
  if (typeof content === 'string') return textContent(content)
  return content.map((block, index) => contentOf(block, `${param}.source.content.${index}`, context))
}

function needCitations(
  { citations }: DocumentBlock | SearchResultBlock,
  param: string,
  context: ParseContext,
): void {
  if (citations?.enabled) context.needsOwnWire(`${param}.citations`, abilities.citations)
}

/** Media of a block; its bytes decide which of the types it is, whatever the block declares. */
const mediaOf = (
  source: { type: 'base64'; data: string } | LinkSource,
  types: readonly string[],
  param: string,
): Media =>
  source.type === 'base64'
    ? base64Media(source.data, types, `${param}.data`)
    : linkMedia(source.url, `${param}.url`)
