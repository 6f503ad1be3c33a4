/** The table of heartbeats of the simulated database: who is alive, as one of the processes judges it. */

/** Who asks, and by which of its own heartbeats: the three parameters of `lapseIntervalSql`. */
export interface Asker {
  leaseMs: number
  id: string
  beatAt: Date
}

/** The values of a statement that stand for its judge, in the order of its parameters. */
export const askerOf = (leaseMs: unknown, id: unknown, beatAt: unknown): Asker => ({
  leaseMs: leaseMs as number,
  id: id as string,
  beatAt: beatAt as Date,
})

const dayMs = 86_400_000

export class SimulatedHeartbeats {
  readonly #beats = new Map<string, number>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  write(id: string): Date {
    this.#beats.set(id, this.#nowMs())
    return new Date(this.#nowMs())
  }

  /** Deletes the process, and those that died long ago. */
  delete(id: string): void {
    this.#beats.delete(id)
    for (const [other, beatMs] of this.#beats) if (beatMs < this.#nowMs() - dayMs) this.#beats.delete(other)
  }

  /** Who was not heard for the lease is dead, unless the asker itself was not heard for half of it: then everybody lives who ever was heard. */
  lives(id: string, asker: Asker): boolean {
    const beatMs = this.#beats.get(id)
    if (beatMs === undefined) return false
    const askerBeatMs = Math.min(this.#beats.get(asker.id) ?? 0, asker.beatAt.getTime())
    return askerBeatMs <= this.#nowMs() - asker.leaseMs / 2 || beatMs > this.#nowMs() - asker.leaseMs
  }
}
