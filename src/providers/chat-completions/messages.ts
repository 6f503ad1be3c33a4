import type { Document, Media, Message, MessageContent } from '#core/turn'
import { pdfName } from '#providers/kit'
import type { ChatVendor } from './vendors.ts'

/** Neutral messages as chat messages, for a turn that came by another wire. Only OpenAI knows the role `developer`. */
export function chatMessages(
  messages: readonly Message[],
  { host, needsReasoning }: Pick<ChatVendor, 'host' | 'needsReasoning'>,
): Record<string, unknown>[] {
  const knowsDeveloper = host === 'api.openai.com'
  return withPicturesAfter(messages).map((message) => ({
    role: message.role === 'developer' && !knowsDeveloper ? 'system' : message.role,
    content: contentOf(message),
    ...(needsReasoning && reasoningOf(message)),
    ...(message.name !== undefined && { name: message.name }),
    ...(message.refusal !== undefined && { refusal: message.refusal }),
    ...(message.toolCallId !== undefined && { tool_call_id: message.toolCallId }),
    ...(message.toolCalls &&
      message.toolCalls.length > 0 && {
        tool_calls: message.toolCalls.map(({ id, name, arguments: text }) => ({
          id,
          type: 'function',
          function: { name, arguments: text },
          ...signatureOf(message, id),
        })),
      }),
  }))
}

/** What the model thought, as it can be read; of whom it comes makes no difference to the vendors that want it. */
function reasoningOf({ content }: Message): { reasoning_content?: string } {
  const texts = content.flatMap((part) => (part.type === 'reasoning' && part.text !== '' ? [part.text] : []))
  return texts.length === 0 ? {} : { reasoning_content: texts.join('\n\n') }
}

/** The signature of a call, which an answer of this wire bore, where Gemini reads it. */
function signatureOf({ content }: Message, id: string): { extra_content?: unknown } {
  for (const part of content) {
    const { wire, id: signed, data } = (part.type === 'reasoning' && part.opaque) || {}
    if (wire === 'chat' && signed === id && data)
      return { extra_content: { google: { thought_signature: data } } }
  }
  return {}
}

/** Tool results are text on this wire: images and files of consecutive results follow in one user message. */
function withPicturesAfter(messages: readonly Message[]): Message[] {
  let pictures: MessageContent[] = []
  return messages.flatMap((message, index) => {
    if (message.role !== 'tool') return [message]
    const texts = message.content.filter(isText)
    pictures.push(...message.content.filter((content) => !isText(content)))
    const result = texts.length === 0 && message.content.length > 0 ? [seeBelow] : texts
    const content = message.isError ? asFailure(result) : result
    const answers: Message[] = [{ ...message, content }]
    if (pictures.length > 0 && messages[index + 1]?.role !== 'tool') {
      answers.push({ role: 'user', content: pictures })
      pictures = []
    }
    return answers
  })
}

/** Stands in place of an empty tool result, which some upstreams refuse and models misread. */
const seeBelow: MessageContent = { type: 'text', text: 'The result is in the next user message.' }

/**
 * This wire has no `is_error`, so the result begins with a sentence about the failure, unless the tool's text already has one, as the
 * hosted tools' texts do. Text-only results stay one string.
 */
function asFailure(result: readonly MessageContent[]): MessageContent[] {
  const texts = result.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (/^error\b/i.test(texts[0] ?? '')) return [...result]
  if (texts.length < result.length) return [{ type: 'text', text: failed }, ...result]
  return [{ type: 'text', text: [failed, ...texts].join('\n') }]
}

const failed = 'The tool failed:'

const isText = (content: MessageContent): boolean =>
  content.type === 'text' || ('parts' in content && content.parts.every(isText))

/**
 * Plain text stays a string, which every server understands; an assistant message with only tool calls has no content. Earlier reasoning is
 * no part of it: upstreams of this wire refuse it or read it as part of the answer.
 */
function contentOf({ role, content: all, toolCalls }: Message): unknown {
  const content = all.filter(({ type }) => type !== 'reasoning')
  if (content.length === 0) return role === 'assistant' && toolCalls && toolCalls.length > 0 ? null : ''
  const texts = content.flatMap((item) => (item.type === 'text' ? [item.text] : []))
  if (texts.length === content.length && texts.length === 1) return texts[0]
  return content.flatMap(part)
}

function part(content: MessageContent): Record<string, unknown>[] {
  switch (content.type) {
    case 'text':
      return [{ type: 'text', text: content.text }]
    case 'image': {
      const detail = content.detail !== undefined && { detail: content.detail }
      return [{ type: 'image_url', image_url: { url: urlOf(content.media), ...detail } }]
    }
    case 'audio': {
      const { media } = content
      return [{ type: 'input_audio', input_audio: { data: base64(media), format: formatOf(media) } }]
    }
    case 'video':
      return [{ type: 'video_url', video_url: { url: urlOf(content.media) } }]
    case 'document':
      return documentParts(content)
    case 'reasoning':
      return []
  }
}

/** A PDF is sent as a file; text and mixed documents as their parts, under their title. */
function documentParts(document: Document): Record<string, unknown>[] {
  const heading = [document.title, document.context].filter((line) => line !== undefined).join('\n')
  const above = heading === '' ? [] : [{ type: 'text', text: heading }]
  if ('parts' in document) return [...above, ...document.parts.flatMap(part)]
  const filename = pdfName(document.title)
  return [...above, { type: 'file', file: { filename, file_data: urlOf(document.media) } }]
}

function urlOf(media: Media): string {
  return media.url ?? `data:${media.mediaType ?? 'application/octet-stream'};base64,${base64(media)}`
}

function base64({ data }: Media): string {
  return data ? Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') : ''
}

/** `audio/mpeg` is `mp3` on this wire, every other format its own subtype. */
function formatOf({ mediaType = 'audio/wav' }: Media): string {
  const subtype = mediaType.slice(mediaType.indexOf('/') + 1).replace(/^x-/, '')
  return subtype === 'mpeg' ? 'mp3' : subtype === 'wave' ? 'wav' : subtype
}
