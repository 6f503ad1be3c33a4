/** An upstream that stops in the middle of an answer, at the very place that is wanted, and knows what it would put on its bill. */
import { chunk, done, type FakeUpstream, type Step, stream, type UpstreamCall } from '../harness/upstream.ts'

/** As this upstream counts the prompt; no estimate of ours comes to the same. */
export const promptTokens = 11
/** One token each. */
export const words = ['one', ' two', ' three', ' four', ' five']

const usage = {
  prompt_tokens: promptTokens,
  completion_tokens: words.length,
  total_tokens: promptTokens + words.length,
}

export interface Piece {
  name: string
  step: Step
  /** What a caller of a stream sees of it; absent where that is nothing. */
  seen?: string
  /** Tokens that stand on the bill once it is written. */
  tokens: number
}

const markOf = (name: string) => ({ name, seen: name, tokens: 0 })

/** Finish and usage carry a field of their own, which is passed on, so that a caller sees them go by. */
export const streamed: readonly Piece[] = [
  { name: 'its role', step: chunk({ role: 'assistant', content: '' }), tokens: 0 },
  ...words.map((word) => ({
    name: `"${word.trim()}"`,
    step: chunk({ content: word }),
    seen: word,
    tokens: 1,
  })),
  { ...markOf('the finish'), step: chunk({}, 'stop', { mark: 'the finish' }) },
  { ...markOf('the usage'), step: chunk({}, null, { choices: [], mark: 'the usage', usage }) },
]

/** An answer that is not streamed, on its way in three pieces: it was written to its end before the first. */
export const whole: readonly Piece[] = [0, 1, 2].map((third) => ({
  name: `part ${third + 1} of 3`,
  step: wholeText().slice((third * wholeText().length) / 3, ((third + 1) * wholeText().length) / 3),
  tokens: third === 0 ? words.length : 0,
}))

function wholeText(): string {
  const message = { role: 'assistant', content: words.join('') }
  return JSON.stringify({ id: 'up', choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
}

export class Stopping {
  readonly call: Promise<UpstreamCall>
  /** Resolves when everything before the stop is written. */
  readonly stopped: Promise<void>
  /** Tokens of the answer on the bill so far. */
  written = 0
  readonly #going = Promise.withResolvers<void>()

  /** The next call gets this many pieces (0: the headers; -1: nothing), and the others once it may go on. */
  constructor(upstream: FakeUpstream, pieces: readonly Piece[], stopAfter: number) {
    const { promise: call, resolve: begin } = Promise.withResolvers<UpstreamCall>()
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    this.call = call
    this.stopped = stopped
    const waits = (): Promise<void> => {
      stop()
      return this.#going.promise
    }
    const steps = pieces.flatMap(({ step, tokens }): Step[] => [step, () => (this.written += tokens)])
    if (stopAfter >= 0) steps.splice(stopAfter * 2, 0, waits)
    const headers = pieces === whole ? { 'content-type': 'application/json' } : {}
    upstream.reply(async (asked) => {
      begin(asked)
      if (stopAfter < 0) await waits()
      return stream(pieces === whole ? steps : [...steps, done], headers)
    })
  }

  goOn(): void {
    this.#going.resolve()
  }
}
