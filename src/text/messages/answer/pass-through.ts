/** Passes the events of an upstream of this wire through: id, model and usage are replaced, everything else is unchanged. */
import type { AnswerPart, Bill } from '#core/turn'

import { objectInText, objectOf } from '#platform/json'

import {
  emptyMessage,
  endOf,
  type MessageEvent,
  type MessageHeading,
  type MessageOptions,
  type MessageWriter,
  type StopDetails,
} from './event.ts'
import { ObjectText } from './object-text.ts'
import { firstUsageOf, lastUsageOf, type MessageJson, rawOf, usageOf } from './usage.ts'

export class PassThroughAnswer implements MessageWriter {
  readonly #options: MessageOptions
  #begun = false
  #stop: StopDetails = { reason: 'stop' }
  /** The index of the open block. */
  #open: unknown
  /** The input of the call whose block is open. */
  #input: ObjectText | undefined
  /** The last two events. They mean success, so they are sent only when the answer is complete and paid. */
  #delta: MessageJson = {}
  #last: MessageEvent = { type: 'message_stop' }

  constructor(options: MessageOptions) {
    this.#options = options
  }

  of(part: AnswerPart): MessageEvent[] {
    if (part.type === 'finish') this.#stop = part
    const event = eventOf(part)
    if (!event) return part.cut ? this.#rest(part) : []
    if (event.type === 'ping') return []
    // If an upstream sends no `message_start`, one is added, since clients fail without it.
    if (!this.#begun) return [this.#begin(event), ...(event.type === 'message_start' ? [] : this.of(part))]
    switch (event.type) {
      case 'message_delta':
        this.#delta = event
        return []
      case 'message_stop':
        this.#last = event
        return []
      case 'content_block_delta':
        return this.#deltaOf(event)
      case 'content_block_stop':
        return [...this.#endBlock(), event]
      case 'content_block_start':
        this.#open = event['index']
        this.#input = this.#inputOf(rawOf(event['content_block']))
        return [{ ...event, content_block: repairBlock(event['content_block']) }]
      default:
        return [event]
    }
  }

  end(bill: Bill): MessageEvent[] {
    const delta = { ...endOf(this.#stop), ...upstreamEnd(rawOf(this.#delta['delta']), this.#stop) }
    const last = lastUsageOf(bill, this.#delta['usage'])
    // A block is still open if the answer was cut off at its limit.
    const index = this.#open
    const stop = index === undefined ? [] : [...this.#endBlock(), { type: 'content_block_stop', index }]
    return [...stop, { ...this.#delta, type: 'message_delta', delta, usage: last }, this.#last]
  }

  get unsentArgumentBytes(): number {
    return this.#input?.bytes ?? 0
  }

  /** The input of a call is passed on as it comes while it begins as an object, and else held until its block ends. */
  #deltaOf(event: MessageEvent): MessageEvent[] {
    const { type, partial_json: piece } = rawOf(event['delta'])
    if (!this.#input || type !== 'input_json_delta' || typeof piece !== 'string') return [event]
    this.#input.add(piece)
    const text = this.#input.take()
    if (text === piece) return [event]
    return text === '' ? [] : [{ ...event, delta: { type, partial_json: text } }]
  }

  #endBlock(): MessageEvent[] {
    const index = this.#open
    const text = this.#input?.end() ?? ''
    this.#open = undefined
    this.#input = undefined
    const delta = { type: 'input_json_delta', partial_json: text }
    return text === '' ? [] : [{ type: 'content_block_delta', index, delta }]
  }

  #inputOf({ type }: MessageJson): ObjectText | undefined {
    return type === 'tool_use' ? new ObjectText(this.#options) : undefined
  }

  /** The event of the last part of an answer that was cut off at its limit: that part was shortened and has no upstream event. */
  #rest(part: AnswerPart): MessageEvent[] {
    const delta = deltaOf(part)
    return delta && this.#open !== undefined
      ? this.#deltaOf({ type: 'content_block_delta', index: this.#open, delta })
      : []
  }

  #begin(event: MessageEvent): MessageEvent {
    this.#begun = true
    const { heading, usageSoFar } = this.#options
    const given: MessageJson = event.type === 'message_start' ? event : {}
    const message = rawOf(given['message'])
    const head = heading()
    const usage = firstUsageOf(usageSoFar(), message['usage'])
    const complete = { ...emptyMessage(head, usage), ...message, ...head, usage }
    return { ...given, type: 'message_start', message: complete }
  }
}

function deltaOf(part: AnswerPart): MessageJson | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text_delta', text: part.text }
    case 'reasoning':
      return { type: 'thinking_delta', thinking: part.text }
    case 'tool-arguments':
      return { type: 'input_json_delta', partial_json: part.delta }
    default:
      return undefined
  }
}

/** The upstream's event from which this part was read, or undefined if the upstream speaks another wire. */
export const eventOf = ({ extra }: AnswerPart): MessageEvent | undefined =>
  extra?.wire === 'messages' ? (extra.event as MessageEvent | undefined) : undefined

/** How the upstream ended the message. `tool_use` without a call is an ordinary end: clients would wait for the call. */
const upstreamEnd = (fields: MessageJson, { reason }: StopDetails): MessageJson =>
  fields['stop_reason'] === 'tool_use' && reason === 'stop' ? { ...fields, stop_reason: 'end_turn' } : fields

/** Passes a JSON answer of an upstream of this wire through. */
export function passThroughMessage(
  body: MessageJson,
  stop: StopDetails,
  heading: MessageHeading,
  bill: Bill,
): MessageJson {
  const { content } = body
  return {
    ...emptyMessage(heading, {}),
    ...endOf(stop),
    ...upstreamEnd(body, stop),
    ...heading,
    content: Array.isArray(content) ? content.map(repairBlock) : [],
    usage: usageOf(bill, body['usage']),
  }
}

/**
 * Replaces `citations: null` in a fetched page, which some clients refuse although their vendor sends it, and the input of a call that is no object,
 * which no upstream of this wire takes back.
 */
function repairBlock(block: unknown): unknown {
  const { type, content, input } = rawOf(block)
  if (type === 'tool_use' && objectOf(input) !== input) return { ...rawOf(block), input: inputObject(input) }
  const page = rawOf(rawOf(content)['content'])
  if (type !== 'web_fetch_tool_result' || page['citations'] !== null) return block
  return {
    ...rawOf(block),
    content: { ...rawOf(content), content: { ...page, citations: { enabled: false } } },
  }
}

const inputObject = (input: unknown): MessageJson =>
  typeof input === 'string' ? objectInText(input) : objectOf(input)
