/** Video jobs in a simulated database: the statements of `media/video/store.ts`, on a map, and what is told of their ends. */
import { askerOf, type SimulatedHeartbeats } from './heartbeats.ts'

type Row = Record<string, unknown>
type Values = readonly unknown[]
type Known = readonly [RegExp, (values: Values, text: string) => Row[]]

/** A row as far as it is looked at here; it has all columns. */
export interface VideoRow extends Row {
  account_id: string
  job_id: string
  project_id: string
  receipt_id: string
  status: string
  held: bigint
  ordered: bigint | null
  charged: bigint | null
  file_id: string | null
  deployment: string | null
  owner: string | null
  ambiguous_until: Date | null
  wait_until: Date | null
  next_at: Date
  created_at: Date
  ended_at: Date | null
  error_code: string | null
}

/** A defect that is planted to see that the checker finds it. */
export type Planted = 'ordered again' | 'loss forgotten' | 'charged without a file'

const jsonColumns = new Set(['settings', 'pictures', 'attempts'])

export class SimulatedVideos {
  /** In the order in which they were accepted. */
  readonly rows = new Map<string, VideoRow>()
  /** Types of events by their keys: `video <job>`. */
  readonly events = new Map<string, { types: string[] }>()
  planted: Planted | undefined
  readonly #heartbeats: SimulatedHeartbeats

  constructor(heartbeats: SimulatedHeartbeats) {
    this.#heartbeats = heartbeats
  }

  readonly statements: readonly Known[] = [
    [/pg_advisory_xact_lock\(hashtextextended\('videos /, () => []],
    [/as open, count\(\*\) filter/, (values) => this.#count(values)],
    [/^insert into "videos"\."jobs"/, (values, text) => this.#insert(values, text)],
    [/^update "videos"\."jobs"/, (values, text) => this.#update(values, text)],
    [/^select \* from "videos"\."jobs"/, (values, text) => this.#select(values, text)],
    [/with due as \(\s+select account_id, job_id from videos\.jobs/, (values) => this.#takeDue(values)],
    [
      /update videos\.jobs j set status = r\.status/,
      ([looked]) => this.#looked(JSON.parse(looked as string)),
    ],
    [/select exists \(select from videos\.jobs/, () => [{ open: this.#open().length > 0 }]],
    [/delete from videos\.jobs/, () => []],
    [/insert into events\.outbox/, (values) => this.#tell(values)],
  ]

  #open(): VideoRow[] {
    return [...this.rows.values()].filter(({ ended_at: endedAt }) => endedAt === null)
  }

  #count([lostAfter, lostSince, account, project]: Values): Row[] {
    const own = this.#open().filter((row) => row.account_id === account && row.project_id === project)
    const queued = own.filter(({ status }) => status === 'queued')
    const lost = own.filter(({ status, ambiguous_until: until, missing, missing_since: since }) =>
      status === 'submitting'
        ? until !== null
        : ['submitted', 'processing'].includes(status) &&
          (missing as number) >= (lostAfter as number) &&
          since !== null &&
          (since as Date) <= (lostSince as Date),
    )
    return [{ open: BigInt(own.length), queued: BigInt(queued.length), lost: BigInt(lost.length) }]
  }

  #insert(values: Values, text: string): Row[] {
    const names = [...text.slice(0, text.indexOf(')')).matchAll(/"(\w+)"/g)].slice(2).map(([, name]) => name!)
    const row = Object.fromEntries(names.map((name, at) => [name, readAs(name, values[at])])) as VideoRow
    this.rows.set(row.job_id, row)
    return []
  }

  #update(values: Values, text: string): Row[] {
    const [sets, where] = text.split(' where ') as [string, string]
    const change = Object.fromEntries(
      [...sets.matchAll(/"(\w+)" = \$(\d+)/g)].map(([, name, at]) => [
        name!,
        readAs(name!, values[Number(at) - 1]),
      ]),
    )
    for (const row of this.#matching(where, values)) Object.assign(row, this.#spoiled(change))
    return []
  }

  /** The order of a lost answer goes back into the queue. */
  #spoiled(change: Row): Row {
    if (this.planted !== 'ordered again' || !(change['ambiguous_until'] instanceof Date)) return change
    return { ...change, status: 'queued', owner: null, deployment: null, ambiguous_until: null }
  }

  #select(values: Values, text: string): Row[] {
    const where = text.slice(text.indexOf(' where '))
    const found = this.#matching(where, values)
    if (!where.includes('order by "job_id"')) return found.map((row) => ({ ...row }))
    const now = values.find((value) => value instanceof Date) as Date
    const next = found
      .filter(({ ended_at: endedAt, wait_until: until }) => endedAt === null && (!until || until <= now))
      .toSorted((one, other) => (millisecondsOf(one) < millisecondsOf(other) ? -1 : 1))[0]
    return next ? [{ ...next }] : []
  }

  #matching(where: string, values: Values): VideoRow[] {
    const wanted = [...where.matchAll(/"(account_id|project_id|job_id|status)" = \$(\d+)/g)]
    return [...this.rows.values()].filter((row) =>
      wanted.every(([, name, at]) => row[name!] === values[Number(at) - 1]),
    )
  }

  #takeDue([now, until, leaseMs, most, id, beatAt]: Values): Row[] {
    const due = this.#open()
      .filter(({ next_at: at }) => at <= (now as Date))
      .toSorted((one, other) => one.next_at.getTime() - other.next_at.getTime())
      .slice(0, most as number)
    return due.map((row) => {
      const isOwned = row.status === 'submitting' && row.ambiguous_until === null
      row.next_at = isOwned ? new Date((now as Date).getTime() + (leaseMs as number)) : (until as Date)
      const lives = row.owner !== null && this.#heartbeats.lives(row.owner, askerOf(leaseMs, id, beatAt))
      return { ...row, owner_lives: row.status === 'submitting' ? lives : true }
    })
  }

  #looked(found: Row[]): Row[] {
    for (const look of found) {
      const row = this.rows.get(look['job_id'] as string)
      if (!row || !['submitted', 'processing'].includes(row.status)) continue
      const { status, progress, queue_position, missing, missing_since: since } = look
      const isUntouched = row.next_at.getTime() === Date.parse(look['taken_until'] as string)
      Object.assign(row, { status, progress, queue_position, missing, looks: (row['looks'] as number) + 1 })
      row['missing_since'] = since === null ? null : new Date(since as string)
      if (isUntouched) row.next_at = new Date(look['next_at'] as string)
    }
    return []
  }

  #tell([, , type, , onceKey]: Values): Row[] {
    const told = this.events.get(onceKey as string) ?? { types: [] }
    // The index keeps a second one of the key out.
    if (told.types.length === 0) told.types.push(type as string)
    this.events.set(onceKey as string, told)
    return []
  }
}

const readAs = (name: string, value: unknown): unknown =>
  jsonColumns.has(name) && typeof value === 'string' ? JSON.parse(value) : value

/** Of a UUIDv7; those of one millisecond stay in the order in which they came, whatever their random part is. */
const millisecondsOf = ({ job_id: id }: VideoRow): string => id.slice(0, 13)
