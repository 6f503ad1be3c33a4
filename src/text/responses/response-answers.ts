import type { EventAnswer, JsonAnswer, SentEvent } from '#core/text'
import type { AnswerPart, Bill } from '#core/turn'
import type { ErrorBody } from '#platform/errors'
import { type ResponseWriter, StreamedResponse } from './answer.ts'
import type { Emit, ResponseJson } from './item.ts'
import { PassThroughAnswer } from './pass-through.ts'
import type { ResponseSpec } from './response.ts'

/** Chooses the writer by the first part: an answer comes from one upstream, and its first part shows the upstream's wire. */
function writerOf(first: AnswerPart | undefined, spec: ResponseSpec, emit: Emit): ResponseWriter {
  const { wire, event, body } = first?.extra ?? {}
  return wire === 'responses' && (event || body)
    ? new PassThroughAnswer(spec, emit)
    : new StreamedResponse(spec, emit)
}

export class JsonResponse implements JsonAnswer {
  readonly #spec: ResponseSpec
  #writer: ResponseWriter | undefined

  constructor(spec: ResponseSpec) {
    this.#spec = spec
  }

  add(part: AnswerPart): void {
    this.#writer ??= writerOf(part, this.#spec, () => {})
    this.#writer.add(part)
  }

  body(bill: Bill): ResponseJson {
    return (this.#writer ?? writerOf(undefined, this.#spec, () => {})).end(bill)
  }
}

/** Numbers the events without gaps; the last is `[DONE]`. */
export class ResponseEvents implements EventAnswer {
  readonly #spec: ResponseSpec
  #writer: ResponseWriter | undefined
  #sequence = 0
  #batch: SentEvent[] = []

  constructor(spec: ResponseSpec) {
    this.#spec = spec
  }

  eventsFor(part: AnswerPart): readonly SentEvent[] {
    return this.#collect((writer) => writer.add(part), part)
  }

  end(bill: Bill): readonly SentEvent[] {
    return [...this.#collect((writer) => writer.end(bill)), '[DONE]']
  }

  failed({ code, message }: ErrorBody['error']): readonly SentEvent[] {
    return [...this.#collect((writer) => writer.failed({ code, message })), '[DONE]']
  }

  #collect(write: (writer: ResponseWriter) => void, part?: AnswerPart): readonly SentEvent[] {
    this.#batch = []
    this.#writer ??= writerOf(part, this.#spec, this.#emit)
    write(this.#writer)
    return this.#batch
  }

  readonly #emit: Emit = (type, fields, text) => {
    const number = this.#sequence++
    // An event that is unchanged, including its number, is sent with the upstream's exact bytes.
    const isOurs = text !== undefined && fields['sequence_number'] === number
    const data = isOurs ? text : JSON.stringify({ type, ...fields, sequence_number: number })
    this.#batch.push({ event: type, data })
  }
}
