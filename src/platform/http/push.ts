/** Answers that are pushed: their source calls methods of the response, and nothing waits for promises. */

/** An answer of JSON or events; which one may be decided when the first byte is known. */
export interface PushedAnswer {
  /** Begins the answer with its response; nothing is written yet. */
  start(out: PushOut): void
  /** Called after `flush` returned false, when the client has read what was written. */
  drained(): void
  /** Called when the client goes away before the end, or before `start` if it already has. Everything written afterwards is discarded. */
  onClientGone(): void
}

/**
 * The response of a pushed answer. Exactly one of `end`, `json`, `fail` and `cut` ends it, even after `onClientGone`: until then the memory of the request's
 * body stays reserved. Later calls have no effect.
 */
export interface PushOut {
  readonly isOpen: boolean
  /** Opens a stream: 200 with the headers set on the context so far. They are sent with the first flush, in one write. */
  open(): void
  /**
   * Adds one whole event: an `event:` line if it has a name, an `id:` line if the stream can be resumed after it, and a `data:` line. Nothing is sent
   * before `flush`.
   */
  event(data: string, name?: string, id?: string): void
  /** Sends the added events in one write. Returns false while the client reads slower than events are written; `drained` is called afterwards. */
  flush(): boolean
  /** Flushes and ends the stream. */
  end(): void
  /** Answers 200 with this JSON instead of a stream. */
  json(text: string): void
  /**
   * Before `open` it sends an error answer, as for an error that a handler throws; after it the error is a defect: it is logged and the connection is
   * cut.
   */
  fail(error: unknown): void
  /** Destroys the connection, so that the client sees no regular end. */
  cut(): void
}

/** What a handler returns for a pushed answer. */
export class PushReply {
  readonly answer: PushedAnswer
  readonly heartbeat: string
  constructor(answer: PushedAnswer, heartbeat: string) {
    this.answer = answer
    this.heartbeat = heartbeat
  }
}

/** Makes a pushed answer. `heartbeat` is the whole event that an open stream sends after a time of silence. */
export const pushReply = (answer: PushedAnswer, heartbeat = ': keepalive\n\n'): PushReply =>
  new PushReply(answer, heartbeat)
