import { UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'
import { exactly } from '#platform/json'
import {
  citationOf,
  OutputItem,
  partOf,
  type ResponsesJson,
  recordsOf,
  restOf,
  sealOf,
  type TextKind,
  textsOf,
  thoughtsOf,
} from './items.ts'

/** The most items, since each event searches its item among all of them. */
const maxItems = 4_096

/** The output items of one answer: in whatever order a server sends its events, every text, call and citation is emitted once. */
export class OutputItems {
  /** The number of function calls emitted. */
  calls = 0
  readonly #items: OutputItem[] = []
  #latest: OutputItem | undefined

  get reasons(): boolean {
    return this.#items.some(({ type }) => type === 'reasoning')
  }

  /** The item that an event adds to; it is created if the server sent no opening event. */
  at({ output_index: index, item_id: id }: ResponsesJson, type: string): OutputItem {
    if (!this.#latest?.matches(type, index, id))
      this.#latest = this.#find(type, index, id) ?? this.#begin(type, index, id)
    return this.#latest
  }

  #find(type: string, index: unknown, id: unknown): OutputItem | undefined {
    return this.#items.findLast((item) => item.matches(type, index, id))
  }

  #begin(type: string, index: unknown, id: unknown): OutputItem {
    if (this.#items.length >= maxItems)
      throw new UpstreamError('malformed', { detail: `more than ${maxItems} items in an answer` })
    this.#latest = new OutputItem(type, index, id)
    this.#items.push(this.#latest)
    return this.#latest
  }

  /** Opens an item, possibly after its first deltas. */
  open(item: ResponsesJson, index: unknown, parts: AnswerPart[]): void {
    const type = String(item['type'])
    const known = this.#find(type, index, item['id'])
    const another = !known || known.done || (known.call !== undefined && known.callId !== item['call_id'])
    const opened = another ? this.#begin(type, index, item['id']) : known
    // Deltas repeat the content of a call, so only the name is read here.
    if (type === 'function_call') this.#name(opened, item, parts)
  }

  /** Completes an item: emits the rest of it. */
  complete(item: ResponsesJson, index: unknown, parts: AnswerPart[]): void {
    const type = String(item['type'])
    const known = this.#find(type, index, item['id'])
    if (known?.done && known.id === item['id']) return
    const current = known && !known.done ? known : this.#begin(type, index, item['id'])
    current.done = true
    if (type === 'function_call') {
      this.#name(current, item, parts)
      current.completeArguments(exactly(item)['arguments'], parts)
    } else if (type === 'reasoning') {
      current.texts.thought.completeAll(thoughtsOf(item), parts)
      endReasoning(item, current.texts.thought.text !== '', parts)
    } else if (type === 'message') {
      current.texts.text.completeAll(textsOf(item, 'text'), parts)
      current.texts.refusal.completeAll(textsOf(item, 'refusal'), parts)
      this.#citeRest(current, item, parts)
    }
  }

  #name(call: OutputItem, item: ResponsesJson, parts: AnswerPart[]): void {
    if (call.name(item, this.calls, parts)) this.calls += 1
  }

  #citeRest(message: OutputItem, item: ResponsesJson, parts: AnswerPart[]): void {
    let before = 0
    let position = 0
    for (const { annotations, text } of recordsOf(item['content'])) {
      for (const annotation of recordsOf(annotations)) {
        if (position === message.citations) this.cite(message, annotation, before, parts)
        position += 1
      }
      before += typeof text === 'string' ? text.length : 0
    }
  }

  /** Adds a citation. `before` is the number of characters of the message before the text that the annotation counts in. */
  cite(message: OutputItem, annotation: unknown, before: number, parts: AnswerPart[]): void {
    message.citations += 1
    let characters = before
    for (const item of this.#items) {
      if (item === message) break
      characters += item.texts.text.text.length
    }
    const citation = citationOf(annotation, characters)
    if (citation) parts.push({ type: 'citation', citation })
  }

  /**
   * Emits what only the final response contains. It is compared with all that was emitted, not item by item: some servers divide their
   * items differently here, and give them other ids.
   */
  completeAll(output: readonly ResponsesJson[], parts: AnswerPart[]): void {
    if (this.#items.length === 0) {
      for (const [place, item] of output.entries()) this.complete(item, place, parts)
      return
    }
    const ofType = (type: string) => output.filter((item) => item['type'] === type)
    this.#restOfReasoning(ofType('reasoning'), parts)
    this.#restOfMessages(ofType('message'), parts)
    this.#restOfCalls(ofType('function_call'), parts)
  }

  #restOfReasoning(items: readonly ResponsesJson[], parts: AnswerPart[]): void {
    const thoughts = items.map((item) => thoughtsOf(item).join('\n\n'))
    this.#rest('thought', thoughts, parts)
    const ended = this.#items.filter(({ type, done }) => type === 'reasoning' && done).length
    for (const [position, item] of items.entries())
      if (position >= ended) endReasoning(item, thoughts[position] !== '', parts)
  }

  #restOfMessages(items: readonly ResponsesJson[], parts: AnswerPart[]): void {
    const emitted = this.#items.filter(({ type }) => type === 'message')
    for (const voice of ['text', 'refusal'] as const) {
      const texts = items.flatMap((item) => textsOf(item, voice))
      this.#rest(voice, texts, parts)
    }
    for (const [position, item] of items.entries())
      this.#citeRest(emitted[position] ?? this.#begin('message', undefined, item['id']), item, parts)
  }

  #rest(kind: TextKind, all: readonly string[], parts: AnswerPart[]): void {
    const rest = restOf(all.join(''), this.#items.map((item) => item.texts[kind].text).join(''))
    if (rest !== '') parts.push(partOf(kind, rest))
  }

  /** Calls are matched by id, or by order if the server changes the ids. */
  #restOfCalls(items: readonly ResponsesJson[], parts: AnswerPart[]): void {
    const calls = this.#items.filter(({ type }) => type === 'function_call')
    const byId = (item: ResponsesJson) =>
      calls.find(({ callId }) => callId !== undefined && callId === item['call_id'])
    const steady = items.some(byId)
    for (const [position, item] of items.entries()) {
      const known = steady ? byId(item) : calls[position]
      const call = known ?? this.#begin('function_call', undefined, item['id'])
      this.#name(call, item, parts)
      call.completeArguments(exactly(item)['arguments'], parts)
    }
  }
}

function endReasoning(item: ResponsesJson, emitted: boolean, parts: AnswerPart[]): void {
  const opaque = sealOf(item)
  if (opaque || emitted) parts.push({ type: 'reasoning-end', ...(opaque && { opaque }) })
}
