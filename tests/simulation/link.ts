/** The way of one process to the database, with everything that goes wrong on it. */
import type { Db } from '#platform/db'
import type { SimulatedDatabase } from './database.ts'
import { databaseFace, type Row } from './face.ts'
import type { Random } from './random.ts'
import type { Owner, Timeline } from './timeline.ts'

/** `refusing`: connections fail at once. `swallowing`: nothing is heard until the client's own patience ends. */
export type LinkState = 'up' | 'refusing' | 'swallowing'

/** Shares of statements that meet a fault on a link that is up. */
export interface LinkFaults {
  /** The connection breaks before the statement is carried out. */
  lostBefore: number
  /** It is carried out, and the reply is lost. */
  lostAfter: number
  /** The connection breaks, and the server carries it out all the same, seconds later. */
  late: number
  /** It takes up to four seconds. */
  slow: number
}

/** What a process lets the link know. */
export interface Sender extends Owner {
  /** False when the process died at this point, or before. */
  survives(point: string): boolean
}

const lastWordMs = 35_000
const lost = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
export const never = <Value>(): Promise<Value> => new Promise(() => {})

export class Link {
  state: LinkState = 'up'
  faults: LinkFaults
  /** The id under which its process beats. */
  processId: string | undefined
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #database: SimulatedDatabase
  readonly #sender: Sender
  /** Told of each statement's end. */
  readonly #tell: (what: string, broken: boolean) => void

  constructor(ask: {
    timeline: Timeline
    random: Random
    database: SimulatedDatabase
    sender: Sender
    faults: LinkFaults
    tell: (what: string, broken: boolean) => void
  }) {
    this.#timeline = ask.timeline
    this.#random = ask.random
    this.#database = ask.database
    this.#sender = ask.sender
    this.#tell = ask.tell
    this.faults = ask.faults
  }

  db(): Db {
    return databaseFace((name, text, values) => this.#send(name, text, values))
  }

  async #send(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    const shown = shortNameOf(name)
    if (text.startsWith('insert into ledger.processes')) this.processId ??= values[0] as string
    if (!this.#sender.survives(`before ${shown}`)) return never()
    const answer = this.#travel(shown, text, values)
    if (!this.#sender.survives(`after ${shown} was sent`)) return never()
    return answer
  }

  #travel(shown: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    const timeline = this.#timeline
    const sentMs = timeline.nowMs
    const fate = this.#fate()
    return new Promise((resolve, reject) => {
      const end = (afterMs: number, what: string, finish: () => void, broken: boolean): void => {
        timeline.after(afterMs, this.#sender, () => {
          this.#tell(`${shown} ${what}`, broken)
          finish()
        })
      }
      const breakOff = (what: string): void => {
        if (this.state === 'swallowing')
          end(
            Math.max(0, sentMs + lastWordMs - timeline.nowMs),
            `${what}, no word`,
            () => reject(new Error('Query read timeout')),
            true,
          )
        else end(this.#random.next() * 2, what, () => reject(lost()), true)
      }
      if (this.state === 'refusing')
        return end(this.#random.next() * 3, 'refused', () => reject(refused()), true)

      timeline.after(this.#delayMs(), undefined, () => {
        if (this.state !== 'up' || fate === 'lostBefore') return breakOff('lost before')
        if (fate === 'late') {
          breakOff('lost, carried out later')
          const laterMs = this.#random.next() ** 2 * 8_000
          timeline.after(laterMs, undefined, () => void this.#execute(`${shown} late`, text, values))
          return
        }
        const result = this.#execute(shown, text, values)
        timeline.after(this.#delayMs(), undefined, () => {
          if (this.state !== 'up' || fate === 'lostAfter') return breakOff('reply lost')
          if ('rows' in result) end(0, 'answered', () => resolve(result.rows), false)
          else end(0, 'failed', () => reject(result.error), false)
        })
      })
    })
  }

  #execute(shown: string, text: string, values: readonly unknown[]): { rows: Row[] } | { error: unknown } {
    try {
      const rows = this.#database.execute(text, values)
      this.#tell(`${shown} carried out${outcomesOf(rows)}`, false)
      return { rows }
    } catch (error) {
      return { error }
    }
  }

  #delayMs(): number {
    const slow = this.#random.chance(this.faults.slow)
    return slow ? this.#random.next() * 2_000 : 0.2 + this.#random.next() * 3
  }

  #fate(): 'lostBefore' | 'lostAfter' | 'late' | 'fine' {
    const lot = this.#random.next()
    const { lostBefore, lostAfter, late } = this.faults
    if (lot < lostBefore) return 'lostBefore'
    if (lot < lostBefore + lostAfter) return 'lostAfter'
    return lot < lostBefore + lostAfter + late ? 'late' : 'fine'
  }
}

/** For the trace: the first words that tell statements apart. */
function shortNameOf(name: string): string {
  const [word] = /ledger\.\w+/.exec(name) ?? ['statement']
  return /^\s*delete/.test(name) ? `${word} (delete)` : word
}

const outcomesOf = (rows: Row[]): string =>
  rows.length === 0
    ? ''
    : `: ${rows.map((row) => [row['outcome'], row['receipt_id'], row['need']].filter((one) => one != null).join(' ')).join(', ')}`
