/** Server-sent events written by a function that awaits, for streams of few events. Other streams push their events (push.ts). */
import { type PushedAnswer, type PushOut, type PushReply, pushReply } from './push.ts'

/** Writes complete server-sent events; returns a promise only if the client reads slower than events are written. */
export interface EventWriter {
  /** Sends one event in one write, so that it is never split. */
  send(data: string, event?: string, id?: string): Promise<void> | undefined
  readonly gone: AbortSignal
}

export type EventStream = PushReply

/**
 * An answer as server-sent events. `run` must end its dialect's stream itself, errors included. `heartbeat` is the whole event that is sent when the
 * stream is silent.
 */
export const eventStream = (run: (out: EventWriter) => Promise<void>, heartbeat?: string): EventStream =>
  pushReply(new AwaitedEvents(run), heartbeat)

class AwaitedEvents implements PushedAnswer, EventWriter {
  readonly #run: (out: EventWriter) => Promise<void>
  readonly #gone = new AbortController()
  #out: PushOut | undefined
  #resume: (() => void) | undefined

  constructor(run: (out: EventWriter) => Promise<void>) {
    this.#run = run
  }

  get gone(): AbortSignal {
    return this.#gone.signal
  }

  start(out: PushOut): void {
    this.#out = out
    const hadLeft = this.#gone.signal.aborted
    out.open()
    // A HEAD request ends with its headers.
    const isHead = !hadLeft && this.#gone.signal.aborted
    const events = isHead ? Promise.resolve() : this.#run(this)
    events.then(
      () => out.end(),
      (error) => out.fail(error),
    )
    // The headers of a stream that was opened only to keep the connection alive must be sent, too.
    setImmediate(() => out.flush())
  }

  send(data: string, event?: string, id?: string): Promise<void> | undefined {
    this.#out!.event(data, event, id)
    if (this.#out!.flush()) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  drained(): void {
    this.#resume?.()
  }

  onClientGone(): void {
    this.#gone.abort()
    this.#resume?.()
  }
}
