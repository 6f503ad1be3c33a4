/** One item of an upstream of this wire, as far as its events were sent to the caller. */
import { exactText } from '#platform/json'
import { type ItemStatus, type ResponseJson, recordsIn } from './item.ts'
import { isPartKind, type PartKind, partOf, partsIn, partWords, SentPart } from './part-events.ts'

export const addedType = 'response.output_item.added'
export const doneType = 'response.output_item.done'
export const argumentsDelta = 'response.function_call_arguments.delta'
export const argumentsDone = 'response.function_call_arguments.done'

export interface SentItemOptions {
  type: string
  /** The place and the id that the caller sees. */
  place: number
  id: string
  isUpstreams: boolean
  /** The event that named the item first. */
  event: ResponseJson
}

export class SentItem {
  readonly type: string
  readonly place: number
  readonly id: string
  /** The upstream has opened it, and so is trusted to end what it has begun. */
  readonly isUpstreams: boolean
  readonly #upstreamIndex: unknown
  readonly #upstreamId: unknown
  /** The item as it was opened; undefined for a call whose name is not known yet, of which nothing was sent. */
  opened: ResponseJson | undefined
  isDone = false
  /** The complete item. */
  full: ResponseJson | undefined
  readonly parts: SentPart[] = []
  arguments = ''
  areArgumentsEnded = false

  constructor({ type, place, id, isUpstreams, event }: SentItemOptions) {
    this.type = type
    this.place = place
    this.id = id
    this.isUpstreams = isUpstreams
    this.#upstreamIndex = event['output_index']
    this.#upstreamId = idIn(event)
  }

  /** Indexes are more stable than ids, which some servers change from event to event. */
  isMeantBy(event: ResponseJson): boolean {
    const { output_index: index } = event
    if (typeof index === 'number' && this.#upstreamIndex !== undefined) return this.#upstreamIndex === index
    const id = idIn(event)
    return id === undefined || this.#upstreamId === undefined || this.hasId(id)
  }

  hasId(id: unknown): boolean {
    return id !== undefined && (this.id === id || this.#upstreamId === id)
  }

  part(kind: PartKind, index: number): SentPart | undefined {
    return this.parts.find((part) => part.kind === kind && part.index === index)
  }

  addPart(kind: PartKind, index: number): SentPart {
    const part = new SentPart(kind, index)
    this.parts.push(part)
    return part
  }

  /** An event about a part of this item; the same object where it says so already. */
  placed(event: ResponseJson): ResponseJson {
    return event['item_id'] === this.id && event['output_index'] === this.place
      ? event
      : { ...event, item_id: this.id, output_index: this.place }
  }

  /** The event that opens the item, which will be complete as this one. */
  open(full: ResponseJson): ResponseJson {
    this.opened = full
    return { type: addedType, output_index: this.place, item: emptied(full) }
  }

  /** The events that send what is missing of the complete item; `ends`: also the ends of what was begun. */
  rest(full: ResponseJson, ends: boolean): ResponseJson[] {
    const parts = partsIn(full).flatMap(({ kind, index, part }) => {
      const known = this.part(kind, index)
      return known ? known.rest(part, ends) : this.addPart(kind, index).whole(part)
    })
    return [...parts, ...this.#more(full, ends)].map((event) => this.placed(event))
  }

  #more(full: ResponseJson, ends: boolean): ResponseJson[] {
    if (this.type === 'function_call') return this.#restOfArguments(full, ends)
    if (this.type !== 'web_search_call' || this.isUpstreams || !ends) return []
    const steps = full['status'] === 'completed' ? [...searchSteps, 'completed'] : searchSteps
    return steps.map((step) => ({ type: `response.web_search_call.${step}` }))
  }

  #restOfArguments({ name, arguments: text }: ResponseJson, ends: boolean): ResponseJson[] {
    const full = this.#argumentsOf(text)
    const isUnsent = this.arguments === '' && !this.areArgumentsEnded
    const rest = full.startsWith(this.arguments) ? full.slice(this.arguments.length) : ''
    return [
      ...(rest === '' ? [] : [{ type: argumentsDelta, delta: rest }]),
      ...((ends && !this.areArgumentsEnded) || isUnsent
        ? [{ type: argumentsDone, name, arguments: full }]
        : []),
    ]
  }

  /** The item of which the upstream sent no end, as far as it was received. */
  get received(): ResponseJson {
    if (this.type === 'function_call') return { ...this.opened, arguments: this.arguments }
    const of = (list: 'content' | 'summary') =>
      this.parts
        .filter(({ kind }) => partWords[kind].list === list)
        .sort((a, b) => a.index - b.index)
        .map(({ kind, text }) => partOf(kind, text))
    const content = of('content')
    const hasContent = this.type === 'message' || content.length > 0
    return {
      ...this.opened,
      ...(hasContent && { content }),
      ...(this.type === 'reasoning' && { summary: of('summary') }),
    }
  }

  /** The item as the upstream ends it; the same object where it keeps to the wire. */
  ended(item: ResponseJson): ResponseJson {
    const text = this.type === 'function_call' ? this.#argumentsOf(item['arguments']) : item['arguments']
    const isWhole = item['id'] === this.id && item['arguments'] === text
    return isWhole ? item : { ...item, id: this.id, ...(text !== undefined && { arguments: text }) }
  }

  /** A complete item with the fields that clients require. */
  completed(item: ResponseJson, status: ItemStatus): ResponseJson {
    const ended = { status: item['status'] === 'incomplete' ? 'incomplete' : status }
    switch (this.type) {
      case 'message':
        return { ...item, ...ended, id: this.id, role: 'assistant', content: filledParts(item['content']) }
      case 'reasoning':
        return { ...item, id: this.id, summary: recordsIn(item['summary']) }
      case 'function_call': {
        const { call_id: own, arguments: text } = item
        const call_id = typeof own === 'string' && own !== '' ? own : this.id
        return { ...item, ...ended, id: this.id, call_id, arguments: this.#argumentsOf(text) }
      }
      case 'web_search_call':
        return { status, ...item, id: this.id }
      default:
        return { ...item, id: this.id }
    }
  }

  #argumentsOf(text: unknown): string {
    if (text === undefined || text === null || text === '') return this.arguments
    return typeof text === 'object' ? exactText(text) : String(text)
  }
}

const searchSteps = ['in_progress', 'searching']

const idIn = ({ item_id, item }: ResponseJson): unknown =>
  item_id ?? (item as ResponseJson | undefined | null)?.['id']

const filledParts = (content: unknown): ResponseJson[] =>
  recordsIn(content).map((part) => {
    const { type: kind } = part
    return isPartKind(kind) ? { ...partOf(kind, ''), ...part } : part
  })

/** The item as it is when it is opened. */
function emptied(item: ResponseJson): ResponseJson {
  switch (item['type']) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'reasoning': {
      const { content: _content, ...rest } = item
      return { ...rest, summary: [] }
    }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' }
    case 'web_search_call':
      return { ...item, status: 'in_progress' }
    default:
      return item
  }
}
