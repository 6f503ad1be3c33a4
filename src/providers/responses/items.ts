import { randomBytes } from 'node:crypto'
import type { Citation, Opaque, Part } from '#engine/turn'
import { isRecord } from '#providers/kit'

export type Json = Record<string, unknown>

/** The kinds of text that an item can hold. */
export type TextKind = 'text' | 'refusal' | 'thought'

const between: Record<TextKind, string> = { text: '', refusal: '', thought: '\n\n' }

/** The text of one kind in one item, as far as it was emitted. */
export class StreamedText {
  text = ''
  readonly #kind: TextKind
  /** Which part of the item is being written, and where in `text` it begins. */
  #place = 0
  begin = 0

  constructor(kind: TextKind) {
    this.#kind = kind
  }

  /** More of the part at `place`. */
  add(place: unknown, delta: string, parts: Part[]): void {
    if (delta === '') return
    const gap = this.#enter(place)
    this.text += delta
    parts.push(partOf(this.#kind, gap + delta))
  }

  /** The part at `place` is complete: emits the rest of it. */
  complete(place: unknown, full: string, parts: Part[]): void {
    const step = typeof place === 'number' ? place - this.#place : 0
    if (step < 0) return
    this.add(place, restOf(full, step === 0 ? this.text.slice(this.begin) : ''), parts)
  }

  /** All parts are complete: emits the rest of them. */
  completeAll(texts: readonly string[], parts: Part[]): void {
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

/** The rest of `whole` that has not been emitted; empty where the text differs, since what was emitted cannot be taken back. */
export const restOf = (full: string, emitted: string): string =>
  full.startsWith(emitted) ? full.slice(emitted.length) : ''

export const partOf = (kind: TextKind, text: string): Part => ({
  type: kind === 'thought' ? 'reasoning' : kind,
  text,
})

/** One item of an answer, emitted as it is written, whether by deltas, by its end, or only in the whole response. */
export class OutputItem {
  readonly index: unknown
  readonly id: unknown
  readonly type: string
  readonly texts: Record<TextKind, StreamedText> = {
    text: new StreamedText('text'),
    refusal: new StreamedText('refusal'),
    thought: new StreamedText('thought'),
  }
  /** Of a function call: its index among the calls that were emitted, once its name is known. */
  call: number | undefined
  callId: unknown
  arguments = ''
  /** How many annotations were emitted. */
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

  /** A call is emitted when its name is known; arguments that came earlier have waited for it. */
  name(item: Json, place: number, parts: Part[]): boolean {
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

  addArguments(delta: string, parts: Part[]): void {
    this.arguments += delta
    if (delta !== '' && this.call !== undefined)
      parts.push({ type: 'tool-arguments', index: this.call, delta })
  }

  completeArguments(complete: unknown, parts: Part[]): void {
    const text = typeof complete === 'string' ? complete : isRecord(complete) ? JSON.stringify(complete) : ''
    this.addArguments(restOf(text, this.arguments), parts)
  }
}

/** The page that a `url_citation` names; other annotations mean nothing beyond their own wire. `before`: characters of the answer before the text it counts in. */
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
export const textsOf = (item: Json, kind: 'text' | 'refusal'): string[] =>
  recordsOf(item['content']).flatMap((part) => {
    const text = part['type'] === (kind === 'text' ? 'output_text' : 'refusal') ? part[kind] : undefined
    return typeof text === 'string' ? [text] : []
  })

/** The summary of the reasoning; the reasoning itself only where there is no summary. */
export function thoughtsOf(item: Json): string[] {
  const summary = recordsOf(item['summary'])
  const shown = summary.length > 0 ? summary : recordsOf(item['content'])
  return shown.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
}

/** The seal of a reasoning item, with which its own wire takes it back. */
export function sealOf({ id, encrypted_content: data }: Json): Opaque | undefined {
  if (typeof data !== 'string' || data === '') return undefined
  return { wire: 'responses', ...(typeof id === 'string' && { id }), data }
}

export const recordsOf = (list: unknown): Json[] => (Array.isArray(list) ? list.filter(isRecord) : [])
