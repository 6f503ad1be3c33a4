/**
 * Passes the response of an upstream of this wire through: unknown fields, items and events survive. The response's id, the model and the usage (by
 * the charged one) are replaced, and reasoning that the caller did not ask for is removed.
 */
import type { AnswerPart, Bill } from '#core/turn'
import type { ResponseWriter } from './answer.ts'
import { type Emit, type ResponseJson, recordsIn } from './item.ts'
import { OpenItems } from './open-items.ts'
import {
  type ReasoningText,
  type ResponseSpec,
  reasoningOf,
  responseOf,
  textOf,
  usageOf,
} from './response.ts'
import { toolEvent } from './web-item.ts'

const terminals = new Set(['response.completed', 'response.incomplete', 'response.done'])

export class PassThroughAnswer implements ResponseWriter {
  readonly #spec: ResponseSpec
  readonly #emit: Emit
  /** The response as the upstream sent it last. */
  #upstreamResponse: ResponseJson = {}
  /** The upstream's last event, which is sent once the charged figures are known. */
  #last: ResponseJson | undefined
  readonly #openItems = new OpenItems()
  /** True if the answer was cut off at its limit, so that no last event of the upstream follows. */
  #isCut = false
  /** Items that are done, by their place; needed if the answer fails. */
  readonly #done = new Map<number, ResponseJson>()
  /** The kind of upstream events that the contract's reasoning events repeat. */
  #repeatedKind: string | undefined

  constructor(spec: ResponseSpec, emit: Emit) {
    this.#spec = spec
    this.#emit = emit
  }

  add(part: AnswerPart): void {
    const { extra, cut } = part
    if (cut) this.#cut(part)
    if (extra?.wire !== 'responses') return
    if (extra.body) this.#upstreamResponse = extra.body
    if (extra.event) this.#read(extra.event, extra.text)
  }

  end(bill: Bill): ResponseJson {
    if (this.#isCut) this.#endCut()
    const { type: _type, ...event } = this.#last ?? {}
    const output = recordsIn(this.#upstreamResponse['output'])
    const response = this.#rewritten(
      { ...this.#upstreamResponse, output: output.length > 0 ? output : this.#items },
      bill,
    )
    this.#emit(`response.${response['status']}`, { ...event, response })
    return response
  }

  /** Handles parts that have no upstream event: the shortened last part of an answer cut off at its limit, and its end. */
  #cut(part: AnswerPart): void {
    const last = this.#openItems.deltaOf(part)
    if (last) this.#emit(last.type, last.fields)
    if (part.type === 'finish') this.#isCut = true
  }

  #endCut(): void {
    for (const [place, item] of this.#openItems.ended()) {
      const shown = this.#shown(item)
      this.#done.set(place, shown)
      this.#emit('response.output_item.done', { output_index: place, item: shown })
    }
    const details = { reason: 'max_output_tokens' }
    this.#upstreamResponse = {
      ...this.#upstreamResponse,
      status: 'incomplete',
      incomplete_details: details,
      output: this.#items,
    }
  }

  failed(error: { code: string; message: string }): void {
    if (this.#upstreamResponse['id'] === undefined) this.#open({})
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
    const { type, response, item } = event as { type?: unknown; response?: ResponseJson; item?: ResponseJson }
    if (typeof type !== 'string') return
    if (response) this.#upstreamResponse = response
    this.#openItems.read(type, event)
    if (terminals.has(type)) this.#last = event
    else if (response) this.#emit(type, { ...event, response: this.#rewritten(response) })
    else if (this.#isShown(type, event)) {
      const shown = item && this.#shown(item)
      if (shown && type === 'response.output_item.done') this.#done.set(Number(event['output_index']), shown)
      if (shown === item) this.#emit(type, event, text)
      else this.#emit(type, { ...event, item: shown })
      if (this.#spec.includesReasoning) this.#emitReasoningEvent(type, event)
      if (item && this.#spec.searchDetails.tool) this.#emitTool(item, event['output_index'])
    }
  }

  #open(upstream: ResponseJson): void {
    const response = this.#rewritten({ ...upstream, status: 'in_progress' })
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
  }

  /** The upstream's response with our fields; keys that some upstreams leave out are filled in. */
  #rewritten(upstream: ResponseJson, bill?: Bill): ResponseJson {
    const spec = this.#spec
    const output = recordsIn(upstream['output']).map((item) => this.#shown(item))
    const ours = responseOf(spec, { status: 'in_progress' })
    const status = String(upstream['status'] ?? 'completed')
    return {
      ...ours,
      ...upstream,
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
    if (item['type'] === 'function_call')
      return { ...item, ...this.#spec.tools.callerName(String(item['name'])) }
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
