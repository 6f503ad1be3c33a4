/** An upstream that knows the truth: what it was asked, by whom, and what it did for it. */

import {
  type ImageCall,
  type ImageProvider,
  type ImageResult,
  type TextCall,
  type TextProvider,
  UpstreamError,
  type UpstreamFault,
} from '#core/spec'
import type { AnswerPart, Usage } from '#core/turn'
import { pushing } from '../harness/parts.ts'
import { never, type Sender } from './link.ts'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'

export interface UpstreamCall {
  requestId: string
  /** Of an order of several pictures, the one that it was asked for. */
  part: number
  process: string
  /** What it would bill: nothing for a call that it refused or never heard. */
  billed: Usage
  /** What its usage report said, once that went out. */
  reported: Usage | undefined
  /** Tokens of output that it was allowed: what it reports beyond them is not believed. */
  limit: number
  /** It said at its door that it would do nothing, or was never reached. */
  refused: boolean
  /** The platform cut the connection, and cannot know what it did. */
  aborted: boolean
}

/** Faults after which nothing was done, and those in the middle of work. */
export const refusals: readonly (readonly [
  UpstreamFault,
  { status?: number; executed?: boolean; retryAfterMs?: number },
])[] = [
  ['connect', { executed: false }],
  ['reset', {}],
  ['unavailable', { status: 500 }],
  ['unavailable', { status: 503, executed: false }],
  ['overloaded', { status: 529, executed: false }],
  ['rate_limited', { status: 429, executed: false, retryAfterMs: 300 }],
  ['rate_limited', { status: 429, executed: false, retryAfterMs: 20_000 }],
  ['content_refused', { status: 400, executed: false }],
]
const breakdowns: readonly UpstreamFault[] = ['timeout', 'cut', 'malformed']

const word = 'word '
/** How far the numbers of attempts of two pictures of one order are apart. */
const attemptsOfPart = 100

/** A call, and the signal that the platform has cut its connection. */
interface StoppableCall extends TextCall {
  signal: AbortSignal
}

export class SimulatedUpstream {
  readonly calls: UpstreamCall[] = []
  /** Told of each call in the moment in which it leaves the process. */
  onCall: (call: UpstreamCall) => void = () => {}
  faultShare = 0
  readonly #timeline: Timeline
  readonly #random: Random

  constructor(timeline: Timeline, random: Random) {
    this.#timeline = timeline
    this.#random = random
  }

  /** The upstream as that process sees it. */
  providerFor(sender: Sender & { name: string }): TextProvider {
    return {
      wires: ['chat'],
      generate: (call, sink) => pushing((signal) => this.#generate(sender, { ...call, signal }), sink),
      ping: async () => {},
    }
  }

  /** The same for pictures, one a call. */
  painterFor(sender: Sender & { name: string }): ImageProvider {
    return { draw: (call) => this.#draw(sender, call) }
  }

  async #draw(sender: Sender & { name: string }, ask: ImageCall): Promise<ImageResult> {
    const { call, refusal, breakdown } = await this.#take(sender, ask, 0)
    const wait = (ms: number): Promise<void> =>
      this.#wait(ms, sender, ask.signal).catch((error: unknown) => {
        call.aborted = true
        throw error
      })
    await wait(100 + this.#random.next() * 3_000)
    if (refusal) throw new UpstreamError(...refusal)
    call.billed = usageOf(1, 1)
    if (breakdown === 'timeout') await wait(ask.timeouts.firstByteMs)
    if (breakdown) throw new UpstreamError(breakdown)
    return { images: [Buffer.from(`a picture for ${ask.attemptId}`)] }
  }

  async *#generate(sender: Sender & { name: string }, ask: StoppableCall): AsyncGenerator<AnswerPart> {
    const { call, refusal, breakdown } = await this.#take(sender, ask, ask.turn.maxOutputTokens)
    await this.#wait(20 + this.#random.next() * 400, sender, ask.signal)
    if (refusal) throw new UpstreamError(...refusal)
    yield* this.#answer(sender, ask, call, breakdown)
  }

  /** A call arrives, and how it will go is decided. */
  async #take(
    sender: Sender & { name: string },
    { signal, attemptId }: Pick<ImageCall, 'signal' | 'attemptId'>,
    limit: number,
  ) {
    if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
    if (!sender.survives('before the upstream call')) await never()
    const fails = this.#random.chance(this.faultShare)
    const refusal = fails && this.#random.chance(0.6) ? this.#random.pick(refusals) : undefined
    const breakdown = fails && !refusal ? this.#random.pick(breakdowns) : undefined
    const call: UpstreamCall = {
      requestId: attemptId.slice(0, 36),
      part: Math.floor(Number(attemptId.slice(37)) / attemptsOfPart),
      process: sender.name,
      billed: usageOf(0, 0),
      reported: undefined,
      limit,
      refused: refusal?.[1].executed === false,
      aborted: false,
    }
    this.calls.push(call)
    this.onCall(call)
    if (!sender.survives('after the upstream call was sent')) await never()
    return { call, refusal, breakdown }
  }

  async *#answer(
    sender: Sender,
    ask: StoppableCall,
    call: UpstreamCall,
    breakdown: UpstreamFault | undefined,
  ): AsyncGenerator<AnswerPart> {
    const random = this.#random
    const pieces = random.between(1, 5)
    const breaksAt = breakdown ? random.between(0, pieces - 1) : -1
    call.billed = usageOf(random.between(5, 60), 0)
    yield { type: 'start', upstreamId: `up-${this.calls.length}` }
    for (let piece = 0; piece < pieces; piece++) {
      if (piece === breaksAt) await this.#breakDown(breakdown!, sender, ask)
      const tokens = Math.min(
        random.between(1, 12),
        Math.max(0, ask.turn.maxOutputTokens - call.billed.output),
      )
      call.billed = usageOf(call.billed.input, call.billed.output + tokens)
      await this.#wait(random.next() * 600, sender, ask.signal)
      yield { type: 'text', text: word.repeat(tokens) }
    }
    // Some count more than the limit they were given allows.
    if (random.chance(0.08)) call.billed = usageOf(call.billed.input, ask.turn.maxOutputTokens * 3)
    yield { type: 'finish', reason: 'stop' }
    call.reported = call.billed
    yield { type: 'usage', usage: call.reported }
  }

  async #breakDown(fault: UpstreamFault, sender: Sender, ask: StoppableCall): Promise<never> {
    if (fault === 'timeout') await this.#wait(ask.timeouts.firstTokenMs, sender, ask.signal)
    throw new UpstreamError(fault)
  }

  /** Ends early, with the fault of an aborted call, when the platform cuts the connection. */
  #wait(delayMs: number, sender: Sender, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        callOff()
        reject(new UpstreamError('aborted'))
      }
      const callOff = this.#timeline.after(delayMs, sender, () => {
        signal.removeEventListener('abort', leave)
        resolve()
      })
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })
  }
}

const usageOf = (input: number, output: number): Usage => ({
  input,
  cachedInput: 0,
  cacheWriteInput: 0,
  mediaInput: 0,
  output,
  reasoning: 0,
})
