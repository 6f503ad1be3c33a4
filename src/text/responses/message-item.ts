import type { Citation } from '#core/turn'
import { type Emit, type ItemStatus, ResponseItem, type ResponseJson } from './item.ts'

interface TextPart {
  type: 'output_text'
  text: string
  annotations: ResponseJson[]
  logprobs: []
}
type MessagePart = TextPart | { type: 'refusal'; refusal: string }

/** A message of the model: parts of text and refusals, one open at a time. */
export class MessageItem extends ResponseItem {
  readonly #content: MessagePart[] = []
  #part: MessagePart | undefined
  /** Characters of the answer's text before the open part. */
  #from = 0

  constructor(id: string, index: number, emit: Emit) {
    super({ type: 'message', id, status: 'in_progress', role: 'assistant', content: [] }, index, emit)
    this.json['content'] = this.#content
  }

  /** `from`: characters of the answer's text before this. */
  write(text: string, from: number): void {
    const part = this.#text(from)
    part.text += text
    this.#emitPart('response.output_text.delta', { delta: text, logprobs: [] })
  }

  writeRefusal(text: string): void {
    if (this.#part?.type !== 'refusal') this.#open({ type: 'refusal', refusal: '' })
    if (this.#part?.type === 'refusal') this.#part.refusal += text
    this.#emitPart('response.refusal.delta', { delta: text })
  }

  /** If the upstream does not give the place of a citation, it is the end of the text so far. */
  cite({ url, title, start, end }: Citation, from: number): void {
    const part = this.#text(from)
    const place = (at: number | undefined): number =>
      at === undefined ? part.text.length : Math.max(0, at - this.#from)
    const annotation = {
      type: 'url_citation',
      start_index: place(start),
      end_index: place(end),
      url,
      title,
    }
    const index = part.annotations.push(annotation) - 1
    this.#emitPart('response.output_text.annotation.added', { annotation_index: index, annotation })
  }

  close(status: ItemStatus): void {
    this.#closePart()
    this.json['status'] = status
    this.done()
  }

  #text(from: number): TextPart {
    if (this.#part?.type !== 'output_text') {
      this.#open({ type: 'output_text', text: '', annotations: [], logprobs: [] })
      this.#from = from
    }
    return this.#part as TextPart
  }

  #open(part: MessagePart): void {
    this.#closePart()
    this.#part = part
    this.#content.push(part)
    this.#emitPart('response.content_part.added', { part })
  }

  #closePart(): void {
    const part = this.#part
    if (!part) return
    if (part.type === 'output_text')
      this.#emitPart('response.output_text.done', { text: part.text, logprobs: [] })
    else this.#emitPart('response.refusal.done', { refusal: part.refusal })
    this.#emitPart('response.content_part.done', { part })
    this.#part = undefined
  }

  #emitPart(type: string, fields: ResponseJson): void {
    this.emitEvent(type, { content_index: this.#content.length - 1, ...fields })
  }
}
