import type { EventAnswer, JsonAnswer, SentEvent } from '#capabilities/text'
import type { Bill, Part } from '#engine/turn'
import type { ErrorBody } from '#platform/errors'
import { Answer, type Scribe } from './answer.ts'
import type { Emit, Json } from './item.ts'
import { OwnAnswer } from './own-wire.ts'
import type { Terms } from './response.ts'

/** One answer is of one upstream, whose wire its first part tells. */
function scribeOf(first: Part | undefined, terms: Terms, emit: Emit): Scribe {
  const { wire, event, body } = first?.extra ?? {}
  return wire === 'responses' && (event || body) ? new OwnAnswer(terms, emit) : new Answer(terms, emit)
}

export class WholeResponse implements JsonAnswer {
  readonly #terms: Terms
  #scribe: Scribe | undefined

  constructor(terms: Terms) {
    this.#terms = terms
  }

  add(part: Part): void {
    this.#scribe ??= scribeOf(part, this.#terms, () => {})
    this.#scribe.add(part)
  }

  body(bill: Bill): Json {
    return (this.#scribe ?? scribeOf(undefined, this.#terms, () => {})).end(bill)
  }
}

/** Numbers the events without gaps; the last is `[DONE]`. */
export class ResponseEvents implements EventAnswer {
  readonly #terms: Terms
  #scribe: Scribe | undefined
  #sequence = 0
  #batch: SentEvent[] = []

  constructor(terms: Terms) {
    this.#terms = terms
  }

  of(part: Part): readonly SentEvent[] {
    return this.#told((scribe) => scribe.add(part), part)
  }

  end(bill: Bill): readonly SentEvent[] {
    return [...this.#told((scribe) => scribe.end(bill)), '[DONE]']
  }

  failed({ code, message }: ErrorBody['error']): readonly SentEvent[] {
    return [...this.#told((scribe) => scribe.failed({ code, message })), '[DONE]']
  }

  #told(tell: (scribe: Scribe) => void, part?: Part): readonly SentEvent[] {
    this.#batch = []
    this.#scribe ??= scribeOf(part, this.#terms, this.#emit)
    tell(this.#scribe)
    return this.#batch
  }

  readonly #emit: Emit = (type, fields, text) => {
    const number = this.#sequence++
    // What is passed on unchanged, its number included, goes out to the letter.
    const isOurs = text !== undefined && fields['sequence_number'] === number
    const data = isOurs ? text : JSON.stringify({ type, ...fields, sequence_number: number })
    this.#batch.push({ event: type, data })
  }
}
