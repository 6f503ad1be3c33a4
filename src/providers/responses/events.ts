import { UpstreamError } from '#core/spec'
import type { AnswerPart, FinishReason } from '#core/turn'
import { exactly } from '#platform/json'
import { type AnswerReader, type EventProgress, isRecord, type ReasoningMark } from '#providers/kit'
import { faultOf, faultOfStatus } from './fault.ts'
import { type ResponsesJson, recordsOf, type TextKind } from './items.ts'
import { markedEvent, markedResponse } from './marks.ts'
import { OutputItems } from './output.ts'
import { StopSequenceFilter } from './stop.ts'
import { readUsage, searchesIn } from './usage.ts'

export interface ReaderOptions {
  /** Secrets of the upstream, masked in every error. */
  secrets: readonly string[]
  /** The caller uses this wire too: every event is attached to its parts. */
  sameWire: boolean
  /** Stop sequences that are applied on this side. */
  stop: readonly string[]
  mark: ReasoningMark
}

/** The target of a delta event, and the field of its `.done` event that has the complete text. */
const deltaEvents = new Map<string, { kind: TextKind; place: string }>([
  ['response.output_text.delta', { kind: 'text', place: 'content_index' }],
  ['response.refusal.delta', { kind: 'refusal', place: 'content_index' }],
  ['response.reasoning_summary_text.delta', { kind: 'thought', place: 'summary_index' }],
  ['response.reasoning_text.delta', { kind: 'thought', place: 'content_index' }],
  ['response.reasoning.delta', { kind: 'thought', place: 'content_index' }],
])
const doneEvents = new Map(
  [...deltaEvents].map(([name, delta]) => [
    name.replace(/delta$/, 'done'),
    { ...delta, field: delta.kind === 'refusal' ? 'refusal' : 'text' },
  ]),
)
const terminalEvents: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'response.done',
])
/** An upstream that sends only these events counts as idle. */
const openingEvents: ReadonlySet<string> = new Set([
  'response.created',
  'response.in_progress',
  'response.queued',
])
/** OpenAI's sign of life while its model reasons without output; it is not forwarded, since clients do not know it. */
const heartbeat = 'keepalive'

/** Reads the events of one answer, or the one object of an answer that is not streamed, into neutral parts. */
export class EventReader implements AnswerReader {
  finished = false
  closed = false
  readonly #options: ReaderOptions
  readonly #cut: StopSequenceFilter | undefined
  readonly #output = new OutputItems()
  #started = false
  #usage: (AnswerPart & { type: 'usage' }) | undefined

  constructor(options: ReaderOptions) {
    this.#options = options
    if (options.stop.length > 0) this.#cut = new StopSequenceFilter(options.stop)
  }

  /** True if this side ended the answer (a stop sequence) while the upstream is still writing. */
  get endedEarly(): boolean {
    return this.#cut?.found !== undefined
  }

  /** Adds the parts of one event. Throws `UpstreamError` for a failure that it reports. */
  read(received: ResponsesJson, name: string, parts: AnswerPart[], text: string): EventProgress {
    const type = typeof received['type'] === 'string' ? received['type'] : name
    if (type === heartbeat) return 'life'
    const event = markedEvent(received, this.#options.mark)
    if (type === 'error' || name === 'error' || (event['error'] !== undefined && event['error'] !== null)) {
      this.#fail(faultOf(isRecord(event['error']) ? event['error'] : event, this.#options.secrets))
      return 'nothing'
    }
    const first = parts.length
    if (!this.#started) parts.push(this.#start(isRecord(event['response']) ? event['response'] : {}))
    const from = parts.length
    const delta = deltaEvents.get(type)
    if (delta) this.#addDelta(delta, event, parts)
    else if (terminalEvents.has(type))
      this.#terminal(type, isRecord(event['response']) ? event['response'] : {}, parts)
    else this.#progress(type, event, parts)
    this.#endAtStop(parts, from)
    if (this.#options.sameWire) {
      const passed = markedEvent(exactly(received), this.#options.mark)
      const line = event === received ? text : JSON.stringify(passed)
      attachExtra(parts, first, { wire: 'responses', event: passed, text: line })
    }
    const part = parts[from]
    if (part && tokens.has(part.type)) return 'token'
    if (openingEvents.has(type)) return 'nothing'
    return type === 'response.output_item.added' && thinks(event['item']) ? 'token' : 'life'
  }

  /** The parts of a non-streamed answer. */
  *readComplete(received: ResponsesJson): Generator<AnswerPart, void, undefined> {
    const body = markedResponse(received, this.#options.mark)
    const parts = [this.#start(body)]
    if (this.#options.sameWire) {
      const passed = markedResponse(exactly(received), this.#options.mark)
      attachExtra(parts, 0, { wire: 'responses', body: passed })
    }
    try {
      this.#terminal('response.done', body, parts)
    } catch (error) {
      yield* this.usageSoFar()
      throw error
    }
    this.#endAtStop(parts, 1)
    yield* parts
  }

  close(): void {
    this.closed = true
  }

  *end(): Generator<AnswerPart, void, undefined> {
    if (this.finished) return
    yield* this.usageSoFar()
    throw new UpstreamError('cut', { detail: 'the answer ended without its last event' })
  }

  *usageSoFar(): Generator<AnswerPart, void, undefined> {
    if (this.#usage && !this.finished) yield this.#usage
  }

  #start({ id, model }: ResponsesJson): AnswerPart {
    this.#started = true
    return {
      type: 'start',
      ...(typeof id === 'string' && id !== '' && { upstreamId: id }),
      ...(typeof model === 'string' && model !== '' && { upstreamModel: model }),
    }
  }

  #addDelta(
    { kind, place }: { kind: TextKind; place: string },
    event: ResponsesJson,
    parts: AnswerPart[],
  ): void {
    const { delta } = event
    if (typeof delta === 'string')
      this.#output.at(event, itemTypeOf[kind]).texts[kind].add(event[place], delta, parts)
  }

  #progress(type: string, event: ResponsesJson, parts: AnswerPart[]): void {
    const done = doneEvents.get(type)
    if (done) {
      const text = event[done.field]
      const streamed = this.#output.at(event, itemTypeOf[done.kind]).texts[done.kind]
      if (typeof text === 'string') streamed.complete(event[done.place], text, parts)
      return
    }
    const { item, delta } = event
    switch (type) {
      case 'response.function_call_arguments.delta':
        if (typeof delta === 'string') this.#output.at(event, 'function_call').addArguments(delta, parts)
        return
      case 'response.function_call_arguments.done':
        this.#output.at(event, 'function_call').completeArguments(exactly(event)['arguments'], parts)
        return
      case 'response.output_item.added':
        if (isRecord(item)) this.#output.open(item, event['output_index'], parts)
        return
      case 'response.output_item.done':
        if (isRecord(item)) this.#output.complete(item, event['output_index'], parts)
        return
      case 'response.output_text.annotation.added': {
        const message = this.#output.at(event, 'message')
        this.#output.cite(message, event['annotation'], message.texts.text.begin, parts)
        return
      }
      default:
        if (isRecord(event['response'])) this.#count(event['response'])
    }
  }

  #count({ usage: raw, output }: ResponsesJson): void {
    const usage = isRecord(raw) ? readUsage(raw, searchesIn(output)) : undefined
    if (usage) this.#usage = { type: 'usage', usage, raw: raw as ResponsesJson }
  }

  /** The status decides, not the name of the event: vLLM ends every answer with `response.completed`. */
  #terminal(type: string, response: ResponsesJson, parts: AnswerPart[]): void {
    this.#count(response)
    const status =
      typeof response['status'] === 'string' ? response['status'] : type.slice('response.'.length)
    const fault = faultOfStatus(status, response, this.#options.secrets)
    if (fault) {
      this.#fail(fault)
      return
    }
    this.#output.completeAll(recordsOf(response['output']), parts)
    if (!this.finished) parts.push({ type: 'finish', reason: this.#reasonOf(status, response) })
    if (this.#usage) parts.push(this.#usage)
    this.finished = true
    this.closed = true
  }

  #reasonOf(status: string, response: ResponsesJson): FinishReason {
    if (status === 'incomplete') {
      const details = response['incomplete_details']
      return isRecord(details) && details['reason'] === 'content_filter' ? 'content_filter' : 'length'
    }
    return this.#output.calls > 0 ? 'tool_calls' : 'stop'
  }

  /** A failure after the finish does not invalidate the answer. */
  #fail(fault: UpstreamError): void {
    if (!this.finished) throw fault
    this.closed = true
  }

  /**
   * A stop sequence ends the answer on this side. Hidden reasoning cannot be estimated, so an upstream that reasons gets the usual time to
   * report its usage.
   */
  #endAtStop(parts: AnswerPart[], from: number): void {
    if (!this.#cut) return
    this.#cut.apply(parts, from)
    if (this.#cut.found === undefined || this.finished) return
    parts.push({ type: 'finish', reason: 'stop', stopSequence: this.#cut.found })
    this.finished = true
    this.closed = !this.#output.reasons
  }
}

const itemTypeOf: Record<TextKind, string> = { text: 'message', refusal: 'message', thought: 'reasoning' }

const tokens: ReadonlySet<AnswerPart['type']> = new Set([
  'text',
  'reasoning',
  'refusal',
  'tool-call',
  'tool-arguments',
])

/** Whether the item is hidden reasoning, or another item without text, in which no event may follow the opening one for a long time. */
const thinks = (item: unknown): boolean =>
  isRecord(item) && item['type'] !== 'message' && item['type'] !== 'function_call'

/** Attaches the extra to the first part of its event, or to an empty part of its own. */
function attachExtra(parts: AnswerPart[], first: number, extra: NonNullable<AnswerPart['extra']>): void {
  const part = parts[first]
  if (part) part.extra = extra
  else parts.push({ type: 'extra', extra })
}
