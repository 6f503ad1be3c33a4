/**
 * `reasoning_details`: the blocks of a model's reasoning with what only its vendor can read (signatures, encrypted reasoning), in OpenRouter's shapes.
 * A client that sends them back lets the model go on from its reasoning, which vendors require between a call of a tool and its result.
 */

import { reasons } from '#core/text'
import type { MessageContent, OpaqueContent, Wire } from '#core/turn'
import { fail } from '#platform/errors'
import { isFilled } from '#platform/json'
import type { ChatBody, ChatMessage } from './schema.ts'

export type ReasoningDetail = Record<string, unknown>
type ReasoningContent = Extract<MessageContent, { type: 'reasoning' }>

/** Whether the answer shows its reasoning: `include_reasoning` requests it, and so does a `reasoning` object that says nothing of it. */
export const showsReasoning = ({ include_reasoning: isIncluded, reasoning }: ChatBody): boolean =>
  reasoning?.exclude !== true && (isIncluded ?? reasoning != null)

const formats: Partial<Record<Wire, string>> = {
  messages: 'anthropic-claude-v1',
  responses: 'openai-responses-v1',
}

/** The details of an answer, block by block, in pieces as a stream sends them; a block lasts until `end`. */
export class ReasoningBlocks {
  #index = 0
  #isOpen = false

  text(text: string): ReasoningDetail {
    this.#isOpen = true
    return { type: 'reasoning.text', text, index: this.#index }
  }

  /** What only the vendor reads of the block; undefined where there is none. An answer of a chat vendor brings its own details. */
  end(opaque: OpaqueContent | undefined): ReasoningDetail | undefined {
    const index = this.#index
    const format = opaque && formats[opaque.wire]
    if (this.#isOpen || format !== undefined) this.#index += 1
    this.#isOpen = false
    if (!opaque || format === undefined) return undefined
    const { data, signature, id } = opaque
    return data === undefined
      ? { type: 'reasoning.text', text: '', signature, format, index }
      : { type: 'reasoning.encrypted', data, ...(id !== undefined && { id }), format, index }
  }
}

/** Adds a piece to the details of a whole answer, in which each text of a block is one. */
export function addPiece(whole: ReasoningDetail[], piece: ReasoningDetail): void {
  const last = whole.at(-1)
  const name = textNames.get(piece['type'])
  if (!last || name === undefined || !isContinued(last, piece, name)) {
    whole.push({ ...piece })
    return
  }
  // A request of 4 MB has a hundred thousand pieces, so that none may cost an object.
  for (const field in piece) {
    if (field === name) last[name] = `${last[name] ?? ''}${piece[name] ?? ''}`
    else last[field] = piece[field]
  }
}

/** The member in which a detail that comes in pieces has its text. */
const textNames: ReadonlyMap<unknown, string> = new Map([
  ['reasoning.text', 'text'],
  ['reasoning.summary', 'summary'],
])

/** Whether the piece goes on with the text of the last detail. A signature ends a block; some gateways give the next one the same index. */
function isContinued(last: ReasoningDetail, piece: ReasoningDetail, name: string): boolean {
  const { type, index, format, signature } = last
  return (
    type === piece['type'] &&
    typeof index === 'number' &&
    index === piece['index'] &&
    (format == null || piece['format'] == null || format === piece['format']) &&
    !isFilled(signature) &&
    isTextOrNone(last[name]) &&
    isTextOrNone(piece[name])
  )
}

const isTextOrNone = (value: unknown): boolean => value == null || typeof value === 'string'

/** The most details of a message (contract section 4). */
const maxDetails = 100

/**
 * The messages with reasoning in whole details where a client sends back the pieces of a stream as they came: as many as the answer had tokens. Refuses
 * more than 100 details of one message.
 */
export const withWholeDetails = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map((message, index) => {
    const { reasoning_details: sent } = message
    if (!sent) return message
    const whole: ReasoningDetail[] = []
    for (const detail of sent) {
      addPiece(whole, detail)
      if (whole.length > maxDetails)
        fail(
          'INVALID_REQUEST',
          { why: reasons.tooManyDetails(maxDetails) },
          { param: `messages.${index}.reasoning_details` },
        )
    }
    return whole.length === sent.length ? message : { ...message, reasoning_details: whole }
  })

/**
 * The reasoning of an earlier assistant message, in its blocks. Details may come as whole blocks, or in the pieces of a stream; without any, the plain
 * text has no block.
 */
export function reasoningOf(message: ChatMessage): ReasoningContent[] {
  const plain = message.reasoning ?? message.reasoning_content
  const blocks = message.role === 'assistant' ? blocksOf(message.reasoning_details ?? []) : []
  if (blocks.length > 0) return blocks.map(({ index: _, ...content }) => content)
  return plain ? [{ type: 'reasoning', text: plain }] : []
}

/** Bytes of reasoning that an upstream of this wire gets, beyond those that are counted with the reasoning of the turn. */
export function extraReasoningBytes(message: ChatMessage): number {
  const { reasoning, reasoning_content: content, reasoning_details: details } = message
  const sent = sizeOf(reasoning) + sizeOf(content) + (details ? sizeOf(JSON.stringify(details)) : 0)
  const counted = reasoningOf(message).map(
    ({ text, opaque }) => sizeOf(text) + sizeOf(opaque?.signature) + sizeOf(opaque?.data),
  )
  return Math.max(0, sent - counted.reduce((sum, bytes) => sum + bytes, 0))
}

type ReasoningBlock = ReasoningContent & { index: unknown }

function blocksOf(details: readonly ReasoningDetail[]): ReasoningBlock[] {
  const blocks: ReasoningBlock[] = []
  for (const detail of details) {
    const text = textOf(detail)
    const opaque = opaqueOf(detail)
    if (text === '' && !opaque) continue
    const { index } = detail
    const last = blocks.at(-1)
    // On Messages an encrypted block has no text; on Responses it has the text before it.
    const isWhole = opaque?.wire === 'messages' && opaque.data !== undefined
    if (last && !last.opaque && typeof index === 'number' && last.index === index && !isWhole) {
      last.text += text
      if (opaque) last.opaque = opaque
    } else blocks.push({ type: 'reasoning', text, index, ...(opaque && { opaque }) })
  }
  return blocks
}

function textOf({ type, text, summary }: ReasoningDetail): string {
  const readable = type === 'reasoning.text' ? text : type === 'reasoning.summary' ? summary : undefined
  return typeof readable === 'string' ? readable : ''
}

/**
 * What the vendor of a wire made. Other formats are those of vendors with keys of their own, xAI and Azure on Responses among them. Without a format an
 * encrypted detail may be anybody's; a signature is Claude's, since for long no other vendor of OpenRouter signed a text.
 */
function opaqueOf({ type, data, signature, id, format }: ReasoningDetail): OpaqueContent | undefined {
  const wire = wireOf(format)
  if (wire === undefined) return undefined
  if (type === 'reasoning.encrypted')
    return format != null && isFilled(data) ? { wire, data, ...(isFilled(id) && { id }) } : undefined
  return type === 'reasoning.text' && wire === 'messages' && isFilled(signature)
    ? { wire, signature }
    : undefined
}

function wireOf(format: unknown): Wire | undefined {
  if (format == null) return 'messages'
  if (typeof format !== 'string') return undefined
  if (format.startsWith('anthropic-')) return 'messages'
  return format === formats.responses ? 'responses' : undefined
}

const sizeOf = (text: string | null | undefined): number => (text == null ? 0 : Buffer.byteLength(text))
