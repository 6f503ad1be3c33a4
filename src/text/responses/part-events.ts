/** The events that write the parts of an item: a part is added, grows, is complete and ends. */
import { type ResponseJson, recordsIn } from './item.ts'

export type PartKind = 'output_text' | 'refusal' | 'summary_text' | 'reasoning_text'
/** `annotation`: an event about a part that says nothing of its text. */
export type PartStep = 'added' | 'delta' | 'text' | 'ended' | 'annotation'

interface PartWords {
  /** The type of the item that holds such parts, and the field of the item. */
  item: 'message' | 'reasoning'
  list: 'content' | 'summary'
  /** The field of events that counts the parts, and the field of a part that holds its text. */
  index: 'content_index' | 'summary_index'
  text: 'text' | 'refusal'
  events: Record<Exclude<PartStep, 'annotation'>, string>
  /** Fields of a part, and of the events that add to it, beside the text. */
  partFields: ResponseJson
  eventFields: ResponseJson
}

const ofContent = { list: 'content', index: 'content_index', partFields: {}, eventFields: {} } as const
const contentEvents = { added: 'response.content_part.added', ended: 'response.content_part.done' }

export const partWords: Record<PartKind, PartWords> = {
  output_text: {
    ...ofContent,
    item: 'message',
    text: 'text',
    events: { ...contentEvents, delta: 'response.output_text.delta', text: 'response.output_text.done' },
    partFields: { annotations: [], logprobs: [] },
    eventFields: { logprobs: [] },
  },
  refusal: {
    ...ofContent,
    item: 'message',
    text: 'refusal',
    events: { ...contentEvents, delta: 'response.refusal.delta', text: 'response.refusal.done' },
  },
  summary_text: {
    ...ofContent,
    item: 'reasoning',
    list: 'summary',
    index: 'summary_index',
    text: 'text',
    events: {
      added: 'response.reasoning_summary_part.added',
      delta: 'response.reasoning_summary_text.delta',
      text: 'response.reasoning_summary_text.done',
      ended: 'response.reasoning_summary_part.done',
    },
  },
  reasoning_text: {
    ...ofContent,
    item: 'reasoning',
    text: 'text',
    events: {
      ...contentEvents,
      delta: 'response.reasoning_text.delta',
      text: 'response.reasoning_text.done',
    },
  },
}

const kinds = Object.keys(partWords) as PartKind[]
export const isPartKind = (type: unknown): type is PartKind => kinds.some((kind) => kind === type)

const steps = new Map<string, { kind: PartKind; step: PartStep }>([
  ...kinds.flatMap((kind) =>
    (['delta', 'text'] as const).map((step) => [partWords[kind].events[step], { kind, step }] as const),
  ),
  ['response.reasoning_summary_part.added', { kind: 'summary_text', step: 'added' }],
  ['response.reasoning_summary_part.done', { kind: 'summary_text', step: 'ended' }],
  ['response.output_text.annotation.added', { kind: 'output_text', step: 'annotation' }],
])

/** What an event does to a part; undefined for an event about something else. */
export function stepOf({ type, part }: ResponseJson): { kind: PartKind; step: PartStep } | undefined {
  const { added, ended } = contentEvents
  if (type !== added && type !== ended) return steps.get(String(type))
  const kind = (part as ResponseJson | undefined)?.['type']
  return isPartKind(kind) ? { kind, step: type === added ? 'added' : 'ended' } : undefined
}

export const partOf = (kind: PartKind, text: string): ResponseJson => ({
  type: kind,
  [partWords[kind].text]: text,
  ...partWords[kind].partFields,
})

/** One part of an item, as far as it was sent. */
export class SentPart {
  readonly kind: PartKind
  readonly index: number
  text = ''
  isTextEnded = false
  isEnded = false

  constructor(kind: PartKind, index: number) {
    this.kind = kind
    this.index = index
  }

  /** The event of a step, without its item. `fields` are those of the step. */
  event(step: Exclude<PartStep, 'annotation'>, fields: ResponseJson): ResponseJson {
    const { events, index, eventFields } = partWords[this.kind]
    const more = step === 'delta' || step === 'text' ? eventFields : {}
    return { type: events[step], [index]: this.index, ...fields, ...more }
  }

  get opening(): ResponseJson {
    return this.event('added', { part: partOf(this.kind, '') })
  }

  /** The events that send a part of which nothing was sent. */
  whole(part: ResponseJson): ResponseJson[] {
    return [this.opening, ...this.rest(part, true)]
  }

  /** The events that send the rest of the part, whose complete form this is; `ends`: also those that end it. */
  rest(part: ResponseJson, ends: boolean): ResponseJson[] {
    const { text: field } = partWords[this.kind]
    const full = String(part[field] ?? '')
    // Text that was sent cannot be withdrawn.
    const rest = full.startsWith(this.text) ? full.slice(this.text.length) : ''
    return [
      ...(rest === '' ? [] : [this.event('delta', { delta: rest })]),
      ...(ends && !this.isTextEnded ? [this.event('text', { [field]: full })] : []),
      ...(ends && !this.isEnded ? [this.event('ended', { part })] : []),
    ]
  }
}

/** The parts of a complete item, with their kinds and places. */
export const partsIn = (item: ResponseJson): { kind: PartKind; index: number; part: ResponseJson }[] =>
  (['summary', 'content'] as const).flatMap((list) =>
    recordsIn(item[list]).flatMap((part, index) => {
      const { type: kind } = part
      const fits = isPartKind(kind) && partWords[kind].item === item['type'] && partWords[kind].list === list
      return fits ? [{ kind, index, part }] : []
    }),
  )
