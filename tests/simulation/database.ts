/**
 * The database of a simulation: the statements of the ledger as steps that happen at once and wholly, on the ledger that is
 * kept by hand (tests/platform/ledger/model.ts, which properties.test.ts holds against the SQL). tests/campaign/simulator/conformance.test.ts
 * holds this file against a real PostgreSQL.
 */
import type { StoredPart } from '../harness/charge-lines.ts'
import { type HoldOp, LedgerModel, type Outcome } from '../platform/ledger/model.ts'
import { type Asker, askerOf, SimulatedHeartbeats } from './heartbeats.ts'
import { SimulatedQueue } from './jobs-database.ts'
import { SimulatedVideos } from './videos-database.ts'

/** What a hold's receipt says beyond the money. */
export interface Letter {
  /** Null: it outlives processes. */
  processId: string | null
  keyId: string
  projectId: string
  endpoint: string
  held: bigint
  fingerprint: string | null
  freeIfLost: boolean
  statusCode: number | null
  reply: { text: string; atMs: number } | undefined
  /** The lines of the charge, as its settlement has recorded them. */
  charge: StoredPart[] | undefined
}

/** How a hold ended, in the order in which the books were written. `asked` is what the settlement named. */
export interface Ending {
  receiptId: string
  by: 'settle' | 'sweep' | 'mend'
  asked: bigint
  charged: bigint
  loss: bigint
}

/** A stored creation, as far as the worlds look at it. */
export interface StoredRow {
  id: string
  account: string
  receiptId: string
  bytes: bigint
  /** The data folder in which its bytes wait. */
  spooledOn: string | null
}

interface Reservation {
  account: string
  project: string
  processId: string | null
  creations: bigint
  bytes: bigint
}

/** Statements that are carried out together, or not at all. */
export interface Transaction {
  execute(text: string, values: Values): Row[]
  commit(): void
  /** Undoes what was carried out; nothing after an end. */
  rollBack(): void
}

interface SentHold {
  seq: number
  receipt_id: string
  account_id: string
  project_id: string
  key_id: string
  endpoint: string
  idempotency_key?: string
  fingerprint?: string
  amount: string
  started: boolean
  free_if_lost?: boolean
  process_id?: string
  expires_at: string
}
interface SentSettle {
  seq: number
  receipt_id: string
  account_id: string
  actual: string
  state: 'completed' | 'failed'
  status_code: number
  free_claim: boolean
  within_hold: boolean
  lost?: string
  reply?: string
  detail?: { charge?: StoredPart[] } | null
}

type Row = Record<string, unknown>
type Values = readonly unknown[]

const maps = ['letters', 'files', 'reservations', 'usage', 'pending'] as const

export class SimulatedDatabase {
  readonly model = new LedgerModel()
  readonly files = new Map<string, StoredRow>()
  /** Room for what is being made, by receipt. */
  readonly reservations = new Map<string, Reservation>()
  /** Creations of a project, with those for which room is reserved. */
  readonly usage = new Map<string, { creations: bigint; bytes: bigint }>()
  /** Keys of bytes that no row has yet. */
  readonly pending = new Map<string, { dueMs: number; deleting: boolean }>()
  readonly queue: SimulatedQueue
  readonly videos: SimulatedVideos
  readonly letters = new Map<string, Letter>()
  readonly endings: Ending[] = []
  /** When each process was last heard of, in the database's own time. */
  readonly #heartbeats: SimulatedHeartbeats
  /** Told of each hold that was asked for, with its answer and the time by the clock of the process that asked. */
  onHold: (hold: HoldOp, outcome: Outcome, processId: string | null, atMs: number) => void = () => {}
  /** Told of each hold that a sweep ends, before it ends it. */
  onSweep: (hold: HoldOp, processId: string, lapsed: boolean) => void = () => {}
  #open: Transaction | undefined
  readonly #waiting: (() => void)[] = []

  constructor(nowMs: () => number) {
    this.#heartbeats = new SimulatedHeartbeats(nowMs)
    this.queue = new SimulatedQueue(nowMs, this.#heartbeats)
    this.videos = new SimulatedVideos(this.#heartbeats)
  }

  /** What a transaction that fails leaves as it was, beside the ledger. */
  get #kept(): Map<string, unknown>[] {
    const { queue, videos } = this
    return [...maps.map((name) => this[name]), queue.rows, queue.schedules, videos.rows, videos.events]
  }

  readonly #statements: readonly (readonly [RegExp, (values: Values, text: string) => Row[]])[] = [
    [/from ledger\.commit\(/, (values) => this.#commit(values)],
    [/from ledger\.sweep\(/, (values) => this.#sweep(values)],
    [/insert into ledger\.processes/, ([id]) => [{ beat_at: this.#heartbeats.write(id as string) }]],
    [/delete from ledger\.processes/, ([id]) => this.#endProcess(id as string)],
    [/delete from ledger\.replies/, (values) => this.#forgetReplies(values)],
    [
      /claiming,[\s\S]+ledger\.replies[\s\S]+as reply\s+from ledger\.receipts/,
      (values) => this.#earlier(values),
    ],
    [/select balance, held from ledger\.balances/, ([account]) => this.#balance(account as string)],
    [/select ledger\.grant\(/, (values) => this.#grant(values)],
    [/update ledger\.meters m set\s+cap =/, ([changes]) => this.#changeMeters(changes as string)],
    [/from ledger\.hold_in\(/, (values) => [this.#holdIn(values)]],
    [/from ledger\.settle_in\(/, ([op, at]) => [this.#settleIn(op as string, at as Date)]],
    [/select charged, lost from ledger\.settlements/, (values) => this.#settledAs(values)],
    [
      /insert into files\.usage \(account_id/,
      ([account, project]) => {
        this.#usageOf(account as string, project as string)
        return []
      },
    ],
    [/select from files\.usage/, () => []],
    [/update files\.usage u set creations = u\.creations \+/, (values) => this.#reserveIn(values)],
    [/insert into files\.reservations/, (values) => this.#reserve(values)],
    [
      /delete from files\.reservations where[\s\S]+update files\.usage/,
      ([, id]) => this.#release(id as string),
    ],
    [
      /delete from files\.reservations r\s+where/,
      ([leaseMs, before, id, beatAt]) =>
        this.#releaseAbandoned(askerOf(leaseMs, id, beatAt), before as string),
    ],
    [
      /delete from files\.reservations where[\s\S]+insert into files\.usage/,
      (values) => this.#exchange(values),
    ],
    [/insert into storage\.pending_blobs/, (values) => this.#stage(values)],
    [/update storage\.pending_blobs b set deleting/, ([, keys]) => this.#delete(keys as string[])],
    [/delete from storage\.pending_blobs .* and not deleting/, ([keys]) => this.#keep(keys as string[])],
    [/delete from storage\.pending_blobs/, ([keys]) => this.#deleted(keys as string[])],
  ]

  /** Runs `work` as soon as no other transaction is open: one waits for another, whatever rows they lock. */
  whenFree(own: Transaction | undefined, work: () => void): void {
    if (!this.#open || this.#open === own) work()
    else this.#waiting.push(() => this.whenFree(own, work))
  }

  /** Opens a transaction; call it when the database is free. */
  begin(): Transaction {
    const undo = this.#remember()
    const end = (): boolean => {
      const isOpen = this.#open === transaction
      if (isOpen) this.#open = undefined
      return isOpen
    }
    const transaction: Transaction = {
      execute: (text, values) => {
        if (this.#open !== transaction)
          throw Object.assign(new Error('the transaction has ended'), { code: 'ECONNRESET' })
        return this.execute(text, values)
      },
      commit: () => {
        if (!end()) throw Object.assign(new Error('the transaction has ended'), { code: 'ECONNRESET' })
        this.#callWaiting()
      },
      rollBack: () => {
        if (!end()) return
        undo()
        this.#callWaiting()
      },
    }
    this.#open = transaction
    return transaction
  }

  #callWaiting(): void {
    for (const work of this.#waiting.splice(0)) work()
  }

  #remember(): () => void {
    const undoModel = this.model.remember()
    const endings = [...this.endings]
    const kept = structuredClone(this.#kept)
    return () => {
      undoModel()
      this.endings.splice(0, Number.POSITIVE_INFINITY, ...endings)
      for (const [index, map] of this.#kept.entries()) {
        map.clear()
        for (const [id, row] of kept[index]!) map.set(id, row)
      }
    }
  }

  /** Carries out one statement, wholly. Throws for one that the platform has and this file does not know. */
  execute(text: string, values: Values): Row[] {
    const inserted = /^insert into "files"\."files" \(([^)]+)\)/.exec(text)
    if (inserted) return this.#insertFiles(inserted[1]!, values)
    const known = [...this.#statements, ...this.queue.statements, ...this.videos.statements].find(
      ([pattern]) => pattern.test(text),
    )
    if (!known) throw new Error(`The simulated database does not know this statement: ${text}`)
    return known[1](values, text)
  }

  /** As `ledger.commit`: answers what did not go as it was asked. No account is ever locked here. */
  #commit([settles, holds, , , at]: Values): Row[] {
    const atMs = (at as Date).getTime()
    const read = <Op>(ops: unknown): Op[] => JSON.parse((ops as string | null) ?? '[]') as Op[]
    const ended = read<SentSettle>(settles).map((op) => ({
      row: this.#settle(op, atMs),
      plain: op.actual,
    }))
    const taken = read<SentHold>(holds).map((op) => ({ row: this.#hold(op, atMs), plain: op.amount }))
    return [...ended, ...taken]
      .filter(
        ({ row, plain }) =>
          !(['settled', 'held'].includes(row['outcome'] as string) && String(row['need']) === plain),
      )
      .map(({ row }) => row)
  }

  #settle(op: SentSettle, atMs: number): Row {
    const asked = BigInt(op.actual)
    const wasAmbiguous = this.model.papers.get(op.receipt_id)?.ambiguous === true
    const outcome = this.model.settle(
      {
        id: op.receipt_id,
        account: op.account_id,
        actual: asked,
        failed: op.state === 'failed',
        freeClaim: op.free_claim,
        withinHold: op.within_hold,
        lost: BigInt(op.lost ?? 0),
      },
      op.seq,
    )
    if (outcome.outcome === 'settled' || wasAmbiguous) {
      const letter = this.letters.get(op.receipt_id)!
      letter.statusCode = op.status_code
      letter.charge = op.detail?.charge
      if (op.reply !== undefined) letter.reply ??= { text: op.reply, atMs }
      const { charged } = this.model.papers.get(op.receipt_id)!
      const by = wasAmbiguous ? 'mend' : 'settle'
      this.endings.push({ receiptId: op.receipt_id, by, asked, charged, loss: asked - charged })
    }
    return asRow(outcome)
  }

  #hold(op: SentHold, atMs: number): Row {
    const hold: HoldOp = {
      id: op.receipt_id,
      account: op.account_id,
      project: op.project_id,
      key: op.key_id,
      idempotencyKey: op.idempotency_key ?? null,
      amount: BigInt(op.amount),
      started: op.started,
      freeIfLost: op.free_if_lost ?? false,
      process: op.process_id === undefined ? null : 'alive',
      expiresAtMs: op.expires_at === 'infinity' ? Number.POSITIVE_INFINITY : Date.parse(op.expires_at),
    }
    const outcome = this.model.hold(hold, op.seq, atMs)
    this.onHold(hold, outcome, op.process_id ?? null, atMs)
    if (outcome.outcome === 'held' && !this.letters.has(op.receipt_id)) {
      this.letters.set(op.receipt_id, {
        processId: op.process_id ?? null,
        keyId: op.key_id,
        projectId: op.project_id,
        endpoint: op.endpoint,
        held: BigInt(op.amount),
        fingerprint: op.fingerprint ?? null,
        freeIfLost: op.free_if_lost ?? false,
        statusCode: null,
        reply: undefined,
        charge: undefined,
      })
    }
    return asRow(outcome)
  }

  /** As `ledger.hold_in`. */
  #holdIn([sent, status, reply, at]: Values): Row {
    const op = JSON.parse(sent as string) as SentHold
    const atMs = (at as Date).getTime()
    const answer = this.#hold(op, atMs)
    if (answer['outcome'] !== 'held') return answer
    const letter = this.letters.get(op.receipt_id)!
    letter.statusCode = status as number
    letter.reply ??= { text: reply as string, atMs }
    return answer
  }

  /** As `ledger.settle_in`. */
  #settleIn(op: string, at: Date): Row {
    return this.#settle(this.#spoiled(JSON.parse(op) as SentSettle), at.getTime())
  }

  /** A planted defect: what a video cost the platform is in no book. */
  #spoiled(op: SentSettle): SentSettle {
    const { planted } = this.videos
    if (planted === 'loss forgotten' && op.state === 'failed') return { ...op, actual: '0', lost: '0' }
    if (planted === 'charged without a file' && op.state === 'failed') return { ...op, lost: '0' }
    return op
  }

  #settledAs([account, id]: Values): Row[] {
    const paper = this.model.papers.get(id as string)
    if (!paper || paper.account !== account || paper.ambiguous || paper.state === 'running') return []
    return [{ charged: paper.charged, lost: paper.lost }]
  }

  #reserve([account, project, id, processId, creations, bytes, maxCreations, maxBytes]: Values): Row[] {
    const asked = { creations: BigInt(creations as number), bytes: BigInt(bytes as number) }
    const used = this.#usageOf(account as string, project as string)
    const isTooMuch =
      used.creations + asked.creations > BigInt(maxCreations as number) ||
      used.bytes + asked.bytes > BigInt(maxBytes as number)
    if (isTooMuch) return []
    if (this.reservations.has(id as string))
      throw Object.assign(new Error('duplicate key value violates unique constraint'), { code: '23505' })
    used.creations += asked.creations
    used.bytes += asked.bytes
    this.reservations.set(id as string, {
      account: account as string,
      project: project as string,
      processId: processId as string | null,
      ...asked,
    })
    return [{}]
  }

  #reserveIn([creations, bytes, account, project, , maxCreations, , maxBytes, , , id]: Values): Row[] {
    return this.#reserve([account, project, id, null, creations, bytes, maxCreations, maxBytes])
  }

  #release(id: string): Row[] {
    const gone = this.reservations.get(id)
    if (!gone) return []
    this.reservations.delete(id)
    const used = this.#usageOf(gone.account, gone.project)
    used.creations -= gone.creations
    used.bytes -= gone.bytes
    return []
  }

  #releaseAbandoned(asker: Asker, before: string): Row[] {
    const abandoned = [...this.reservations].filter(
      ([id, { processId }]) =>
        (processId !== null && !this.#heartbeats.lives(processId, asker)) ||
        (id < before && !this.model.holds.has(id)),
    )
    for (const [id] of abandoned) this.#release(id)
    return [...new Set(abandoned.map(([, { account, project }]) => `${account} ${project}`))].map(() => ({}))
  }

  #exchange([account, id, ...more]: Values): Row[] {
    const [project, creations, bytes] = more.slice(-3)
    this.#release(id as string)
    const used = this.#usageOf(account as string, project as string)
    used.creations += BigInt(creations as number)
    used.bytes += bytes as bigint
    return []
  }

  #usageOf(account: string, project: string): { creations: bigint; bytes: bigint } {
    const id = `${account} ${project}`
    const used = this.usage.get(id) ?? { creations: 0n, bytes: 0n }
    this.usage.set(id, used)
    return used
  }

  #stage([key, dueAt]: Values): Row[] {
    if (!this.pending.get(key as string)?.deleting)
      this.pending.set(key as string, { dueMs: (dueAt as Date).getTime(), deleting: false })
    return []
  }

  /** The bytes have a row now; not those that are being deleted. */
  #keep(keys: readonly string[]): Row[] {
    const kept = keys.filter((key) => this.pending.get(key)?.deleting === false)
    for (const key of kept) this.pending.delete(key)
    return kept.map(() => ({}))
  }

  #delete(keys: readonly string[]): Row[] {
    const found = keys.filter((key) => this.pending.has(key))
    for (const key of found) this.pending.get(key)!.deleting = true
    return found.map((key) => ({ key }))
  }

  #deleted(keys: readonly string[]): Row[] {
    for (const key of keys) this.pending.delete(key)
    return []
  }

  #insertFiles(columns: string, values: Values): Row[] {
    const names = columns.split(', ').map((name) => name.slice(1, -1))
    for (let at = 0; at < values.length; at += names.length) {
      const row = Object.fromEntries(names.map((name, index) => [name, values[at + index]]))
      const { file_id: id, receipt_id: receiptId, account_id: account, bytes, spooled_on: spooledOn } = row
      if (this.files.has(id as string)) throw new Error(`The file ${id} is there already.`)
      this.files.set(id as string, {
        id: id as string,
        receiptId: receiptId as string,
        account: account as string,
        bytes: bytes as bigint,
        spooledOn: spooledOn as string | null,
      })
    }
    return []
  }

  #sweep([leaseMs, at, , , id, beatAt]: Values): Row[] {
    const atMs = (at as Date).getTime()
    const asker = askerOf(leaseMs, id, beatAt)
    for (const { op } of this.model.holds.values()) {
      const { processId } = this.letters.get(op.id)!
      // It lasts until what it is for has ended.
      if (processId === null) continue
      op.process = this.#heartbeats.lives(processId, asker) ? 'alive' : 'dead'
      if (op.process === 'dead' || op.expiresAtMs < atMs) this.onSweep(op, processId, op.process === 'dead')
    }
    const open = new Map(this.model.holds)
    return this.model.sweep(atMs).map((id) => {
      const { amount, started, freeIfLost = false } = open.get(id)!.op
      const { charged, lost } = this.model.papers.get(id)!
      this.endings.push({ receiptId: id, by: 'sweep', asked: charged + lost, charged, loss: lost })
      return { receipt_id: id, amount, started, free_if_lost: freeIfLost }
    })
  }

  #endProcess(id: string): Row[] {
    this.#heartbeats.delete(id)
    return []
  }

  #forgetReplies([before]: Values): Row[] {
    const old = [...this.letters.values()].filter(
      ({ reply }) => reply && reply.atMs < (before as Date).getTime(),
    )
    for (const letter of old) letter.reply = undefined
    return old.map(() => ({}))
  }

  #earlier([account, id, notBefore]: Values): Row[] {
    const paper = this.model.papers.get(id as string)
    const letter = this.letters.get(id as string)
    if (!paper || !letter || paper.account !== account) return []
    const { reply } = letter
    return [
      {
        receipt_id: id,
        project_id: letter.projectId,
        key_id: letter.keyId,
        endpoint: letter.endpoint,
        idempotency_key: paper.idempotencyKey,
        state: paper.state,
        ambiguous: paper.ambiguous,
        claiming: paper.claiming,
        status_code: letter.statusCode,
        held: letter.held,
        charged: paper.charged,
        fingerprint: letter.fingerprint,
        reply: reply && reply.atMs > (notBefore as Date).getTime() ? reply.text : null,
      },
    ]
  }

  #balance(account: string): Row[] {
    const books = this.model.balances.get(account)
    return books ? [{ ...books }] : []
  }

  #grant([account, transfer, amount]: Values): Row[] {
    const id = account as string
    // A transfer belongs to its account: the same id on another is another.
    if (!this.model.grant(id, `${id} ${transfer as string}`, amount as bigint))
      throw Object.assign(new Error('new row for relation "balances" violates a check constraint'), {
        code: '23514',
      })
    return [{ balance: this.model.balances.get(id)!.balance }]
  }

  /** What is told of the caps is not simulated. */
  #changeMeters(changes: string): Row[] {
    const micro = (text: string | null): bigint | null => (text === null ? null : BigInt(text))
    return (JSON.parse(changes) as SentChange[])
      .filter(({ scope_id: id }) => this.model.meters.has(id))
      .map((sent) => {
        this.model.setCaps(sent.scope_id, {
          ...(sent.sets_cap && { cap: micro(sent.cap) }),
          ...(sent.sets_month_cap && { monthCap: micro(sent.month_cap) }),
          ...(sent.sets_rate && { ratePerMinute: sent.rate_per_minute }),
          ...(sent.sets_concurrency && { concurrency: sent.concurrency }),
        })
        return { scopeId: sent.scope_id }
      })
  }
}

/** A change of a meter as the platform sends it. */
interface SentChange {
  scope_id: string
  sets_cap: boolean
  cap: string | null
  sets_month_cap: boolean
  month_cap: string | null
  sets_rate: boolean
  rate_per_minute: number | null
  sets_concurrency: boolean
  concurrency: number | null
}

const asRow = ({ receipt, ...rest }: ReturnType<LedgerModel['hold']>): Row => ({
  receipt_id: receipt,
  ...rest,
})
