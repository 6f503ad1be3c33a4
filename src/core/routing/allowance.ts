import type { AnswerPart, Turn } from '#core/turn'

/** No tokenizer averages this many bytes; `bytesBeside` covers short answers, whose first token may be long. */
const bytesPerToken = 128
const bytesBeside = 64 * 1024

/** The maximum amount of text that a turn's output limit can produce; anything beyond it is cut off. */
export class OutputAllowance {
  #left: number

  constructor({ maxOutputTokens }: Turn) {
    this.#left = bytesPerToken * maxOutputTokens + bytesBeside
  }

  /** Returns undefined while the part fits; otherwise the truncated part, without wire-specific fields. */
  cut(part: AnswerPart): AnswerPart[] | undefined {
    const bytes = sizeOf(part)
    this.#left -= bytes
    return this.#left >= 0 ? undefined : truncatedPart(part, bytes + this.#left)
  }
}

function sizeOf(part: AnswerPart): number {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return Buffer.byteLength(part.text)
    case 'tool-call':
      return Buffer.byteLength(part.name) + Buffer.byteLength(part.id)
    case 'tool-arguments':
      return Buffer.byteLength(part.delta)
    default:
      return 0
  }
}

function truncatedPart(part: AnswerPart, bytes: number): AnswerPart[] {
  const first = (text: string): string =>
    Buffer.from(text)
      .toString('utf8', 0, bytes)
      .replace(/\ufffd$/, '')
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return [{ type: part.type, text: first(part.text), cut: true }]
    case 'tool-arguments':
      return [{ type: part.type, index: part.index, delta: first(part.delta), cut: true }]
    default:
      return []
  }
}
