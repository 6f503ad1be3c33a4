/**
 * Passes the response of an upstream of this wire through: unknown fields, items and events survive, and events that it leaves out are added. The
 * response's id, the model and the usage (by the charged one) are replaced, and reasoning that the caller did not ask for is removed.
 */
import type { AnswerPart, Bill } from '#core/turn'
import type { ResponseWriter } from './answer.ts'
import { type Emit, type ResponseJson, recordsIn } from './item.ts'
import {
  type ReasoningText,
  type ResponseSpec,
  reasoningOf,
  responseOf,
  textOf,
  usageOf,
} from './response.ts'
import { argumentsDone, doneType } from './sent-item.ts'
import { StreamCompletion } from './stream-completion.ts'
import { toolEvent } from './web-item.ts'

const terminals = new Set(['response.completed', 'response.incomplete', 'response.done'])
/** Events that say that the response is not begun or that it has just begun. */
const openingTypes = new Set(['response.in_progress', 'response.queued'])

export class PassThroughAnswer implements ResponseWriter {
  readonly #spec: ResponseSpec
  readonly #emit: Emit
  /** The response as the upstream sent it last. */
  #upstreamResponse: ResponseJson = {}
  /** The upstream's last event, which is sent once the charged figures are known. */
  #last: ResponseJson | undefined
  readonly #completion: StreamCompletion
  /** True if the response came as a whole, without events. */
  #isWhole = false
  /** True after the event that opens the response. */
  #isOpened = false
  /** True if the answer was cut off at its limit, so that no last event of the upstream follows. */
  #isCut = false
  /** Items that are done, by their place; needed if the answer fails. */
  readonly #done = new Map<number, ResponseJson>()
  /** The kind of upstream events that the contract's reasoning events repeat. */
  #repeatedKind: string | undefined

  constructor(spec: ResponseSpec, emit: Emit) {
    this.#spec = spec
    this.#emit = emit
    this.#completion = new StreamCompletion(spec.hex)
  }

  add(part: AnswerPart): void {
    const { extra, cut } = part
    if (cut) this.#cut(part)
    if (extra?.wire !== 'responses') return
    if (extra.body) {
      this.#upstreamResponse = extra.body
      this.#isWhole = true
    }
    if (extra.event) this.#read(extra.event, extra.text)
  }

  end(bill: Bill): ResponseJson {
    if (this.#isCut) this.#endCut()
    else if (this.#last || this.#isWhole) this.#endComplete(this.#last ?? {})
    const { type: _type, ...event } = this.#last ?? {}
    const response = this.#rewritten(this.#upstreamResponse, bill)
    this.#emit(`response.${response['status']}`, { ...event, response })
    return response
  }

  /** Handles parts that have no upstream event: the shortened last part of an answer cut off at its limit, and its end. */
  #cut(part: AnswerPart): void {
    for (const event of this.#completion.delta(part)) this.#pass(event)
    if (part.type === 'finish') this.#isCut = true
  }

  #endCut(): void {
    for (const event of this.#completion.cut()) this.#pass(event)
    const details = { reason: 'max_output_tokens' }
    this.#upstreamResponse = {
      ...this.#upstreamResponse,
      status: 'incomplete',
      incomplete_details: details,
      output: this.#items,
    }
  }

  /** Sends what the upstream's events left out of its complete response. */
  #endComplete({ type }: ResponseJson): void {
    const upstream = this.#upstreamResponse
    const status = upstream['status'] ?? (type === 'response.incomplete' ? 'incomplete' : 'completed')
    const { events, output } = this.#completion.end(
      recordsIn(upstream['output']),
      status === 'incomplete' ? status : 'completed',
    )
    for (const event of events) this.#pass(event)
    this.#upstreamResponse = { ...upstream, status, output }
  }

  failed(error: { code: string; message: string }): void {
    this.#open('response.failed')
    const upstream = {
      ...this.#upstreamResponse,
      status: 'failed',
      error,
      output: this.#items,
      incomplete_details: null,
    }
    this.#emit('response.failed', { response: this.#rewritten(upstream) })
  }

  get #items(): ResponseJson[] {
    // The places come from the upstream and may be any number.
    return [...this.#done].sort(([a], [b]) => a - b).map(([, item]) => item)
  }

  #read(event: ResponseJson, text: string | undefined): void {
    const { type, response } = event as { type?: unknown; response?: ResponseJson }
    if (typeof type !== 'string') return
    this.#open(type, response)
    if (response)
      this.#upstreamResponse = terminals.has(type) ? response : { status: 'in_progress', ...response }
    if (terminals.has(type)) this.#last = event
    else if (response) this.#emit(type, { ...event, response: this.#rewritten(this.#upstreamResponse) })
    else for (const one of this.#completion.complete(event)) this.#pass(one, one === event ? text : undefined)
  }

  /** Sends an event about the output. */
  #pass(event: ResponseJson, text?: string): void {
    const { type, item } = event as { type: string; item?: ResponseJson }
    if (!this.#isShown(type, event)) return
    const place = event['output_index']
    const shown = item && this.#shown(item)
    if (shown && type === doneType) this.#done.set(Number(place), shown)
    if (shown !== item) this.#emit(type, { ...event, item: shown })
    else if (type === argumentsDone && event['name'] !== undefined)
      this.#emit(type, { ...event, name: this.#spec.tools.callerName(String(event['name'])).name })
    else this.#emit(type, event, text)
    if (this.#spec.includesReasoning) this.#emitReasoningEvent(type, event)
    if (item && this.#spec.searchDetails.tool) this.#emitTool(item, place)
  }

  /** Sends the events that open the response before the first event of an upstream that sends none. */
  #open(type: string, upstream: ResponseJson = {}): void {
    if (this.#isOpened) return
    this.#isOpened = true
    if (type === 'response.created') return
    const opened = {
      status: 'in_progress',
      output: [],
      completed_at: null,
      incomplete_details: null,
      error: null,
    }
    const response = this.#rewritten({ ...upstream, ...opened })
    this.#emit('response.created', { response })
    if (!openingTypes.has(type)) this.#emit('response.in_progress', { response })
  }

  /** The upstream's response with our fields; keys that some upstreams leave out are filled in. */
  #rewritten(upstream: ResponseJson, bill?: Bill): ResponseJson {
    const spec = this.#spec
    const output = recordsIn(upstream['output']).map((item) => this.#shown(item))
    const ours = responseOf(spec, { status: 'in_progress' })
    const status = String(upstream['status'] ?? 'completed')
    const completedAt = upstream['completed_at'] ?? (status === 'completed' ? spec.now() : null)
    return {
      ...ours,
      ...upstream,
      completed_at: completedAt,
      id: ours['id'],
      object: 'response',
      model: spec.model(),
      status,
      store: false,
      background: false,
      previous_response_id: null,
      output,
      output_text: textOf(output),
      reasoning: reasoningOf(spec, reasoningTextOf(output)),
      usage: bill ? usageOf(bill, (upstream['usage'] as ResponseJson | undefined) ?? {}) : null,
      ...spec.overrides?.(),
    }
  }

  /** Reasoning is shown only if requested: the summary by the wire's `reasoning.summary`, the text by our `include_reasoning`. */
  #shown(item: ResponseJson): ResponseJson {
    if (item['type'] === 'function_call') {
      const { name, arguments: input } = item
      // Servers with JSON-native tools send an object, or whatever the model wrote; clients of this wire read a text.
      const isText = input == null || typeof input === 'string'
      const text = isText ? {} : { arguments: JSON.stringify(input) }
      return { ...item, ...text, ...this.#spec.tools.callerName(String(name)) }
    }
    if (item['type'] !== 'reasoning') return item
    const { content, ...rest } = item
    return {
      ...rest,
      ...(!this.#spec.showsReasoning && { summary: [] }),
      ...(this.#spec.includesReasoning && content !== undefined && { content }),
    }
  }

  #isShown(type: string, { part }: ResponseJson): boolean {
    const { showsReasoning, includesReasoning } = this.#spec
    if (type.startsWith('response.reasoning_summary_')) return showsReasoning
    const plain =
      type.startsWith('response.reasoning') ||
      (part as ResponseJson | undefined)?.['type'] === 'reasoning_text'
    return !plain || includesReasoning
  }

  /** Emits `response.reasoning.delta` and `.done` beside the wire's own reasoning events (decisions §8). */
  #emitReasoningEvent(
    type: string,
    { item_id, output_index, content_index, summary_index, delta, text }: ResponseJson,
  ): void {
    const [, kind, step] = /^response\.(reasoning(?:_text|_summary_text)?)\.(delta|done)$/.exec(type) ?? []
    if (kind === undefined) return
    this.#repeatedKind ??= kind
    if (kind === 'reasoning' || kind !== this.#repeatedKind) return
    const place = { item_id, output_index, content_index: content_index ?? summary_index ?? 0 }
    this.#emit(`response.reasoning.${step}`, { ...place, ...(step === 'delta' ? { delta } : { text }) })
  }

  /** Emits `response.tool` at the beginning and the end of a search that the upstream runs. */
  #emitTool(item: ResponseJson, index: unknown): void {
    if (item['type'] !== 'web_search_call') return
    const { sources } = (item['action'] ?? {}) as ResponseJson
    const results = sources === undefined ? {} : { results: recordsIn(sources).map(({ url }) => ({ url })) }
    this.#emit('response.tool', { item_id: item['id'], output_index: index, ...toolEvent(item), ...results })
  }
}

function reasoningTextOf(output: readonly ResponseJson[]): ReasoningText {
  const textsIn = (field: string): string =>
    output
      .filter((item) => item['type'] === 'reasoning')
      .flatMap((item) => recordsIn(item[field]))
      .map((part) => String(part['text'] ?? ''))
      .join('\n\n')
  const summary = textsIn('summary')
  return summary === '' ? { text: textsIn('content'), format: 'text' } : { text: summary, format: 'summary' }
}
