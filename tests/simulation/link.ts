/** The way of one process to the database, with everything that goes wrong on it. */
import type { Db } from '#platform/db'
import type { SimulatedDatabase, Transaction } from './database.ts'
import { databaseFace, type Row, type SentTransaction } from './face.ts'
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

/** One way to the database and back. */
interface Trip {
  shown: string
  /** Calls `work` when nothing stands in its way there. */
  whenFree(work: () => void): void
  execute(): Row[]
  /** Its connection broke. */
  broke?(): void
  /** The server may carry it out although its connection broke. */
  mayBeLate: boolean
}

const lastWordMs = 35_000
/** The server ends a statement that has waited for so long (`platform/db`). One whose caller has gone is never heard of again. */
const statementTimeoutMs = 30_000
/** After so long without a word the server ends a transaction. */
const idleMs = 10_000
const lost = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
export const never = <Value>(): Promise<Value> => new Promise(() => {})

export class Link {
  state: LinkState = 'up'
  faults: LinkFaults
  /** The id under which its process beats. */
  processId: string | undefined
  /** Commits of the ledger that the database has not answered. */
  commitsUnderWay = 0
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
    return databaseFace(
      (name, text, values) => this.#send(this.#statement(shortNameOf(name), text, values)),
      () => this.#transaction(),
    )
  }

  #statement(shown: string, text: string, values: readonly unknown[]): Trip {
    const isOfProcesses = /^(insert into|delete from) ledger\.processes/.test(text)
    if (isOfProcesses) this.processId ??= values[0] as string
    return {
      shown,
      // No transaction locks the rows of processes: one that hangs keeps nobody from being heard, nor from signing off.
      whenFree: (work) => (isOfProcesses ? work() : this.#database.whenFree(undefined, work)),
      execute: () => this.#database.execute(text, values),
      mayBeLate: true,
    }
  }

  /** Opened with its first statement. Any break of its connection undoes it, unless its COMMIT has arrived. */
  #transaction(): SentTransaction {
    let open: Transaction | undefined
    let isBroken = false
    const trip = (shown: string, execute: (within: Transaction) => Row[], mayBeLate: boolean): Trip => ({
      shown,
      whenFree: (work) => this.#database.whenFree(open, work),
      execute: () => {
        open ??= this.#begin()
        return execute(open)
      },
      broke: () => {
        isBroken = true
        if (!mayBeLate) open?.rollBack()
      },
      mayBeLate,
    })
    const send = (one: Trip): Promise<Row[]> => (isBroken ? Promise.reject(lost()) : this.#send(one))
    return {
      carryOut: (name, text, values) =>
        send(trip(shortNameOf(name), (within) => within.execute(text, values), false)),
      commit: async () => {
        const commit = (within: Transaction): Row[] => {
          within.commit()
          return []
        }
        if (open) await send(trip('COMMIT', commit, true))
      },
      rollBack: async () => {
        if (!isBroken) open?.rollBack()
      },
    }
  }

  #begin(): Transaction {
    const transaction = this.#database.begin()
    this.#timeline.after(idleMs, undefined, () => transaction.rollBack())
    return transaction
  }

  async #send(trip: Trip): Promise<Row[]> {
    if (!this.#sender.survives(`before ${trip.shown}`)) {
      // The system of a process that died closes its connections.
      trip.broke?.()
      return never()
    }
    const answer = this.#travel(trip)
    if (!this.#sender.survives(`after ${trip.shown} was sent`)) return never()
    return answer
  }

  #travel(trip: Trip): Promise<Row[]> {
    const timeline = this.#timeline
    const { shown } = trip
    const sentMs = timeline.nowMs
    const fate = this.#fate(trip.mayBeLate)
    const isCommit = shown === 'ledger.commit'
    if (isCommit) this.commitsUnderWay++
    return new Promise((resolve, reject) => {
      const end = (afterMs: number, what: string, finish: () => void, broken: boolean): void => {
        timeline.after(afterMs, this.#sender, () => {
          if (isCommit) this.commitsUnderWay--
          this.#tell(`${shown} ${what}`, broken)
          finish()
        })
      }
      const breakOff = (what: string): void => {
        trip.broke?.()
        if (this.state === 'swallowing')
          end(
            Math.max(0, sentMs + lastWordMs - timeline.nowMs),
            `${what}, no word`,
            () => reject(new Error('Query read timeout')),
            true,
          )
        else end(this.#random.next() * 2, what, () => reject(lost()), true)
      }
      const arrive = (): void => {
        if (this.state !== 'up' || fate === 'lostBefore') {
          breakOff('lost before')
          return
        }
        if (fate === 'late') {
          breakOff('lost, carried out later')
          const laterMs = this.#random.next() ** 2 * 8_000
          const executeLate = (): void => {
            if (timeline.nowMs - sentMs < statementTimeoutMs) this.#execute(trip, ' late')
          }
          timeline.after(laterMs, undefined, () => trip.whenFree(executeLate))
          return
        }
        const result = this.#execute(trip)
        timeline.after(this.#delayMs(), undefined, () => {
          if (this.state !== 'up' || fate === 'lostAfter') return breakOff('reply lost')
          if ('rows' in result) end(0, 'answered', () => resolve(result.rows), false)
          else end(0, 'failed', () => reject(result.error), false)
        })
      }
      if (this.state === 'refusing') {
        trip.broke?.()
        return end(this.#random.next() * 3, 'refused', () => reject(refused()), true)
      }
      timeline.after(this.#delayMs(), undefined, () => trip.whenFree(arrive))
    })
  }

  #execute(trip: Trip, late = ''): { rows: Row[] } | { error: unknown } {
    try {
      const rows = trip.execute()
      this.#tell(`${trip.shown}${late} carried out${outcomesOf(rows)}`, false)
      return { rows }
    } catch (error) {
      return { error }
    }
  }

  #delayMs(): number {
    const slow = this.#random.chance(this.faults.slow)
    return slow ? this.#random.next() * 2_000 : 0.2 + this.#random.next() * 3
  }

  #fate(mayBeLate: boolean): 'lostBefore' | 'lostAfter' | 'late' | 'fine' {
    const lot = this.#random.next()
    const { lostBefore, lostAfter, late } = this.faults
    if (lot < lostBefore) return 'lostBefore'
    if (lot < lostBefore + lostAfter) return 'lostAfter'
    if (lot >= lostBefore + lostAfter + late) return 'fine'
    return mayBeLate ? 'late' : 'lostBefore'
  }
}

/** For the trace: the first words that tell statements apart. */
function shortNameOf(name: string): string {
  const [word] = /(ledger|files|storage|videos|jobs|events)\.\w+/.exec(name.replaceAll('"', '')) ?? [
    'statement',
  ]
  return /^\s*delete/.test(name) ? `${word} (delete)` : word
}

const outcomesOf = (rows: Row[]): string =>
  rows.length === 0
    ? ''
    : `: ${rows.map((row) => [row['outcome'], row['receipt_id'], row['need']].filter((one) => one != null).join(' ')).join(', ')}`
