/** The queue of jobs in a simulated database: the statements of `#platform/jobs`, on a map. Nobody is notified; workers look every two seconds. */
import { type Asker, askerOf, type SimulatedHeartbeats } from './heartbeats.ts'

export interface QueuedRow {
  account_id: string
  job_id: string
  name: string
  data: unknown
  singleton: string | undefined
  runAtMs: number
  process: string | null
  fence: number
  failures: number
  vanished: number
  parked: boolean
}

type Row = Record<string, unknown>
type Values = readonly unknown[]
type Known = readonly [RegExp, (values: Values) => Row[]]

interface Put {
  account_id: string
  job_id: string
  data: unknown
  run_at?: string
  singleton_key?: string
}

interface Turn {
  name: string
  every_ms: number
  job_id: string
}

interface Ended {
  job_id: string
  fence: number
  how: 'done' | 'later' | 'failed' | 'parked'
  delay_ms: number
}

/** Processes that die in a row over one job, before it is parked. */
const maxVanished = 9

export class SimulatedQueue {
  /** In the order in which they were put. */
  readonly rows = new Map<string, QueuedRow>()
  readonly schedules = new Map<string, { lastMs: number }>()
  readonly #nowMs: () => number
  readonly #heartbeats: SimulatedHeartbeats

  constructor(nowMs: () => number, heartbeats: SimulatedHeartbeats) {
    this.#nowMs = nowMs
    this.#heartbeats = heartbeats
  }

  readonly statements: readonly Known[] = [
    [/insert into jobs\.schedules/, ([turns, at, account]) => this.#recur(turns, at, account)],
    [/from unnest\(.*as k\(name\)/, ([names, worker]) => this.#waiting(names as string[], worker as string)],
    [/insert into jobs\.queue/, ([name, rows]) => this.#put(name as string, JSON.parse(rows as string))],
    [/from jobs\.claim\(/, (values) => this.#claim(values)],
    [/select jobs\.settle\(/, ([worker, ends]) => this.#settle(worker as string, JSON.parse(ends as string))],
    [/select jobs\.sweep\(/, ([leaseMs, id, beatAt]) => this.#sweep(askerOf(leaseMs, id, beatAt))],
    [/update jobs\.queue set vanished = 0/, (values) => this.#forgive(values)],
  ]

  #put(name: string, puts: Put[]): Row[] {
    for (const { account_id, job_id, data, run_at, singleton_key: singleton } of puts) {
      const isThere =
        singleton !== undefined &&
        [...this.rows.values()].some(
          (row) => row.account_id === account_id && row.name === name && row.singleton === singleton,
        )
      if (isThere) continue
      const runAtMs = run_at === undefined ? this.#nowMs() : Date.parse(run_at)
      this.rows.set(job_id, {
        ...{ account_id, job_id, name, data, singleton, runAtMs },
        ...{ process: null, fence: 0, failures: 0, vanished: 0, parked: false },
      })
    }
    return []
  }

  #waiting(names: string[], worker: string): Row[] {
    const isWaiting = (row: QueuedRow) => row.process === null && !row.parked
    const rows = [...this.rows.values()].filter((row) => isWaiting(row) || row.process === worker)
    const found = new Set(rows.map(({ name }) => name))
    return names.filter((name) => found.has(name)).map((name) => ({ name }))
  }

  #recur(turns: unknown, at: unknown, account: unknown): Row[] {
    const atMs = (at as Date).getTime()
    for (const { name, every_ms: everyMs, job_id } of JSON.parse(turns as string) as Turn[]) {
      const last = this.schedules.get(name)
      if (last && last.lastMs > atMs - everyMs) continue
      this.schedules.set(name, { lastMs: atMs })
      this.#put(name, [{ account_id: account as string, job_id, data: null, singleton_key: 'recurring' }])
    }
    return []
  }

  #claim([name, worker, busy, perAccount, most]: Values): Row[] {
    const own = [...this.rows.values()].filter((row) => row.name === name)
    const known = new Set(busy as string[])
    for (const row of own) if (row.process === worker && !known.has(row.job_id)) row.process = null
    const taken: QueuedRow[] = []
    const suspect = this.#suspectFor(worker as string, own, known)
    for (const [account, rows] of Map.groupBy(own, (row) => row.account_id)) {
      const running = rows.filter(({ process }) => process !== null).length
      const room = Math.floor(((perAccount as number) - running + 1) / 2)
      const due = rows
        .filter((row) => row.process === null && !row.parked && row.runAtMs <= this.#nowMs())
        .filter((row) => row.account_id === account && !known.has(row.job_id))
        .filter((row) => row.vanished === 0 || row === suspect)
        .toSorted((one, other) => other.vanished - one.vanished || one.runAtMs - other.runAtMs)
      taken.push(...due.slice(0, Math.max(0, Math.min(room, most as number))))
    }
    return taken.slice(0, most as number).map((row) => {
      row.process = worker as string
      row.fence++
      const { account_id, job_id, data, fence, failures, vanished } = row
      return { account_id, job_id, data, fence, failures, vanished }
    })
  }

  /** The only job of those that lost a process which this one may take. */
  #suspectFor(worker: string, own: readonly QueuedRow[], known: ReadonlySet<string>): QueuedRow | undefined {
    if ([...this.rows.values()].some((row) => row.process === worker && row.vanished > 0)) return undefined
    const running = (account: string) =>
      own.filter((row) => row.account_id === account && row.process !== null).length
    return own
      .filter((row) => row.vanished > 0 && row.process === null && !row.parked && !known.has(row.job_id))
      .filter((row) => row.runAtMs <= this.#nowMs())
      .map((row) => ({ row, running: running(row.account_id) }))
      .toSorted((one, other) => one.running - other.running || one.row.runAtMs - other.row.runAtMs)[0]?.row
  }

  #settle(worker: string, ends: Ended[]): Row[] {
    for (const { job_id, fence, how, delay_ms } of ends) {
      const row = this.rows.get(job_id)
      if (row?.process !== worker || row.fence !== fence) continue
      if (how === 'done') {
        this.rows.delete(job_id)
        continue
      }
      row.process = null
      row.runAtMs = this.#nowMs() + delay_ms
      if (how !== 'later') row.failures++
      row.parked = how === 'parked'
    }
    return []
  }

  #sweep(asker: Asker): Row[] {
    const orphans = [...this.rows.values()].filter(
      ({ process }) => process !== null && !this.#heartbeats.lives(process, asker),
    )
    for (const row of orphans) {
      row.process = null
      row.runAtMs = this.#nowMs()
      row.parked = row.vanished >= maxVanished
      row.vanished++
    }
    return [{ orphans: BigInt(orphans.length) }]
  }

  #forgive([, jobId, fence, worker, asFailures]: Values): Row[] {
    const row = this.rows.get(jobId as string)
    if (row?.process !== worker || row?.fence !== fence || !row || row.vanished === 0) return []
    row.vanished = 0
    row.failures += asFailures as number
    return []
  }
}
