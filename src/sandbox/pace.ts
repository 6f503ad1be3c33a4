import { setImmediate, setTimeout } from 'node:timers/promises'
import { type Timeouts, UpstreamError } from '#core/spec'

/** The clock by which the sandbox waits; tests pass one that does not wait. It must reject when the signal aborts. */
export interface SandboxClock {
  wait(ms: number, signal: AbortSignal): Promise<void>
}

/** Milliseconds before the first piece and before each later one. */
export interface AnswerPace {
  firstTokenMs?: number
  tokenMs?: number
}

export const realClock: SandboxClock = {
  wait: async (ms, signal) => {
    await setTimeout(ms, undefined, { signal })
  },
}

/** Pieces sent without pace before the event loop runs, so that aborts and other requests are served. */
const piecesPerTurn = 64

/** A run that may have to wait for its receiver. */
interface Pausable {
  readonly paused: Promise<void> | undefined
}

/** Sends an answer at its pace, within the timeouts of the call, until the caller disconnects. */
export class Pacer {
  #sent = 0
  #waitedMs = 0
  readonly #pace: Required<AnswerPace>
  readonly #timeouts: Timeouts
  readonly #signal: AbortSignal
  readonly #clock: SandboxClock
  readonly #run: Pausable

  constructor(
    pace: AnswerPace,
    timeouts: Timeouts,
    { signal, clock, run }: { signal: AbortSignal; clock: SandboxClock; run: Pausable },
  ) {
    this.#pace = { firstTokenMs: pace.firstTokenMs ?? 0, tokenMs: pace.tokenMs ?? 0 }
    this.#timeouts = timeouts
    this.#signal = signal
    this.#clock = clock
    this.#run = run
  }

  /** The number of pieces sent so far. */
  get sent(): number {
    return this.#sent
  }

  /**
   * Waits until the next piece is due; undefined when it is due now. Throws or rejects with `UpstreamError`: `aborted`, or `timeout` when
   * the pace is slower than allowed.
   */
  next(): Promise<void> | undefined {
    const ms = this.#sent === 0 ? this.#pace.firstTokenMs : this.#pace.tokenMs
    this.check()
    if (ms > 0 || this.#run.paused || (this.#sent + 1) % piecesPerTurn === 0) return this.#wait(ms)
    this.#sent += 1
    return undefined
  }

  async #wait(ms: number): Promise<void> {
    await this.#run.paused
    const allowedMs =
      this.#sent === 0
        ? Math.min(this.#timeouts.firstByteMs, this.#timeouts.firstTokenMs)
        : this.#timeouts.idleMs
    await this.wait(Math.min(ms, allowedMs))
    if (ms > allowedMs)
      throw new UpstreamError('timeout', { detail: 'The sandbox was paced slower than the timeout.' })
    this.#sent += 1
    if (ms === 0) await setImmediate()
    this.check()
  }

  /** Sends nothing until the idle timeout, then throws `timeout`. */
  async stall(): Promise<never> {
    await this.wait(this.#sent === 0 ? this.#timeouts.firstByteMs : this.#timeouts.idleMs)
    throw new UpstreamError('timeout', { detail: 'The sandbox fell silent as ordered.' })
  }

  check(): void {
    if (this.#signal.aborted) throw new UpstreamError('aborted')
  }

  async wait(ms: number): Promise<void> {
    this.check()
    const leftMs = this.#timeouts.totalMs - this.#waitedMs
    const waitMs = Math.min(ms, leftMs)
    if (waitMs > 0) {
      await this.#clock.wait(waitMs, this.#signal).catch((cause: unknown) => {
        throw this.#signal.aborted ? new UpstreamError('aborted', { cause }) : cause
      })
      this.#waitedMs += waitMs
    }
    this.check()
    if (ms > leftMs) throw new UpstreamError('timeout', { detail: 'The sandbox ran out of total time.' })
  }
}
