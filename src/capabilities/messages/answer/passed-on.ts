/** The events of an upstream of this wire, passed on: id, model and charged figures are ours, everything else stays as it came. */
import type { Bill, Part } from '#engine/turn'
import {
  type Event,
  emptyMessage,
  endOf,
  type Heading,
  type Manner,
  type Stop,
  type Writer,
} from './event.ts'
import { firstUsageOf, lastUsageOf, type Raw, rawOf, usageOf } from './usage.ts'

export class PassedOnAnswer implements Writer {
  readonly #manner: Manner
  #begun = false
  #stop: Stop = { reason: 'stop' }
  /** The index of the block that was begun and not ended. */
  #open: unknown
  /** Both are sent when the answer is whole and paid: only then may it look so. */
  #delta: Raw = {}
  #last: Event = { type: 'message_stop' }

  constructor(manner: Manner) {
    this.#manner = manner
  }

  of(part: Part): Event[] {
    if (part.type === 'finish') this.#stop = part
    const event = eventOf(part)
    if (!event) return part.cut ? this.#rest(part) : []
    if (event.type === 'ping') return []
    // An upstream that forgets the beginning must not make its callers' clients fail.
    if (!this.#begun) return [this.#begin(event), ...(event.type === 'message_start' ? [] : this.of(part))]
    switch (event.type) {
      case 'message_delta':
        this.#delta = event
        return []
      case 'message_stop':
        this.#last = event
        return []
      case 'content_block_stop':
        this.#open = undefined
        return [event]
      case 'content_block_start':
        this.#open = event['index']
        return [{ ...event, content_block: mended(event['content_block']) }]
      default:
        return [event]
    }
  }

  end(bill: Bill): Event[] {
    const delta = { ...endOf(this.#stop), ...rawOf(this.#delta['delta']) }
    const last = lastUsageOf(bill, this.#delta['usage'])
    // Of an answer that was cut off at its limit.
    const stop = this.#open === undefined ? [] : [{ type: 'content_block_stop', index: this.#open }]
    return [...stop, { ...this.#delta, type: 'message_delta', delta, usage: last }, this.#last]
  }

  /** What the limit of the answer left of its last piece comes without an event of the upstream. */
  #rest(part: Part): Event[] {
    const delta = deltaOf(part)
    return delta && this.#open !== undefined
      ? [{ type: 'content_block_delta', index: this.#open, delta }]
      : []
  }

  #begin(event: Event): Event {
    this.#begun = true
    const { heading, guess } = this.#manner
    const given: Raw = event.type === 'message_start' ? event : {}
    const message = rawOf(given['message'])
    const head = heading()
    const usage = firstUsageOf(guess(), message['usage'])
    const whole = { ...emptyMessage(head, usage), ...message, ...head, usage }
    return { ...given, type: 'message_start', message: whole }
  }
}

function deltaOf(part: Part): Raw | undefined {
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

/** The event that this part was read from, where it is one of this wire. */
export const eventOf = ({ extra }: Part): Event | undefined =>
  extra?.wire === 'messages' ? (extra.event as Event | undefined) : undefined

/** A whole answer of an upstream of this wire, passed on. */
export function passedOnMessage(body: Raw, stop: Stop, heading: Heading, bill: Bill): Raw {
  const { content } = body
  return {
    ...emptyMessage(heading, {}),
    ...endOf(stop),
    ...body,
    ...heading,
    content: Array.isArray(content) ? content.map(mended) : [],
    usage: usageOf(bill, body['usage']),
  }
}

/** Some clients refuse a fetched page whose citations are null, though their vendor sends it so. */
function mended(block: unknown): unknown {
  const { type, content } = rawOf(block)
  const page = rawOf(rawOf(content)['content'])
  if (type !== 'web_fetch_tool_result' || page['citations'] !== null) return block
  return {
    ...rawOf(block),
    content: { ...rawOf(content), content: { ...page, citations: { enabled: false } } },
  }
}
