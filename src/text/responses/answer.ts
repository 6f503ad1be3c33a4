/** Parts of an upstream of another wire → one response, as JSON or as events: both have the same items. */
import type { AnswerPart, Bill } from '#core/turn'
import type { Emit, ResponseJson } from './item.ts'
import { ResponseOutput } from './output.ts'
import { incompleteReason, type ResponseOutcome, type ResponseSpec, responseOf, usageOf } from './response.ts'

/** Writes a response: from neutral parts, or from the response of an upstream of this wire. */
export interface ResponseWriter {
  add(part: AnswerPart): void
  /** Emits the last event; returns the complete response. */
  end(bill: Bill): ResponseJson
  failed(error: { code: string; message: string }): void
}

export class StreamedResponse implements ResponseWriter {
  readonly #spec: ResponseSpec
  readonly #emit: Emit
  readonly #output: ResponseOutput
  #opened = false

  constructor(spec: ResponseSpec, emit: Emit) {
    this.#spec = spec
    this.#emit = emit
    this.#output = new ResponseOutput(spec, emit)
  }

  add(part: AnswerPart): void {
    this.#open()
    this.#output.add(part)
  }

  end(bill: Bill): ResponseJson {
    this.#open()
    const reason = incompleteReason(this.#output.finish, this.#output.refused)
    const status = reason === undefined ? 'completed' : 'incomplete'
    this.#output.close(status)
    const response = this.#response({
      status,
      ...(reason !== undefined && { reason }),
      output: this.#output.items,
      usage: usageOf(bill),
      reasoning: this.#reasoning,
    })
    this.#emit(`response.${status}`, { response })
    return response
  }

  failed(error: { code: string; message: string }): void {
    this.#open()
    const output = this.#output.broken()
    const response = this.#response({ status: 'failed', error, output, reasoning: this.#reasoning })
    this.#emit('response.failed', { response })
  }

  get #reasoning() {
    return { text: this.#output.reasoningText, format: 'text' as const }
  }

  #open(): void {
    if (this.#opened) return
    this.#opened = true
    const response = this.#response({ status: 'in_progress' })
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
  }

  #response(outcome: ResponseOutcome): ResponseJson {
    return responseOf(this.#spec, outcome)
  }
}
