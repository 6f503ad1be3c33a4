/** Answers that are pushed: whatever produces them calls, and nothing waits on promises. */

/** JSON or events, decided when the first byte is known. */
export interface PushedAnswer {
  /** The response is handed over; nothing is written yet. */
  start(out: PushOut): void
  /** The client has read what was written, after `flush` returned false. */
  drained(): void
  /** The client went away before the end; called before `start` if it already had. What is written from now on is discarded. */
  left(): void
}

/**
 * The response of a pushed answer. Exactly one of `end`, `json`, `fail` and `cut` ends it, also after `left`: until then the memory of the
 * request's body stays reserved. Calls after that have no effect.
 */
export interface PushOut {
  readonly isOpen: boolean
  /** Opens a stream: 200 with the headers set on the context so far. They leave with the first flush, in one write. */
  open(): void
  /**
   * Adds one whole event: an `event:` line if it has a name, an `id:` line if the stream can be resumed after it, and a `data:` line.
   * Nothing leaves before `flush`.
   */
  event(data: string, name?: string, id?: string): void
  /** Sends the added events in one write. Returns false while the client reads slower than events come; then `drained` follows. */
  flush(): boolean
  /** Flushes and ends the stream. */
  end(): void
  /** Answers 200 with this JSON instead of a stream. */
  json(text: string): void
  /** Before `open` an error answer, as for an error that a handler throws; after it a defect: it is logged and the connection is cut. */
  fail(error: unknown): void
  /** Destroys the connection, so that the client sees no regular end. */
  cut(): void
}

/** What a handler returns for a pushed answer. */
export class Pushed {
  readonly answer: PushedAnswer
  readonly heartbeat: string
  constructor(answer: PushedAnswer, heartbeat: string) {
    this.answer = answer
    this.heartbeat = heartbeat
  }
}

/** An answer that is pushed. `heartbeat` is the whole event that an open stream sends after a time of silence. */
export const pushed = (answer: PushedAnswer, heartbeat = ': keepalive\n\n'): Pushed =>
  new Pushed(answer, heartbeat)
