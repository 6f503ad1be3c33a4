/** The question to the text model of a call. */
import { questionTurn } from '#core/inference'
import { measure, parseDataUrl } from '#core/media'
import type { Model } from '#core/models'
import type { HostedToolEntry, Message, MessageContent, Turn } from '#core/turn'
import { decodeBase64 } from '#platform/bytes'
import type { ConversationItem, ItemContent, SessionSettings } from '../../parts.ts'

/** The most tokens of one answer; nobody listens longer. */
export const maxAnswerTokens = 1_200
/** The most bytes of earlier turns: about as many tokens as a call can pay for at every turn. */
const maxHistoryBytes = 32_768
/** The most bytes of the whole prompt, without tools. */
export const maxPromptBytes = maxHistoryBytes + 32_768
/** A token has at least two bytes by the count that holds use. */
const bytesOfToken = 2

const rules = `You are talking with somebody in a voice call. What you write is read aloud: use plain spoken sentences, short ones, without lists, headings, links, code or emoji. Answer in the language that is spoken to you. What you hear was written down by a machine and may contain its mistakes.`

export interface PromptOptions {
  items: readonly ConversationItem[]
  /** The operator's instructions, then those of the session or the response. */
  instructions: readonly string[]
  isSpoken: boolean
  tools: SessionSettings['tools']
  /** The hosted tools, under unique names. */
  hosted?: readonly HostedToolEntry[]
  /** Quotes from an agent's knowledge; they precede the caller's last words. */
  passages?: string | undefined
  toolChoice: SessionSettings['toolChoice']
  maxOutputTokens: SessionSettings['maxOutputTokens']
}

/** A streamed turn with the newest items of the conversation that have room. */
export function turnOf(options: PromptOptions, model: Model): Turn {
  const { tools, hosted = [], toolChoice, isSpoken, instructions, passages = '' } = options
  const canCall = model.features.includes('tools') && toolChoice !== 'none'
  const limit = options.maxOutputTokens === 'inf' ? maxAnswerTokens : options.maxOutputTokens
  const system = [isSpoken ? rules : '', ...instructions].filter((text) => text.trim() !== '').join('\n\n')
  const maxOutputTokens = Math.min(limit, maxAnswerTokens)
  const taken = Buffer.byteLength(system) + Buffer.byteLength(passages)
  const room = bytesOfToken * (model.contextLength - maxOutputTokens) - taken
  const kept = newest(paired(options.items), Math.min(maxHistoryBytes, room))
  const turn = questionTurn(
    {
      messages: [
        ...(system ? [{ role: 'system' as const, content: [{ type: 'text' as const, text: system }] }] : []),
        ...withPassages(messagesOf(kept, model), passages),
      ],
      tools: canCall ? [...tools] : [],
      maxOutputTokens,
    },
    model,
  )
  const uses = canCall ? hosted : []
  const offered = turn.tools.length + uses.length
  return {
    ...turn,
    ...(uses.length > 0 && { hosted: { tools: [...uses], atLimit: 'answer' as const } }),
    toolChoice: choiceOf(toolChoice, offered),
  }
}

const choiceOf = (choice: SessionSettings['toolChoice'], offered: number): Turn['toolChoice'] => {
  if (offered === 0) return { type: 'auto' }
  if (typeof choice === 'string') return { type: choice === 'required' ? 'required' : 'auto' }
  return { type: 'tool', name: choice.name }
}

function withPassages(messages: Message[], passages: string): Message[] {
  const last = messages.findLast(({ role }) => role === 'user')
  if (last && passages !== '') last.content = [{ type: 'text', text: passages }, ...last.content]
  return messages
}

/** The items without tool calls that lack their output, and outputs that lack their call: upstreams refuse both. */
function paired(items: readonly ConversationItem[]): ConversationItem[] {
  const called = new Set<string | undefined>()
  const answered = new Set(
    items.flatMap((item) => (item.type === 'function_call_output' ? (item.call_id ?? []) : [])),
  )
  return items.filter((item) => {
    if (item.type === 'function_call') {
      if (!answered.has(item.call_id!)) return false
      called.add(item.call_id)
      return true
    }
    return item.type !== 'function_call_output' || called.has(item.call_id)
  })
}

/** The newest items that have room, beginning with an item that is no tool output; the last item is always kept. */
function newest(items: readonly ConversationItem[], room: number): readonly ConversationItem[] {
  let left = room
  let from = items.length
  for (let at = items.length - 1; at >= 0; at--) {
    left -= bytesOf(items[at]!)
    if (left < 0 && from < items.length) break
    // A call and its output are kept or left out together.
    if (items[at]!.type !== 'function_call_output') from = at
  }
  while (from > 0 && items[from]?.type === 'function_call' && items[from - 1]?.type === 'function_call')
    from -= 1
  return items.slice(from)
}

const bytesOf = ({ content, arguments: called = '', output, error }: ConversationItem): number =>
  Buffer.byteLength(called) +
  Buffer.byteLength(output ?? error?.message ?? '') +
  content.reduce(
    (sum, part) => sum + (part.type === 'input_image' ? imageBytes : Buffer.byteLength(textOf(part))),
    0,
  )

/** The bytes that a picture counts for: about a thousand tokens. */
const imageBytes = 2_000

const textOf = (part: Exclude<ItemContent, { type: 'input_image' }>): string =>
  'text' in part ? part.text : (part.transcript ?? '')

function messagesOf(items: readonly ConversationItem[], model: Model): Message[] {
  const messages: Message[] = []
  for (const item of items) {
    if (item.type === 'mcp_call') messages.push(...hostedMessages(item))
    else if (item.type === 'function_call') {
      const call = { id: item.call_id!, name: item.name!, arguments: item.arguments! }
      const before = messages.at(-1)
      if (before?.role === 'assistant') before.toolCalls = [...(before.toolCalls ?? []), call]
      else messages.push({ role: 'assistant', content: [], toolCalls: [call] })
    } else if (item.type === 'function_call_output') {
      const content: MessageContent[] = [{ type: 'text', text: item.output ?? '' }]
      messages.push({ role: 'tool', toolCallId: item.call_id!, content })
    } else {
      const content = item.content.flatMap((part) => contentOf(part, model))
      if (content.length > 0) messages.push({ role: item.role ?? 'user', content })
    }
  }
  return messages
}

/** A tool call that ran on this server, and its result. */
function hostedMessages({ id, name, arguments: called, output, error }: ConversationItem): Message[] {
  const text = output ?? error?.message
  if (text === undefined) return []
  return [
    { role: 'assistant', content: [], toolCalls: [{ id, name: name!, arguments: called! }] },
    { role: 'tool', toolCallId: id, content: [{ type: 'text', text }], ...(error && { isError: true }) },
  ]
}

/** The whole text of an item. */
export const textOfItem = ({ content }: ConversationItem): string =>
  content.map((part) => (part.type === 'input_image' ? '' : textOf(part))).join('\n')

function contentOf(part: ItemContent, model: Model): MessageContent[] {
  if (part.type !== 'input_image') {
    const text = textOf(part)
    return text.trim() === '' ? [] : [{ type: 'text', text }]
  }
  const bytes = decodeBase64(parseDataUrl(part.image_url)?.base64 ?? '')
  const media = model.inputModalities.includes('image') && bytes ? measure(bytes) : undefined
  return media ? [{ type: 'image', media }] : [{ type: 'text', text: '(A picture, which you cannot see.)' }]
}
