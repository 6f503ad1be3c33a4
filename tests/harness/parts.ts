/** Pushed answers, read by tests as they would read an iterable; and an iterable, pushed as a provider does. */
import type { PaidTurn } from '#core/inference'
import { type PartSink, type TextCall, type TextProvider, type TextRun, UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'

/** What can be read: begins with a sink, is paused while its reader is behind, and is left by a reader that leaves. */
interface Pushing {
  start(sink: PartSink<unknown>): void
  pause(): void
  resume(): void
  leave(): void
}

/** The parts that a provider pushes. Throws the failure that the call ends with; leaving the loop or aborting `signal` stops the call. */
export function generated(
  provider: TextProvider,
  call: TextCall,
  signal?: AbortSignal,
): AsyncGenerator<AnswerPart> {
  let run: TextRun | undefined
  return read(
    {
      start: (sink) => {
        if (signal?.aborted) sink.failed(new UpstreamError('aborted', { executed: false }))
        else run = provider.generate(call, sink)
      },
      pause: () => run?.pause(),
      resume: () => run?.resume(),
      leave: () => run?.stop(),
    },
    signal,
  )
}

/** The parts of a paid turn; aborting `gone` is its caller leaving. */
export const partsOf = (paid: PaidTurn, gone?: AbortSignal): AsyncGenerator<AnswerPart> => read(paid, gone)

async function* read(pushing: Pushing, signal?: AbortSignal): AsyncGenerator<AnswerPart> {
  const queue: AnswerPart[] = []
  let end: { error: unknown } | 'done' | undefined
  let wake = (): void => {}
  const finish = (how: typeof end): void => {
    end = how
    wake()
  }
  const leave = (): void => pushing.leave()
  if (signal?.aborted) leave()
  signal?.addEventListener('abort', leave)
  try {
    pushing.start({
      part(part) {
        queue.push(part)
        pushing.pause()
        wake()
      },
      flush() {},
      done: () => finish('done'),
      failed: (error) => finish({ error }),
    })
    for (;;) {
      const part = queue.shift()
      if (part) yield part
      else if (end === 'done') return
      else if (end) throw end.error
      else {
        const more = new Promise<void>((resolve) => {
          wake = resolve
        })
        // It may push at once.
        pushing.resume()
        await more
      }
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    if (!end) leave()
  }
}

/** Pushes what an iterable yields; `generate` gets the signal that the call was stopped. */
export function pushing(
  generate: (signal: AbortSignal) => AsyncIterable<AnswerPart>,
  sink: PartSink,
): TextRun {
  const stop = new AbortController()
  let over = false
  const end = (work: () => void): void => {
    if (over) return
    over = true
    work()
  }
  const run = async (): Promise<void> => {
    for await (const part of generate(stop.signal)) {
      if (over) return
      sink.part(part)
      sink.flush()
    }
  }
  Promise.resolve()
    .then(run)
    .then(
      () => end(() => sink.done()),
      (error: UpstreamError) => end(() => sink.failed(error)),
    )
  return {
    pause() {},
    resume() {},
    stop() {
      stop.abort()
      end(() => sink.failed(new UpstreamError('aborted')))
    },
  }
}
