/** Items of an input → neutral messages, in their order. */

import type { Model } from '#core/models'
import {
  fileModality,
  imageMedia,
  inlineFile,
  linkMedia,
  requireModality,
  reasons as shared,
  unseal,
} from '#core/text'
import type { Message, MessageContent, Modality, OpaqueContent } from '#core/turn'
import { fail } from '#platform/errors'
import type {
  ContentPart,
  FunctionCall,
  FunctionCallOutput,
  InputItem,
  MessageItem,
  ReasoningItem,
} from './item-schema.ts'
import { reasons } from './phrases.ts'
import type { Toolbox } from './tools.ts'

/** Items of tools that a service ran; their findings are in the message after them. */
const serviceItems = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'mcp_list_tools',
  'mcp_call',
])
/** Items that only this wire can carry. Other unknown items are refused: they could bring tools or settings that no hold covers. */
const ownWire = new Set([
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'compaction',
])

export class Conversation {
  readonly messages: Message[] = []
  /** The first item that no other wire can carry. */
  sourceWireOnly: { param: string; what: string } | undefined
  /** Bytes that are sent to an upstream of this wire and are in no neutral field. */
  passthroughBytes = 0
  readonly #model: Model
  readonly #tools: Toolbox

  constructor(model: Model, tools: Toolbox) {
    this.#model = model
    this.#tools = tools
  }

  add(item: InputItem, param: string): void {
    switch (item.type) {
      case undefined:
      case 'message':
        this.#addMessage(item as MessageItem, param)
        break
      case 'function_call':
        this.#addCall(item as FunctionCall & InputItem)
        break
      case 'function_call_output':
        this.#addOutput(item as FunctionCallOutput & InputItem, param)
        break
      case 'reasoning':
        this.#addReasoning(item as ReasoningItem & InputItem)
        break
      case 'item_reference':
        fail('INVALID_REQUEST', { why: reasons.keepsNothing('item_reference') }, { param: `${param}.type` })
        break
      default:
        this.#addForeign(item, item.type, param)
    }
  }

  #addMessage(item: MessageItem, param: string): void {
    this.#unread(item, ['type', 'role', 'content', 'id', 'status'])
    const content = this.#contents(item, item.role, param)
    const refusal = refusalOf(item.content)
    const refused = refusal === undefined ? {} : { refusal }
    const open = item.role === 'assistant' ? this.#openAssistant() : undefined
    if (open) {
      open.content.push(...content)
      Object.assign(open, refused)
    } else this.messages.push({ role: item.role, content, ...refused })
  }

  #addCall(item: FunctionCall & InputItem): void {
    this.#unread(item, ['type', 'call_id', 'name', 'arguments', 'id', 'status'])
    const call = {
      id: item.call_id,
      name: this.#tools.modelName(item.name, item.namespace),
      arguments: item.arguments,
    }
    const last = this.messages.at(-1)
    // A call belongs to the text and reasoning before it, and to the calls beside it.
    if (last?.role === 'assistant') last.toolCalls = [...(last.toolCalls ?? []), call]
    else this.messages.push({ role: 'assistant', content: [], toolCalls: [call] })
  }

  #addOutput(item: FunctionCallOutput & InputItem, param: string): void {
    this.#unread(item, ['type', 'call_id', 'output', 'id', 'status'])
    const content = this.#contents({ content: item.output }, 'tool', param, 'output')
    this.messages.push({ role: 'tool', content, toolCallId: item.call_id })
  }

  #addReasoning(item: ReasoningItem & InputItem): void {
    const summed = (item.summary?.length ?? 0) > 0
    const parts = (summed ? item.summary : item.content) ?? []
    this.#unread(item, [
      'type',
      'id',
      'summary',
      'encrypted_content',
      'status',
      ...(summed ? [] : ['content']),
    ])
    const shown = parts.map(({ text }) => text).join('\n\n')
    const sealed = opaqueOf(item)
    const text = sealed?.text ?? shown
    if (text === '' && !sealed) return
    const content: MessageContent = { type: 'reasoning', text, ...(sealed && { opaque: sealed.opaque }) }
    const open = this.#openAssistant()
    if (open) open.content.push(content)
    else this.messages.push({ role: 'assistant', content: [content] })
  }

  #addForeign(item: InputItem, type: string, param: string): void {
    const text = JSON.stringify(item)
    const isKnown = serviceItems.has(type) || ownWire.has(type)
    // Pictures and files inside the item would be sent without being measured.
    if (!isKnown || /"(image_url|file_(url|id|data))":/.test(text))
      fail('FEATURE_NOT_SUPPORTED', { model: this.#model.id, feature: type }, { param: `${param}.type` })
    this.passthroughBytes += Buffer.byteLength(text)
    if (!serviceItems.has(type)) this.sourceWireOnly ??= { param, what: type }
  }

  /** The assistant message that is still being built: it has only reasoning so far, or calls that wait for their outputs. */
  #openAssistant(): Message | undefined {
    const last = this.messages.at(-1)
    if (last?.role !== 'assistant') return undefined
    const onlyThought = last.content.every(({ type }) => type === 'reasoning') && last.refusal === undefined
    return last.toolCalls || onlyThought ? last : undefined
  }

  #contents(
    { content }: Pick<MessageItem, 'content'>,
    role: Message['role'],
    param: string,
    field = 'content',
  ): MessageContent[] {
    if (typeof content === 'string') return [{ type: 'text', text: content }]
    return content.flatMap((part, index) => this.#content(part, role, `${param}.${field}.${index}`))
  }

  #content(part: ContentPart, role: Message['role'], param: string): MessageContent[] {
    this.#unread(part, [
      'type',
      'text',
      'refusal',
      'image_url',
      'detail',
      'file_data',
      'file_url',
      'filename',
    ])
    switch (part.type) {
      case 'refusal':
        return []
      case 'input_image': {
        this.#require('image', role, param)
        if (part.image_url == null || isElsewhere(part, ['file_id', 'file_url']))
          return nothingInside(param, 'image_url')
        const media = imageMedia(part.image_url, `${param}.image_url`, 'inline')
        return [{ type: 'image', media, ...(part.detail != null && { detail: part.detail }) }]
      }
      case 'input_file': {
        this.#require(fileModality(part.file_data), role, param)
        return [this.#file(part, param)]
      }
      default:
        return [{ type: 'text', text: part.text }]
    }
  }

  /** A file that is inline or behind a link, but not both: it could not be known here which of them the upstream would choose. */
  #file(part: Extract<ContentPart, { type: 'input_file' }>, param: string): MessageContent {
    const { file_data: data, file_url: url } = part
    const title = part.filename ?? undefined
    if (isElsewhere(part, ['file_id']) || (data != null && url != null))
      return nothingInside(param, 'file_data')
    if (data != null) return inlineFile(data, title, `${param}.file_data`)
    if (url == null) return nothingInside(param, 'file_data')
    const media = linkMedia(url, `${param}.file_url`)
    return { type: 'document', citations: false, media, ...(title !== undefined && { title }) }
  }

  #require(modality: Modality, role: Message['role'], param: string): void {
    const what = modality === 'text' ? 'file' : modality
    if (role !== 'user' && role !== 'tool')
      fail('INVALID_REQUEST', { why: shared.onlyUsersCarry(param, what, role) }, { param })
    requireModality(this.#model, modality, param)
  }

  #unread(fields: object, read: readonly string[]): void {
    for (const [name, value] of Object.entries(fields))
      if (!read.includes(name)) this.passthroughBytes += size(value)
  }
}

/** The encrypted reasoning of an item: this wire's own, or that of another one. */
function opaqueOf({ encrypted_content: data, id }: ReasoningItem): ReturnType<typeof unseal> {
  if (data == null) return undefined
  const own: OpaqueContent = { wire: 'responses', data, ...(id != null && { id }) }
  return unseal(data) ?? { opaque: own }
}

/** Whether a part refers to a file elsewhere. It is refused: an upstream of this wire would open the file by itself, unchecked. */
const isElsewhere = (part: object, fields: readonly string[]): boolean =>
  fields.some((field) => (part as Record<string, unknown>)[field] != null)

function nothingInside(param: string, field: string): never {
  return fail('INVALID_MEDIA', { why: reasons.nothingInside(param, field) }, { param: `${param}.${field}` })
}

function refusalOf(content: MessageItem['content']): string | undefined {
  if (typeof content === 'string') return undefined
  const refusals = content.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []))
  return refusals.length === 0 ? undefined : refusals.join('')
}

const size = (value: unknown): number =>
  value === undefined || value === null ? 0 : Buffer.byteLength(JSON.stringify(value))
