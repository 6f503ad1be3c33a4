/** One turn that is transcribed while it is spoken, with a connection and a step of its own. */

import { noCost } from '#core/models'
import { UpstreamError } from '#core/spec'
import { maxStreamSeconds, type SpeechStream, type StreamPlan } from '#voice/live-speech'
import type { CallView, OpenStep } from '../../parts.ts'

export interface LiveTurnOptions {
  turn: number
  plan: StreamPlan
  model: string
  call: Pick<CallView, 'money' | 'signal'>
  /** Receives all text understood of the turn so far. */
  partial: (text: string) => void
  /** Called once, if the turn cannot be transcribed to its end: recordings take its place. */
  broke: (error: unknown) => void
}

const bytesPerSecond = 32_000
const maxTurnBytes = maxStreamSeconds * bytesPerSecond

export class LiveTurn {
  readonly turn: number
  readonly #options: LiveTurnOptions
  /** The sound that waits for the connection. */
  #waiting: Uint8Array[] = []
  #bytes = 0
  #stream: SpeechStream | undefined
  readonly #opening: Promise<void>
  /** Resolves after the last commit: commits run one after the other. */
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

  /** Takes sound of 16 kHz, mono, 16 bits, little-endian. */
  write(pcm: Uint8Array): void {
    if (this.#isBroken || this.#closing) return
    this.#bytes += pcm.length
    if (this.#bytes > maxTurnBytes)
      this.#break(new UpstreamError('malformed', { detail: 'a turn without end' }))
    else if (this.#stream) this.#stream.write(pcm)
    else this.#waiting.push(pcm)
  }

  /** Call at a pause: returns the words of the turn until now. Rejects where the connection is broken. */
  pause(number: number): Promise<string> {
    this.#isPausing = true
    const words = this.#commit()
    this.#pauses.set(number, words)
    return words
  }

  /** Call when the caller speaks on. */
  resume(): void {
    this.#isPausing = false
  }

  /** The words of the turn: those of the pause, if no speech came after it. Rejects where the connection is broken. */
  wholeTranscript(pause: number | undefined): Promise<string> {
    return (pause === undefined ? undefined : this.#pauses.get(pause)) ?? this.#commit()
  }

  /** Closes the connection, after open commits have been answered. Resolves when the step is done; never rejects. */
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

  /** Passes partial text on. During a pause it is dropped, whatever an upstream makes of silence. */
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
    // The link has already reported the error.
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
    // If the upstream failed, the turn costs nothing; if the caller ended it, it is charged.
    const isCharged = used !== undefined && (!this.#isBroken || signal.aborted)
    const quantities = isCharged ? { seconds: Math.ceil(used.seconds) } : {}
    this.#step?.done(
      isCharged ? used.cost : noCost,
      { quantities },
      { discarded: isCharged && !this.#isAsked },
    )
  }
}
