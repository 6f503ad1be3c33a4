import type { Span } from './trace.ts'

export type Fields = Record<string, string | number | boolean | undefined>

/** A settlement that takes longer is not waited for by the log line. */
const maxSettleWaitMs = 2_000

/**
 * What one request leaves behind in log and trace. The log line comes once answer and settlement are both over; work in the background
 * has spans alone.
 */
export class TraceContext {
  readonly span: Span | undefined
  readonly #fields: Fields = {}
  #open = false
  #write: (() => void) | undefined
  #late: NodeJS.Timeout | undefined

  constructor(span: Span | undefined) {
    this.span = span
  }

  /** Adds to the log line: ids, names and figures, never prompt, answer or secret. */
  note(fields: Fields): void {
    Object.assign(this.#fields, fields)
  }

  /** Something paid has begun: the log line waits for its `settled`. */
  begin(): void {
    this.#open = true
  }

  settled(fields: Fields): void {
    this.note(fields)
    this.#open = false
    this.#write?.()
  }

  /** The answer is over, or its caller is gone. `write` is called once, with everything that was noted. */
  close(write: (fields: Readonly<Fields>) => void): void {
    if (!this.#open) {
      write(this.#fields)
      return
    }
    this.#write = () => {
      this.#write = undefined
      clearTimeout(this.#late)
      write(this.#fields)
    }
    this.#late = setTimeout(() => {
      this.note({ pending: true })
      this.#write?.()
    }, maxSettleWaitMs)
    this.#late.unref()
  }
}
