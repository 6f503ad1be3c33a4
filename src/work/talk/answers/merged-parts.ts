/** The parts of an answer under way, merged from the deltas of its model: neutral, as they are stored and shown. */
import type { AnswerPart, Citation, ToolResult } from '#core/turn'
import { charactersOf, storable } from '../storable.ts'
import type { PartKind } from '../tables.ts'

/** One part. The body of a text or of reasoning grows; every other part is complete when it is added. */
export interface MergedPart {
  readonly ordinal: number
  readonly kind: PartKind
  body: string
  /** How many characters (code points) the body has. */
  characters: number
  readonly detail?: Record<string, unknown>
}

/** A place in the parts of an answer: everything before `characters` of the part `ordinal`, and all parts before it, is known. */
export interface Position {
  ordinal: number
  characters: number
  /** The characters in UTF-16 units, where they are known. */
  units?: number
}

/** A stretch of a part that follows a position. */
export interface Piece {
  ordinal: number
  kind: PartKind
  /** Where the stretch begins in the body, in characters. */
  from: number
  text: string
  /** How many characters the stretch has. */
  characters: number
  /** Where it ends in the body, in UTF-16 units, if the whole body is known. */
  endUnits?: number
  detail?: Record<string, unknown>
}

export const beginning: Position = { ordinal: 0, characters: 0 }

export const afterPiece = ({ ordinal, kind, from, characters, endUnits }: Piece): Position =>
  grows(kind)
    ? { ordinal, characters: from + characters, ...(endUnits !== undefined && { units: endUnits }) }
    : { ordinal: ordinal + 1, characters: 0 }

export const grows = (kind: string): boolean => kind === 'text' || kind === 'reasoning'

/** The most sources that an answer names, and the most characters of what is kept of one. */
const maxSources = 50
const maxUrl = 2_000
const maxTitle = 300

export class MergedParts {
  readonly #parts: MergedPart[] = []
  readonly #sources = new Map<string, string>()
  /** Half of a character whose other half has not come. */
  #half = ''
  #isOpen = false

  get parts(): readonly MergedPart[] {
    return this.#parts
  }

  get end(): Position {
    const last = this.#parts.at(-1)
    if (!last) return beginning
    return grows(last.kind)
      ? { ordinal: last.ordinal, characters: last.characters }
      : { ordinal: last.ordinal + 1, characters: 0 }
  }

  /** Adds a delta; returns whether it has changed what is shown. */
  add(part: AnswerPart): boolean {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return this.#append('text', part.text)
      case 'reasoning':
        return this.#append('reasoning', part.text)
      case 'reasoning-end':
        this.#close()
        return false
      case 'citation':
        this.#note(part.citation)
        return false
      case 'hosted-call':
        return this.#push('tool_call', { id: part.id, tool: part.tool, input: shortened(part.input) })
      case 'hosted-result':
        return this.#push('tool_result', { id: part.id, tool: part.tool, ...resultOf(part.result) })
      case 'finish':
        return part.reason === 'length' || part.reason === 'content_filter'
          ? this.#push('notice', { reason: part.reason })
          : false
      default:
        return false
    }
  }

  /** Adds what is known only at the end: the sources that the text cites. */
  finish(): void {
    for (const [url, title] of this.#sources) this.#push('source', { url, title })
    this.#sources.clear()
    this.#close()
  }

  /** What follows the position. */
  after({ ordinal, characters, units }: Position): Piece[] {
    return this.#parts.slice(ordinal).flatMap((part): Piece[] => {
      const from = part.ordinal === ordinal ? characters : 0
      if (grows(part.kind) && part.characters <= from) return []
      const start = from === 0 ? 0 : (units ?? unitsOf(part.body, from))
      return [
        {
          ordinal: part.ordinal,
          kind: part.kind,
          from,
          text: part.body.slice(start),
          characters: part.characters - from,
          endUnits: part.body.length,
          ...(part.detail && { detail: part.detail }),
        },
      ]
    })
  }

  #append(kind: 'text' | 'reasoning', delta: string): boolean {
    let text = this.#isOpen && this.#parts.at(-1)?.kind === kind ? this.#half + delta : delta
    this.#half = ''
    if (/[\uD800-\uDBFF]$/.test(text)) {
      this.#half = text.at(-1)!
      text = text.slice(0, -1)
    }
    if (text === '' && !this.#half) return false
    const body = storable(text)
    const last = this.#parts.at(-1)
    if (this.#isOpen && last?.kind === kind) {
      last.body += body
      last.characters += charactersOf(body)
    } else {
      this.#parts.push({ ordinal: this.#parts.length, kind, body, characters: charactersOf(body) })
      this.#isOpen = true
    }
    return body !== ''
  }

  #push(kind: PartKind, detail: Record<string, unknown>): true {
    this.#close()
    this.#parts.push({ ordinal: this.#parts.length, kind, body: '', characters: 0, detail: cleaned(detail) })
    return true
  }

  #close(): void {
    this.#isOpen = false
    this.#half = ''
  }

  #note({ url, title }: Citation): void {
    if (url.length <= maxUrl && (this.#sources.has(url) || this.#sources.size < maxSources))
      this.#sources.set(url, title.slice(0, maxTitle))
  }
}

/** What is kept of the result of a tool: where it came from, and never what a page says. */
const resultOf = ({ results, error }: ToolResult): Record<string, unknown> => ({
  ...(error && { error }),
  sources: results
    .filter(({ url }) => url.length <= maxUrl)
    .slice(0, maxSources)
    .map(({ url, title }) => ({ url, title: title.slice(0, maxTitle) })),
})

/** The texts of a tool's input, such as the words of a search. */
const shortened = (input: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typeof input === 'object' && input !== null ? input : {})
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .slice(0, 8)
      .map(([name, text]) => [name.slice(0, 60), text.slice(0, maxUrl)]),
  )

/** The value without what the database takes in no text. */
const cleaned = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_name, one: unknown) => (typeof one === 'string' ? storable(one) : one))

/** How many UTF-16 units the first characters of the text have. */
function unitsOf(text: string, characters: number): number {
  let at = 0
  for (let left = characters; left > 0 && at < text.length; left--)
    at += (text.charCodeAt(at) & 0xfc00) === 0xd800 ? 2 : 1
  return at
}
