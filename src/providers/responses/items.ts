import { randomBytes } from 'node:crypto'
import type { AnswerPart, Citation, OpaqueContent } from '#core/turn'
import { isRecord } from '#providers/kit'

export type ResponsesJson = Record<string, unknown>

/** The kinds of text that an item can hold. */
export type TextKind = 'text' | 'refusal' | 'thought'

const between: Record<TextKind, string> = { text: '', refusal: '', thought: '\n\n' }

/** The text of one kind in one item, as far as it has been emitted. */
export class StreamedText {
  text = ''
  readonly #kind: TextKind
  /** The index of the part that is being written, and its start in `text`. */
  #place = 0
  begin = 0

  constructor(kind: TextKind) {
    this.#kind = kind
  }

  /** Appends to the part at `place`. */
  add(place: unknown, delta: string, parts: AnswerPart[]): void {
    if (delta === '') return
    const gap = this.#enter(place)
    this.text += delta
    parts.push(partOf(this.#kind, gap + delta))
  }

  /** Completes the part at `place`: emits the rest of it. */
  complete(place: unknown, full: string, parts: AnswerPart[]): void {
    const step = typeof place === 'number' ? place - this.#place : 0
    if (step < 0) return
    this.add(place, restOf(full, step === 0 ? this.text.slice(this.begin) : ''), parts)
  }

  /** Completes all parts: emits the rest of them. */
  completeAll(texts: readonly string[], parts: AnswerPart[]): void {
    const rest = restOf(texts.join(between[this.#kind]), this.text)
    this.text += rest
    if (rest !== '') parts.push(partOf(this.#kind, rest))
  }

  #enter(place: unknown): string {
    if (typeof place !== 'number' || place === this.#place) return ''
    this.#place = place
    const gap = this.text === '' ? '' : between[this.#kind]
    this.text += gap
    this.begin = this.text.length
    return gap
  }
}

/** The rest of `full` that has not been emitted; empty if the text differs, since emitted text cannot be withdrawn. */
export const restOf = (full: string, emitted: string): string =>
  full.startsWith(emitted) ? full.slice(emitted.length) : ''

export const partOf = (kind: TextKind, text: string): AnswerPart => ({
  type: kind === 'thought' ? 'reasoning' : kind,
  text,
})

/** One output item, emitted as it is written, whether by deltas, by its `.done` event, or only in the final response. */
export class OutputItem {
  readonly index: unknown
  readonly id: unknown
  readonly type: string
  readonly texts: Record<TextKind, StreamedText> = {
    text: new StreamedText('text'),
    refusal: new StreamedText('refusal'),
    thought: new StreamedText('thought'),
  }
  /** For a function call: its index among the calls that were emitted, once its name is known. */
  call: number | undefined
  callId: unknown
  arguments = ''
  /** The number of annotations emitted. */
  citations = 0
  done = false

  constructor(type: string, index: unknown, id: unknown) {
    this.type = type
    this.index = index
    this.id = id
  }

  /** Indexes are more stable than ids, which some servers change from event to event. */
  matches(type: string, index: unknown, id: unknown): boolean {
    return this.type === type && (typeof index === 'number' ? this.index === index : this.id === id)
  }

  /** A call is emitted when its name is known; arguments that came earlier are buffered until then. */
  name(item: ResponsesJson, place: number, parts: AnswerPart[]): boolean {
    const { name } = item
    if (this.call !== undefined || typeof name !== 'string' || name === '') return false
    this.call = place
    this.callId = item['call_id']
    const known = [this.callId, item['id'], this.id].find((id) => typeof id === 'string' && id !== '')
    const id = (known as string | undefined) ?? `call_${randomBytes(12).toString('hex')}`
    parts.push({ type: 'tool-call', index: place, id, name })
    if (this.arguments !== '') parts.push({ type: 'tool-arguments', index: place, delta: this.arguments })
    return true
  }

  addArguments(delta: string, parts: AnswerPart[]): void {
    this.arguments += delta
    if (delta !== '' && this.call !== undefined)
      parts.push({ type: 'tool-arguments', index: this.call, delta })
  }

  /** Arguments that are no text have their exact numbers; they become their JSON. */
  completeArguments(complete: unknown, parts: AnswerPart[]): void {
    const text = typeof complete === 'string' ? complete : complete == null ? '' : JSON.stringify(complete)
    this.addArguments(restOf(text, this.arguments), parts)
  }
}

/**
 * The page of a `url_citation`; other annotations have a meaning on their own wire alone. `before` is the number of characters of the answer before
 * the annotated text.
 */
export function citationOf(annotation: unknown, before: number): Citation | undefined {
  if (!isRecord(annotation) || annotation['type'] !== 'url_citation') return undefined
  const { url, title, start_index: start, end_index: end } = annotation
  if (typeof url !== 'string') return undefined
  return {
    url,
    title: typeof title === 'string' ? title : '',
    ...(typeof start === 'number' && { start: before + start }),
    ...(typeof end === 'number' && { end: before + end }),
  }
}

/** The parts of a message item that hold text of this kind. */
export const textsOf = (item: ResponsesJson, kind: 'text' | 'refusal'): string[] =>
  recordsOf(item['content']).flatMap((part) => {
    const text = part['type'] === (kind === 'text' ? 'output_text' : 'refusal') ? part[kind] : undefined
    return typeof text === 'string' ? [text] : []
  })

/** The reasoning summary, or the reasoning itself if there is no summary. */
export function thoughtsOf(item: ResponsesJson): string[] {
  const summary = recordsOf(item['summary'])
  const shown = summary.length > 0 ? summary : recordsOf(item['content'])
  return shown.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
}

/** The encrypted content of a reasoning item, which its own wire accepts back. */
export function sealOf({ id, encrypted_content: data }: ResponsesJson): OpaqueContent | undefined {
  if (typeof data !== 'string' || data === '') return undefined
  return { wire: 'responses', ...(typeof id === 'string' && { id }), data }
}

export const recordsOf = (list: unknown): ResponsesJson[] =>
  Array.isArray(list) ? list.filter(isRecord) : []
