/** Parts of an upstream of another wire → one response, whole or as events: both are the same items. */
import type { Bill, Part } from '#engine/turn'
import type { Emit, Json } from './item.ts'
import { Output } from './output.ts'
import { type Outcome, responseOf, shortfall, type Terms, usageOf } from './response.ts'

/** How a response is written: from neutral parts, or from what an upstream of this wire wrote itself. */
export interface Scribe {
  add(part: Part): void
  /** Tells the end; answers the whole response. */
  end(bill: Bill): Json
  failed(error: { code: string; message: string }): void
}

export class Answer implements Scribe {
  readonly #terms: Terms
  readonly #emit: Emit
  readonly #output: Output
  #opened = false

  constructor(terms: Terms, emit: Emit) {
    this.#terms = terms
    this.#emit = emit
    this.#output = new Output(terms, emit)
  }

  add(part: Part): void {
    this.#open()
    this.#output.add(part)
  }

  end(bill: Bill): Json {
    this.#open()
    const reason = shortfall(this.#output.finish, this.#output.refused)
    const status = reason === undefined ? 'completed' : 'incomplete'
    this.#output.close(status)
    const response = this.#response({
      status,
      ...(reason !== undefined && { reason }),
      output: this.#output.items,
      usage: usageOf(bill),
      reasoning: this.#thoughts,
    })
    this.#emit(`response.${status}`, { response })
    return response
  }

  failed(error: { code: string; message: string }): void {
    this.#open()
    const output = this.#output.broken()
    const response = this.#response({ status: 'failed', error, output, reasoning: this.#thoughts })
    this.#emit('response.failed', { response })
  }

  get #thoughts() {
    return { text: this.#output.thoughts, format: 'text' as const }
  }

  #open(): void {
    if (this.#opened) return
    this.#opened = true
    const response = this.#response({ status: 'in_progress' })
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
  }

  #response(outcome: Outcome): Json {
    return responseOf(this.#terms, outcome)
  }
}
