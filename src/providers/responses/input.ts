/** Converts neutral messages to input items, for a turn that came by another wire. */

import { UpstreamError } from '#core/spec'
import type { Document, Media, Message, MessageContent } from '#core/turn'
import { CallIds, pdfName, type ReasoningMark, wellFormedArguments } from '#providers/kit'
import { callIdRule } from './history.ts'

type WireItem = Record<string, unknown>

/**
 * System messages keep their position as messages, since `instructions` holds one text at the start, and a conversation can have several,
 * also in its middle. Throws `UpstreamError` for what this wire cannot carry.
 */
export function inputItems(messages: readonly Message[], host: string, mark: ReasoningMark): WireItem[] {
  const ids = new CallIds(callIdRule)
  const items = messages.flatMap((message, index): WireItem[] => {
    const param = `messages.${index}.content`
    if (message.role === 'assistant') return assistantItems(message, param, { ids, mark })
    if (message.role === 'tool') return [toolResult(message, param, ids)]
    // Only OpenAI's own models know the role `developer`.
    const role = message.role === 'developer' && !isOpenAi(host) ? 'system' : message.role
    return [{ type: 'message', role, content: contentOf(message.content, param) }]
  })
  return isOpenAi(host) ? items : items.map(identified)
}

const isOpenAi = (host: string): boolean => /(^|\.)(openai|azure)\.com$/.test(host)

/** OpenRouter and vLLM require an id on output items of the model; OpenAI would look it up among stored items. */
function identified(item: WireItem, position: number): WireItem {
  if (item['type'] === 'function_call') return { ...item, id: `fc_${position}`, status: 'completed' }
  return item['role'] === 'assistant' ? { ...item, id: `msg_${position}`, status: 'completed' } : item
}

/** Text between two reasoning blocks is one message; the calls come last, the order in which models write them. */
function assistantItems(
  { content, refusal, toolCalls = [] }: Message,
  param: string,
  { ids, mark }: { ids: CallIds; mark: ReasoningMark },
): WireItem[] {
  const items: WireItem[] = []
  let pending: WireItem[] = []
  const close = (): void => {
    if (pending.length > 0) items.push({ type: 'message', role: 'assistant', content: pending })
    pending = []
  }
  for (const [index, part] of content.entries()) {
    if (part.type === 'text') pending.push({ type: 'output_text', text: part.text, annotations: [] })
    else if (part.type !== 'reasoning')
      throw cannotCarry(`${part.type} from the assistant`, `${param}.${index}`)
    else if (part.opaque?.wire === 'responses') {
      const own = mark.read(part.opaque.data)
      if (!own) continue
      close()
      items.push(reasoningItem(part.text, own, part.opaque.id))
    }
  }
  if (refusal !== undefined) pending.push({ type: 'refusal', refusal })
  close()
  for (const { id, name, arguments: text } of toolCalls)
    items.push({
      type: 'function_call',
      call_id: ids.callId(id),
      name,
      arguments: wellFormedArguments(text),
    })
  return items
}

const reasoningItem = (text: string, encrypted: string, id: string | undefined): WireItem => ({
  type: 'reasoning',
  ...(id !== undefined && { id }),
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  encrypted_content: encrypted,
})

/**
 * This wire has no `is_error`, so the result begins with a sentence about the failure. Text-only results are one string: older servers
 * accept no list.
 */
function toolResult({ content, toolCallId = '', isError }: Message, param: string, ids: CallIds): WireItem {
  const failed: MessageContent[] = isError ? [{ type: 'text', text: 'The tool failed:' }] : []
  const resultParts = [...failed, ...content]
  const texts = resultParts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const output = texts.length === resultParts.length ? texts.join('\n') : partsOf(resultParts, param)
  return { type: 'function_call_output', call_id: ids.resultId(toolCallId), output }
}

/** Plain text stays a string, which every server understands. */
function contentOf(content: readonly MessageContent[], param: string): unknown {
  const [first] = content
  if (!first) return ''
  return content.length === 1 && first.type === 'text' ? first.text : partsOf(content, param)
}

const partsOf = (content: readonly MessageContent[], param: string): WireItem[] =>
  content.flatMap((part, index) => partOf(part, `${param}.${index}`))

function partOf(content: MessageContent, param: string): WireItem[] {
  switch (content.type) {
    case 'text':
      return [{ type: 'input_text', text: content.text }]
    case 'image':
      return [{ type: 'input_image', image_url: urlOf(content.media), detail: content.detail ?? 'auto' }]
    case 'document':
      return documentParts(content, param)
    case 'reasoning':
      return []
    case 'audio':
    case 'video':
      throw cannotCarry(content.type, param)
  }
}

/** A PDF is sent as a file; text and mixed documents as their parts, under their title. */
function documentParts(document: Document, param: string): WireItem[] {
  const heading = [document.title, document.context].filter((line) => line !== undefined).join('\n')
  const above = heading === '' ? [] : [{ type: 'input_text', text: heading }]
  if ('parts' in document) return [...above, ...partsOf(document.parts, param)]
  const { media } = document
  if (media.url !== undefined) return [...above, { type: 'input_file', file_url: media.url }]
  const filename = pdfName(document.title)
  return [...above, { type: 'input_file', filename, file_data: urlOf(media) }]
}

function urlOf({ url, mediaType = 'application/octet-stream', data }: Media): string {
  if (url !== undefined) return url
  const bytes = data ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.alloc(0)
  return `data:${mediaType};base64,${bytes.toString('base64')}`
}

const cannotCarry = (what: string, param: string): UpstreamError =>
  new UpstreamError('invalid_request', {
    executed: false,
    param,
    detail: `the Responses API takes no ${what}`,
  })
