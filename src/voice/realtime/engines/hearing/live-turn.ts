/** One turn that is written down while it is spoken: a connection and a step of its own. */

import { UpstreamError } from '#core/spec'
import { maxStreamSeconds, type SpeechStream, type StreamPlan } from '#voice/live-speech'
import type { CallView, OpenStep } from '../../parts.ts'

export interface LiveTurnOptions {
  turn: number
  plan: StreamPlan
  model: string
  call: Pick<CallView, 'money' | 'signal'>
  /** All that is understood of the turn so far. */
  partial: (text: string) => void
  /** It cannot be heard to its end: recordings take its place. Once. */
  broke: (error: unknown) => void
}

const bytesPerSecond = 32_000
const mostBytes = maxStreamSeconds * bytesPerSecond

export class LiveTurn {
  readonly turn: number
  readonly #options: LiveTurnOptions
  /** Sound that waits for the connection. */
  #waiting: Uint8Array[] = []
  #bytes = 0
  #stream: SpeechStream | undefined
  readonly #opening: Promise<void>
  /** One commit after the other. */
  #commits: Promise<unknown>
  readonly #pauses = new Map<number, Promise<string>>()
  #segments: string[] = []
  #isBroken = false
  #isAsked = false
  #isPausing = false
  #closing: Promise<void> | undefined
  #step: OpenStep | undefined

  constructor(options: LiveTurnOptions) {
    this.#options = options
    this.turn = options.turn
    this.#opening = this.#open()
    this.#opening.catch((error: unknown) => this.#break(error))
    this.#commits = this.#opening.catch(() => undefined)
  }

  get isBroken(): boolean {
    return this.#isBroken
  }

  /** 16 kHz, mono, 16 bits, little-endian. */
  write(pcm: Uint8Array): void {
    if (this.#isBroken || this.#closing) return
    this.#bytes += pcm.length
    if (this.#bytes > mostBytes) this.#break(new UpstreamError('malformed', { detail: 'a turn without end' }))
    else if (this.#stream) this.#stream.write(pcm)
    else this.#waiting.push(pcm)
  }

  /** Nothing is said for a moment: the words of all until now. Rejects where it is broken. */
  pause(number: number): Promise<string> {
    this.#isPausing = true
    const words = this.#commit()
    this.#pauses.set(number, words)
    return words
  }

  /** Somebody speaks on. */
  resume(): void {
    this.#isPausing = false
  }

  /** The words of the turn: those of the pause, if nothing was said behind it. Rejects where it is broken. */
  whole(pause: number | undefined): Promise<string> {
    return (pause === undefined ? undefined : this.#pauses.get(pause)) ?? this.#commit()
  }

  /** What was asked for is waited for. Resolves when its step is done; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #open(): Promise<void> {
    const { call, plan, model } = this.#options
    const step = await call.money.step({ kind: 'transcription', model, worst: plan.worst })
    this.#step = step
    const stream = await plan.open({
      signal: call.signal,
      partial: (text) => this.#partial(text),
      failed: (error) => this.#break(error),
    })
    this.#stream = stream
    for (const pcm of this.#waiting) stream.write(pcm)
    this.#waiting = []
  }

  /** What is understood of silence is nothing, whatever an upstream makes of it. */
  #partial(text: string): void {
    if (!this.#isPausing) this.#options.partial([...this.#segments, text].join(' '))
  }

  #commit(): Promise<string> {
    this.#isAsked = true
    const words = this.#commits.then(async () => {
      if (this.#isBroken || !this.#stream) throw new UpstreamError('aborted')
      const text = await this.#stream.commit()
      if (text !== '') this.#segments.push(text)
      return this.#segments.join(' ')
    })
    // The link has said so before.
    this.#commits = words.catch(() => undefined)
    return words
  }

  #break(error: unknown): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#waiting = []
    if (!this.#options.call.signal.aborted) this.#options.broke(error)
    void this.close()
  }

  async #close(): Promise<void> {
    await this.#opening.catch(() => undefined)
    if (!this.#isBroken) await this.#commits
    const used = await this.#stream?.close()
    const { signal } = this.#options.call
    // What an upstream did not do costs nothing; what the caller ended does.
    const isCharged = used !== undefined && (!this.#isBroken || signal.aborted)
    const quantities = isCharged ? { seconds: Math.ceil(used.seconds) } : {}
    this.#step?.done(
      isCharged ? used.microcredits : 0n,
      { quantities },
      { discarded: isCharged && !this.#isAsked },
    )
  }
}
