/**
 * Group commit: what waits while one commit is under way travels in the next, in one statement with a result for each.
 * Every operation carries its own id, so a statement whose COMMIT reply was lost is simply sent again.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '#platform/clock'
import { type Db, isDatabaseAway } from '#platform/db'
import { Failure } from '#platform/errors'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'

export interface HoldOp {
  hold_id: string
  receipt_id: string
  account_id: string
  project_id: string
  key_id: string
  endpoint: string
  idempotency_key: string | undefined
  fingerprint: string | undefined
  model: string | undefined
  customer_id: string | undefined
  reference_id: string | undefined
  amount: bigint
  started: boolean
  process_id: string
  expires_at: string
}

export interface SettleOp {
  hold_id: string
  receipt_id: string
  account_id: string
  actual: bigint
  state: 'completed' | 'failed'
  status_code: number
  ambiguous: boolean
  free_claim: boolean
  within_hold: boolean
  model: string | undefined
  detail: Record<string, unknown>
  reply: string | undefined
  input_tokens: number
  cached_input_tokens: number
  output_tokens: number
  reasoning_tokens: number
  quantities?: Readonly<Record<string, number>> | undefined
}

export interface OpResult {
  seq: number
  outcome: 'held' | 'claimed' | 'insufficient' | 'limited' | 'settled' | 'gone'
  receipt_id: string | null
  scope: string | null
  need: bigint | null
  have: bigint | null
}

export interface Committer {
  /** Rejects with SERVICE_UNAVAILABLE when the database did not take it in time; then it is undone as soon as it answers. */
  hold(op: HoldOp): Promise<OpResult>
  /** Never rejects: sent again until the database has it. `urgent` does not wait for company. */
  settle(op: SettleOp, urgent: boolean): Promise<OpResult>
  /** Resolves when everything accepted so far is durable, or after `drainMs`; nothing is sent after it. */
  close(drainMs?: number): Promise<void>
}

interface Waiting<Op> {
  op: Op
  resolve: (result: OpResult) => void
}
interface WaitingSettle extends Waiting<SettleOp> {
  dueMs: number
}
interface WaitingHold extends Waiting<HoldOp> {
  deadlineMs: number
  sent: boolean
  /** Sent on a connection that broke: the server may still carry it out, later than what was sent after it. */
  lost: boolean
  refused: boolean
  reject: (error: Error) => void
}

interface Batch {
  ending: WaitingSettle[]
  taking: WaitingHold[]
  results: Promise<OpResult[]>
}

const batchSize = 256
/**
 * A settlement that nobody waits for lets company come: many in one statement cost little more than one, and holds, which callers
 * wait for, go before it.
 */
const lingerMs = 10
const holdPatienceMs = 5000
/** A server that lost its client works on until its own limit of a statement (`platform/db`, 30 s); by then it has ended. */
const lastArrivalMs = 40_000

const apply = { name: 'ledger.apply', text: 'select * from ledger.apply($1::json, $2::json, $3, $4)' }

export function openCommitter({
  db,
  clock,
  log,
  thresholdsPercent,
  metrics,
}: {
  db: Db
  clock: Clock
  log: Log
  thresholdsPercent: readonly number[]
  metrics?: Metrics | undefined
}): Committer {
  const holds: WaitingHold[] = []
  const settles: WaitingSettle[] = []
  const undoing = new Map<string, { op: HoldOp; timer: NodeJS.Timeout }>()
  let busy = false
  let closing = false
  let closed = false
  let linger: NodeJS.Timeout | undefined
  let patience: NodeJS.Timeout | undefined
  let idle: (() => void)[] = []
  metrics?.ledgerQueue.from(() => [
    [{ kind: 'hold' }, holds.length],
    [{ kind: 'settle' }, settles.length],
  ])

  function addSettle(op: SettleOp, resolve: (result: OpResult) => void, urgent: boolean): void {
    const dueMs = urgent ? 0 : performance.now() + lingerMs
    // The urgent ones first, since only the first of the queue is looked at.
    if (urgent) settles.unshift({ op, resolve, dueMs })
    else settles.push({ op, resolve, dueMs })
    flushWhenDue()
  }

  const settlesAreDue = (): boolean =>
    settles.length > 0 && (closing || settles.length >= batchSize || settles[0]!.dueMs <= performance.now())

  function flushWhenDue(): void {
    if (busy || closed) return
    if (holds.length > 0 || settlesAreDue()) void flush()
    else if (settles.length > 0) linger ??= setTimeout(lingerEnded, settles[0]!.dueMs - performance.now())
  }

  function lingerEnded(): void {
    linger = undefined
    flushWhenDue()
  }

  async function flush(): Promise<void> {
    busy = true
    let pauseMs = 50
    let batch = sendNext()
    while (batch) {
      const { ending, taking } = batch
      try {
        const results = await batch.results
        holds.splice(0, taking.length)
        // What was refused meanwhile is undone before anything new asks for its key or its credits.
        if (taking.some(({ refused }) => refused)) {
          deliver(ending, taking, results)
          batch = sendNext()
        } else {
          batch = sendNext()
          // The callers of this batch would keep the next one from being written until all of them had done their work.
          if (batch) await nextTurn()
          deliver(ending, taking, results)
        }
        pauseMs = 50
      } catch (error) {
        if (isWorthAnotherTry(error)) {
          for (const hold of taking) hold.lost = true
          settles.unshift(...ending)
          log.warn(
            { err: error, holds: holds.length, settles: settles.length },
            'ledger commit failed; it is sent again',
          )
          await pause(pauseMs)
          pauseMs = Math.min(pauseMs * 2, 1000)
        } else {
          holds.splice(0, taking.length)
          dropBroken(ending, taking, error)
        }
        batch = sendNext()
      }
    }
    busy = false
    flushWhenDue()
    for (const wake of idle) wake()
    idle = []
  }

  /** What is due goes on its way, settlements with the holds; undefined when nothing is. */
  function sendNext(): Batch | undefined {
    if (closed || (holds.length === 0 && !settlesAreDue())) return undefined
    const taking = nextHolds()
    const ending = settlesAreDue() ? settles.splice(0, batchSize) : []
    for (const hold of taking) hold.sent = true
    const results = send(ending, taking)
    // Read by `flush`, maybe a moment after it has failed.
    results.catch(() => {})
    return { ending, taking, results }
  }

  /** Refused holds, the oldest of the queue, go before all others: their undoing frees claims and credits for those. */
  function nextHolds(): WaitingHold[] {
    const live = holds.findIndex(({ refused }) => !refused)
    return holds.slice(0, live > 0 ? Math.min(live, batchSize) : batchSize)
  }

  async function send(ending: WaitingSettle[], taking: WaitingHold[]): Promise<OpResult[]> {
    const sentMs = performance.now()
    const settling = ending.map(({ op }, i) => ({ seq: i, ...op }))
    const holding = taking.map(({ op }, i) => ({ seq: ending.length + i, ...op }))
    const results = await db.query<OpResult>(apply, [
      JSON.stringify(settling, plain),
      JSON.stringify(holding, plain),
      new Date(clock.nowMs()),
      thresholdsPercent,
    ])
    metrics?.ledgerCommitSeconds.since(sentMs)
    metrics?.ledgerBatch.observe(ending.length + taking.length)
    return results
  }

  function deliver(ending: WaitingSettle[], taking: WaitingHold[], results: OpResult[]): void {
    for (const result of results) {
      if (result.seq < ending.length) ending[result.seq]!.resolve(result)
      else {
        const hold = taking[result.seq - ending.length]!
        // It was taken by a commit whose reply was lost, and swept before we could ask again.
        const swept = result.outcome === 'claimed' && result.receipt_id === hold.op.receipt_id
        if (swept || (hold.refused && result.outcome === 'held')) undo(hold.op)
        else if (hold.lost && result.outcome !== 'held') undoLater(hold.op)
        if (swept) hold.reject(databaseAway())
        else hold.resolve(result)
      }
    }
  }

  /** The caller was told 503, yet the hold is there: nothing was sent upstream for it, so it goes back whole. */
  function undo(op: HoldOp): void {
    const end = { ...untouched, hold_id: op.hold_id, receipt_id: op.receipt_id, account_id: op.account_id }
    addSettle(end, () => {}, true)
  }

  /** The second sending was refused; should the first one be carried out after it, nobody would know of its hold. */
  function undoLater(op: HoldOp): void {
    const timer = setTimeout(() => {
      undoing.delete(op.hold_id)
      undo(op)
    }, lastArrivalMs)
    undoing.set(op.hold_id, { op, timer: timer.unref() })
  }

  /** A caller that asks for less under the same id may now get it, and it is no longer to be undone. True when it was. */
  function doNotUndo(holdId: string): boolean {
    clearTimeout(undoing.get(holdId)?.timer)
    return undoing.delete(holdId)
  }

  /** A batch that the database refuses for good (a defect of ours) must not stop all others: each goes alone, the broken one is told. */
  function dropBroken(ending: WaitingSettle[], taking: WaitingHold[], error: unknown): void {
    if (ending.length + taking.length > 1) {
      for (const one of ending) void alone([one], [])
      for (const one of taking) void alone([], [one])
      return
    }
    giveUp(ending, taking, error)
  }

  async function alone(ending: WaitingSettle[], taking: WaitingHold[]): Promise<void> {
    try {
      deliver(ending, taking, await send(ending, taking))
    } catch (error) {
      if (!isWorthAnotherTry(error)) return giveUp(ending, taking, error)
      for (const one of taking) one.lost = true
      settles.unshift(...ending)
      holds.push(...taking)
      flushWhenDue()
    }
  }

  function giveUp(ending: WaitingSettle[], taking: WaitingHold[], error: unknown): void {
    log.error(
      { err: error, settle: ending[0]?.op.receipt_id, hold: taking[0]?.op.receipt_id },
      'the ledger refused an operation; the sweeper will end its hold',
    )
    for (const one of taking) one.reject(error as Error)
    for (const one of ending)
      one.resolve({ seq: 0, outcome: 'gone', receipt_id: null, scope: null, need: 0n, have: 0n })
  }

  /** Callers do not wait for a database that is away; what was never sent is forgotten, what was sent is undone later. */
  function loseCompany(): void {
    patience = undefined
    const now = Date.now()
    for (const hold of [...holds]) {
      if (hold.refused || hold.deadlineMs > now) continue
      hold.refused = true
      if (!hold.sent) holds.splice(holds.indexOf(hold), 1)
      hold.reject(databaseAway())
    }
    watchPatience()
  }

  function watchPatience(): void {
    if (patience || holds.length === 0) return
    patience = setTimeout(loseCompany, holdPatienceMs / 10)
    patience.unref()
  }

  return {
    hold: (op) =>
      new Promise((resolve, reject) => {
        holds.push({
          op,
          resolve,
          reject,
          sent: false,
          lost: doNotUndo(op.hold_id),
          refused: false,
          deadlineMs: Date.now() + holdPatienceMs,
        })
        watchPatience()
        flushWhenDue()
      }),
    settle: (op, urgent) => new Promise((resolve) => addSettle(op, resolve, urgent)),
    async close(drainMs = 5000) {
      closing = true
      for (const [id, { op }] of undoing) if (doNotUndo(id)) undo(op)
      if (holds.length + settles.length > 0 || busy) {
        const done = new Promise<void>((resolve) => idle.push(resolve))
        const late = new Promise<void>((resolve) => setTimeout(resolve, drainMs).unref())
        flushWhenDue()
        await Promise.race([done, late])
      }
      closed = true
      clearTimeout(patience)
      clearTimeout(linger)
    },
  }
}

const untouched = {
  actual: 0n,
  state: 'failed',
  status_code: 503,
  ambiguous: false,
  free_claim: true,
  within_hold: false,
  model: undefined,
  detail: { outcome: 'undone' },
  reply: undefined,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
} as const

const databaseAway = (): Failure =>
  new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2000 })

/** PostgreSQL takes neither NUL nor half a surrogate pair; what an upstream says may hold both, or be cut between the halves. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0')
      ? value
      : value.toWellFormed().replaceAll('\0', '\uFFFD')
  return typeof value === 'bigint' ? value.toString() : value
}

/** A lost connection, a serialization failure, a deadlock, a full disk (class 53) or its trouble (58): the same ids can be sent again. */
function isWorthAnotherTry(error: unknown): boolean {
  const code = (error as { code?: string }).code
  if (code !== undefined && /^5[38][0-9A-Z]{3}$/.test(code)) return true
  return isDatabaseAway(error) || code === '40001' || code === '40P01' || code === '55P03' || code === '57014'
}
