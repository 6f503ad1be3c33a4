import type { Consumption, Meter } from '#platform/jail'
import type { RuntimeLimits } from './limits.ts'

/** A call that a process works on. */
export interface WatchedCall {
  /** The CPU time that counts for the call. */
  cpuMs: number
  readonly startedMs: number
  /** How long it waited for requests that it sent. */
  waitedMs(): number
  /** Ends the call because its time is over. Its process goes on, and what the call still does counts for nobody. */
  timeOut(seconds: number): void
}

export type KillReason = 'cpu' | 'memory' | 'threads'

/**
 * Judges what a process consumed since the last look. CPU time is shared by the calls that are under way, since nothing outside distinguishes them;
 * what is used while there are none is added up. Time used in one go, without an answer and without ever waiting, counts as that of one call, however
 * many are under way.
 */
export class Watch {
  readonly #meter: Meter | undefined
  readonly #limits: RuntimeLimits
  #last: Consumption | undefined
  #startMs: number
  #idleCpuMs = 0
  #inOneGoMs = 0

  constructor(meter: Meter | undefined, limits: RuntimeLimits, functions: number) {
    this.#meter = meter
    this.#limits = limits
    // Every function of the cloud is read at the start.
    this.#startMs = limits.startCpuMs + functions * 50
  }

  /** True once the process has used up the time of its start, or has answered. */
  get hasStarted(): boolean {
    return this.#startMs === 0
  }

  /** Records that a call was answered. */
  answered(): void {
    this.#startMs = 0
    this.#inOneGoMs = 0
  }

  /** Returns why the process has to be killed. */
  look(calls: ReadonlySet<WatchedCall>, nowMs: number): KillReason | undefined {
    for (const call of calls) this.#lookAtTime(call, nowMs)
    const now = this.#meter?.read()
    if (!now) return undefined
    const usedMs = this.#charged(now.cpuMs - (this.#last?.cpuMs ?? 0))
    this.#last = now
    if (now.residentBytes > this.#limits.residentBytes) return 'memory'
    if (now.threads > this.#limits.threads) return 'threads'
    this.#inOneGoMs = now.isWaiting ? 0 : this.#inOneGoMs + usedMs
    return this.#spend(usedMs, calls) || this.#inOneGoMs > this.#limits.cpuMs ? 'cpu' : undefined
  }

  /** The time that counts for calls: what the start itself takes counts for nobody. */
  #charged(usedMs: number): number {
    const ofStart = Math.min(usedMs, this.#startMs)
    this.#startMs -= ofStart
    return usedMs - ofStart
  }

  #spend(usedMs: number, calls: ReadonlySet<WatchedCall>): boolean {
    if (calls.size === 0) {
      this.#idleCpuMs += usedMs
      return this.#idleCpuMs > this.#limits.cpuMs
    }
    this.#idleCpuMs = 0
    let isOver = false
    for (const call of calls) {
      call.cpuMs += usedMs / calls.size
      isOver ||= call.cpuMs > this.#limits.cpuMs
    }
    return isOver
  }

  #lookAtTime(call: WatchedCall, nowMs: number): void {
    const tookMs = nowMs - call.startedMs
    const { wallMs, ownMs } = this.#limits
    if (tookMs > wallMs) call.timeOut(wallMs / 1_000)
    else if (tookMs > ownMs && tookMs - call.waitedMs() > ownMs) call.timeOut(ownMs / 1_000)
  }
}
