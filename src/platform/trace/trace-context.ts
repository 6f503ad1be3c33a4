import { type Deadline, deadlines } from '#platform/clock'
import type { Span } from './trace.ts'

export type Fields = Record<string, string | number | boolean | undefined>

/** How long the log line waits for the settlement. */
const maxSettleWaitMs = 2_000

/**
 * The span and the log fields of one request. The log line is written once answer and settlement are both over; background work has only
 * spans.
 */
export class TraceContext {
  readonly span: Span | undefined
  readonly #fields: Fields = {}
  #open = false
  #write: (() => void) | undefined
  #late: Deadline | undefined

  constructor(span: Span | undefined) {
    this.span = span
  }

  /** Adds fields to the log line: ids, names and figures, never prompt, answer or secret. */
  note(fields: Fields): void {
    Object.assign(this.#fields, fields)
  }

  /** Called when a paid call has begun: the log line then waits for `settled`. */
  begin(): void {
    this.#open = true
  }

  settled(fields: Fields): void {
    this.note(fields)
    this.#open = false
    this.#write?.()
  }

  /** Called when the answer has ended, or the caller disconnected. `write` is called once, with all noted fields. */
  close(write: (fields: Readonly<Fields>) => void): void {
    if (!this.#open) {
      write(this.#fields)
      return
    }
    this.#write = () => {
      this.#write = undefined
      this.#late?.cancel()
      write(this.#fields)
    }
    this.#late = deadlines.in(maxSettleWaitMs, () => {
      this.note({ pending: true })
      this.#write?.()
    })
  }
}
