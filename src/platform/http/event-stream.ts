import type { ServerResponse } from 'node:http'

/** Writes complete server-sent events; returns a promise only if the client reads slower than events are written. */
export interface EventWriter {
  /**
   * Writes one event: an `event:` line if it has a name, an `id:` line if the stream can be resumed after it, and a `data:` line. One
   * write, so that an event is never split.
   */
  send(data: string, event?: string, id?: string): Promise<void> | undefined
  /** Ends the stream after what was sent. */
  readonly gone: AbortSignal
}

export class EventStream {
  readonly run: (out: EventWriter) => Promise<void>
  readonly heartbeat: string
  constructor(run: (out: EventWriter) => Promise<void>, heartbeat: string) {
    this.run = run
    this.heartbeat = heartbeat
  }
}

/** An answer as server-sent events. `run` must end its dialect's stream itself, errors included. `heartbeat` is the whole event of a silent moment. */
export const eventStream = (
  run: (out: EventWriter) => Promise<void>,
  heartbeat = ': keepalive\n\n',
): EventStream => new EventStream(run, heartbeat)

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** A client that takes nothing for this long is treated as gone. */
const stuckMs = 60_000

export async function pump(
  stream: EventStream,
  raw: ServerResponse,
  gone: AbortSignal,
  heartbeatMs: number,
): Promise<void> {
  let lastWriteMs = performance.now()
  // The headers of a stream that was opened only to keep the connection alive must be flushed.
  const opened = setImmediate(() => raw.flushHeaders())
  const heartbeat = setInterval(() => {
    if (performance.now() - lastWriteMs >= heartbeatMs * 0.99 && !raw.writableNeedDrain)
      write(stream.heartbeat)
  }, heartbeatMs / 4)

  function write(text: string): boolean {
    lastWriteMs = performance.now()
    return raw.destroyed ? true : raw.write(text)
  }

  try {
    await stream.run({
      gone,
      send(data, event, id) {
        const name = event === undefined ? '' : `event: ${event}\n`
        const idLine = id === undefined ? '' : `id: ${id}\n`
        return write(`${name}${idLine}data: ${data}\n\n`) ? undefined : drained(raw)
      },
    })
  } finally {
    clearInterval(heartbeat)
    clearImmediate(opened)
    raw.end()
  }
}

/** Resolves when the client has read what was written, or has disconnected. A client that reads nothing is disconnected. */
export function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(stuck)
      raw.off('drain', finish)
      raw.off('close', finish)
      resolve()
    }
    const stuck = setTimeout(() => raw.destroy(), stuckMs)
    raw.on('drain', finish)
    raw.on('close', finish)
    if (raw.destroyed) finish()
  })
}
