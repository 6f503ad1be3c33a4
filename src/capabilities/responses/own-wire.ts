/**
 * What an upstream of this wire wrote, passed on as it is: unknown fields, items and events survive. Ours are the response's
 * id, the model, the usage that was charged, and what is shown of reasoning.
 */
import type { Bill, Part } from '#engine/turn'
import type { Scribe } from './answer.ts'
import { BegunItems } from './cut-items.ts'
import { type Emit, type Json, recordsIn } from './item.ts'
import { reasoningOf, responseOf, type Terms, type Thoughts, textOf, usageOf } from './response.ts'
import { toolEvent } from './web-item.ts'

const terminals = new Set(['response.completed', 'response.incomplete', 'response.done'])

export class OwnAnswer implements Scribe {
  readonly #terms: Terms
  readonly #emit: Emit
  /** The response as the upstream told it last. */
  #told: Json = {}
  /** The upstream's last event, which waits for the figures that are charged. */
  #last: Json | undefined
  readonly #begun = new BegunItems()
  /** It was cut off at its limit, and its upstream tells no end. */
  #isCut = false
  /** Items that are done, by their place; for an answer that breaks. */
  readonly #done = new Map<number, Json>()
  /** The kind of the upstream's events of which the contract's own are twins. */
  #twinOf: string | undefined

  constructor(terms: Terms, emit: Emit) {
    this.#terms = terms
    this.#emit = emit
  }

  add(part: Part): void {
    const { extra, cut } = part
    if (cut) this.#cut(part)
    if (extra?.wire !== 'responses') return
    if (extra.body) this.#told = extra.body
    if (extra.event) this.#read(extra.event, extra.text)
  }

  end(bill: Bill): Json {
    if (this.#isCut) this.#endCut()
    const { type: _type, ...event } = this.#last ?? {}
    const output = recordsIn(this.#told['output'])
    const response = this.#rewritten(
      { ...this.#told, output: output.length > 0 ? output : this.#items },
      bill,
    )
    this.#emit(`response.${response['status']}`, { ...event, response })
    return response
  }

  /** What the limit of the answer left of its last piece, and its end, come without an event of the upstream. */
  #cut(part: Part): void {
    const last = this.#begun.deltaOf(part)
    if (last) this.#emit(last.type, last.fields)
    if (part.type === 'finish') this.#isCut = true
  }

  #endCut(): void {
    for (const [place, item] of this.#begun.ended()) {
      const shown = this.#shown(item)
      this.#done.set(place, shown)
      this.#emit('response.output_item.done', { output_index: place, item: shown })
    }
    const details = { reason: 'max_output_tokens' }
    this.#told = { ...this.#told, status: 'incomplete', incomplete_details: details, output: this.#items }
  }

  failed(error: { code: string; message: string }): void {
    if (this.#told['id'] === undefined) this.#open({})
    const told = { ...this.#told, status: 'failed', error, output: this.#items, incomplete_details: null }
    this.#emit('response.failed', { response: this.#rewritten(told) })
  }

  get #items(): Json[] {
    // Their places are the upstream's word: any number may come.
    return [...this.#done].sort(([a], [b]) => a - b).map(([, item]) => item)
  }

  #read(event: Json, text: string | undefined): void {
    const { type, response, item } = event as { type?: unknown; response?: Json; item?: Json }
    if (typeof type !== 'string') return
    if (response) this.#told = response
    this.#begun.read(type, event)
    if (terminals.has(type)) this.#last = event
    else if (response) this.#emit(type, { ...event, response: this.#rewritten(response) })
    else if (this.#isShown(type, event)) {
      const shown = item && this.#shown(item)
      if (shown && type === 'response.output_item.done') this.#done.set(Number(event['output_index']), shown)
      if (shown === item) this.#emit(type, event, text)
      else this.#emit(type, { ...event, item: shown })
      if (this.#terms.includesReasoning) this.#tellTwin(type, event)
      if (item && this.#terms.tells.tool) this.#tellTool(item, event['output_index'])
    }
  }

  #open(told: Json): void {
    const response = this.#rewritten({ ...told, status: 'in_progress' })
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
  }

  /** Keys that lesser upstreams leave out are ours. */
  #rewritten(told: Json, bill?: Bill): Json {
    const terms = this.#terms
    const output = recordsIn(told['output']).map((item) => this.#shown(item))
    const ours = responseOf(terms, { status: 'in_progress' })
    const status = String(told['status'] ?? 'completed')
    return {
      ...ours,
      ...told,
      id: ours['id'],
      object: 'response',
      model: terms.model(),
      status,
      store: false,
      background: false,
      previous_response_id: null,
      output,
      output_text: textOf(output),
      reasoning: reasoningOf(terms, thoughtsOf(output)),
      usage: bill ? usageOf(bill, (told['usage'] as Json | undefined) ?? {}) : null,
      ...terms.own?.(),
    }
  }

  /** What a model thought is shown to who asked: the summary by the wire's own wish, the text itself by ours. */
  #shown(item: Json): Json {
    if (item['type'] === 'function_call')
      return { ...item, ...this.#terms.tools.calledAs(String(item['name'])) }
    if (item['type'] !== 'reasoning') return item
    const { content, ...rest } = item
    return {
      ...rest,
      ...(!this.#terms.showsReasoning && { summary: [] }),
      ...(this.#terms.includesReasoning && content !== undefined && { content }),
    }
  }

  #isShown(type: string, { part }: Json): boolean {
    const { showsReasoning, includesReasoning } = this.#terms
    if (type.startsWith('response.reasoning_summary_')) return showsReasoning
    const plain =
      type.startsWith('response.reasoning') || (part as Json | undefined)?.['type'] === 'reasoning_text'
    return !plain || includesReasoning
  }

  /** `response.reasoning.delta` and `.done` beside the wire's own events (decisions §8). */
  #tellTwin(type: string, { item_id, output_index, content_index, summary_index, delta, text }: Json): void {
    const [, kind, step] = /^response\.(reasoning(?:_text|_summary_text)?)\.(delta|done)$/.exec(type) ?? []
    if (kind === undefined) return
    this.#twinOf ??= kind
    if (kind === 'reasoning' || kind !== this.#twinOf) return
    const place = { item_id, output_index, content_index: content_index ?? summary_index ?? 0 }
    this.#emit(`response.reasoning.${step}`, { ...place, ...(step === 'delta' ? { delta } : { text }) })
  }

  /** `response.tool` beside the beginning and the end of a search that ran at the upstream. */
  #tellTool(item: Json, index: unknown): void {
    if (item['type'] !== 'web_search_call') return
    const { sources } = (item['action'] ?? {}) as Json
    const results = sources === undefined ? {} : { results: recordsIn(sources).map(({ url }) => ({ url })) }
    this.#emit('response.tool', { item_id: item['id'], output_index: index, ...toolEvent(item), ...results })
  }
}

function thoughtsOf(output: readonly Json[]): Thoughts {
  const textsIn = (field: string): string =>
    output
      .filter((item) => item['type'] === 'reasoning')
      .flatMap((item) => recordsIn(item[field]))
      .map((part) => String(part['text'] ?? ''))
      .join('\n\n')
  const summary = textsIn('summary')
  return summary === '' ? { text: textsIn('content'), format: 'text' } : { text: summary, format: 'summary' }
}
