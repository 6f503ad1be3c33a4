/** The ledger as a person would keep it by hand: one operation after the other, in plain maps. The database must agree with it. */

export type Outcome = {
  seq: number
  outcome: string
  receipt: string | null
  scope: string | null
  need: bigint | null
  have: bigint | null
}

export interface Meter {
  scope: 'account' | 'project' | 'key'
  spent: bigint
  held: bigint
  cap: bigint | null
  month: string
  monthSpent: bigint
  monthHeld: bigint
  monthCap: bigint | null
  ratePerMinute: number | null
  concurrency: number | null
  /** Calls under way. */
  open: number
  /** The Unix second of each call begun in the minute that ends with the last of them. Kept only where there is a rate. */
  begun: number[]
}

export type Limits = Pick<Meter, 'cap' | 'monthCap' | 'ratePerMinute' | 'concurrency'>

export interface HoldOp {
  id: string
  account: string
  project: string
  key: string
  idempotencyKey: string | null
  amount: bigint
  started: boolean
  /** A process that is alive; null hangs on the time alone, 'dead' is one that nobody hears of. */
  process: 'alive' | 'dead' | null
  expiresAtMs: number
  /** If its process dies, it costs nothing, and its amount is the platform's loss. */
  freeIfLost?: boolean
}

export interface SettleOp {
  id: string
  account: string
  actual: bigint
  failed: boolean
  freeClaim: boolean
  /** Charged is at most the hold, whatever else is free. */
  withinHold?: boolean
  /** The part of it that is not charged: it is the platform's loss. */
  lost?: bigint
}

interface Open {
  op: HoldOp
  month: string
}

export interface Paper {
  account: string
  project: string
  key: string
  idempotencyKey: string | null
  month: string
  state: 'running' | 'completed' | 'failed'
  ambiguous: boolean
  claiming: boolean
  charged: bigint
  /** What the platform lost by it. */
  lost: bigint
}

const max = (value: bigint, floor = 0n): bigint => (value > floor ? value : floor)
const least = (values: bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b))

/** Month in Tehran, which has been at UTC+03:30 all year since 2022. */
export const monthOf = (ms: number): string => new Date(ms + 3.5 * 3_600_000).toISOString().slice(0, 7)

export class LedgerModel {
  readonly balances = new Map<string, { balance: bigint; held: bigint }>()
  readonly meters = new Map<string, Meter>()
  readonly holds = new Map<string, Open>()
  readonly papers = new Map<string, Paper>()
  readonly #grants = new Set<string>()
  loss = 0n

  openMeter(id: string, scope: Meter['scope']): void {
    this.meters.set(id, {
      scope,
      spent: 0n,
      held: 0n,
      cap: null,
      month: '2000-01',
      monthSpent: 0n,
      monthHeld: 0n,
      monthCap: null,
      ratePerMinute: null,
      concurrency: null,
      open: 0,
      begun: [],
    })
    if (scope === 'account') this.balances.set(id, { balance: 0n, held: 0n })
  }

  /** False when it would take what is not free. */
  grant(account: string, transfer: string, amount: bigint): boolean {
    const books = this.balances.get(account)!
    if (this.#grants.has(transfer)) return true
    if (books.balance + amount < books.held) return false
    this.#grants.add(transfer)
    books.balance += amount
    return true
  }

  setCaps(id: string, caps: Partial<Limits>): void {
    Object.assign(this.meters.get(id)!, caps)
  }

  hold(op: HoldOp, seq: number, atMs: number): Outcome {
    if (this.holds.has(op.id)) return result(seq, 'held', op.id, null, op.amount, null)
    if (this.papers.has(op.id)) return result(seq, 'claimed', op.id)
    const earlier = op.idempotencyKey && this.#claim(op.key, op.idempotencyKey)
    if (earlier) return result(seq, 'claimed', earlier)
    const meters = this.#metersOf(op)
    const month = meters.reduce(
      (latest, meter) => (meter.scope === 'account' && meter.month > latest ? meter.month : latest),
      monthOf(atMs),
    )
    const second = Math.floor(atMs / 1000)
    const short = this.#short(op, month)
    if (short) return result(seq, 'insufficient', null, short.scope, op.amount, max(short.have))
    const fast = tooFast(meters, second)
    if (fast) return result(seq, 'limited', null, fast.scope, fast.waitMs, max(fast.have))

    this.balances.get(op.account)!.held += op.amount
    for (const meter of meters) {
      const turned = meter.month !== month
      meter.held += op.amount
      meter.monthHeld = (turned ? 0n : meter.monthHeld) + op.amount
      meter.monthSpent = turned ? 0n : meter.monthSpent
      meter.month = month
      meter.open++
      meter.begun = meter.ratePerMinute === null ? [] : [...minuteOf(meter, second), secondOf(meter, second)]
    }
    this.holds.set(op.id, { op, month })
    const { account, project, key, idempotencyKey } = op
    this.papers.set(op.id, {
      account,
      project,
      key,
      idempotencyKey,
      month,
      state: 'running',
      ambiguous: false,
      claiming: true,
      charged: 0n,
      lost: 0n,
    })
    return result(seq, 'held', op.id, null, op.amount, null)
  }

  /** Those that their holds cover end together, the first for each hold; the others end one by one after them. */
  settleAll(ops: readonly SettleOp[]): Outcome[] {
    const covered = new Map<string, number>()
    for (const [seq, { id, actual }] of ops.entries()) {
      const open = this.holds.get(id)
      if (open && actual <= open.op.amount && !covered.has(id)) covered.set(id, seq)
    }
    const outcomes = new Map<number, Outcome>()
    for (const seq of new Set([...covered.values(), ...ops.keys()]))
      outcomes.set(seq, this.settle(ops[seq]!, seq))
    return ops.map((_, seq) => outcomes.get(seq)!)
  }

  settle(op: SettleOp, seq: number, sweeping?: { ambiguous: boolean }): Outcome {
    const open = this.holds.get(op.id)
    if (!open) {
      this.#mend(op)
      return result(seq, 'gone', op.id, null, this.papers.get(op.id)?.charged ?? 0n, null)
    }
    const { amount } = open.op
    const charged = this.#chargeOf(op, open)
    const books = this.balances.get(open.op.account)!
    books.held -= amount
    books.balance -= charged
    for (const meter of this.#metersOf(open.op)) {
      meter.held -= amount
      meter.spent += charged
      meter.open--
      if (meter.month !== open.month) continue
      meter.monthHeld -= amount
      meter.monthSpent += charged
    }
    this.holds.delete(op.id)
    const paper = this.papers.get(op.id)!
    paper.state = op.failed ? 'failed' : 'completed'
    paper.ambiguous = sweeping?.ambiguous ?? false
    paper.charged = charged
    paper.lost = op.actual - charged
    if (op.freeClaim) paper.claiming = false
    this.loss += paper.lost
    return result(seq, 'settled', op.id, null, charged, op.actual - charged)
  }

  #chargeOf({ actual, lost = 0n, withinHold }: SettleOp, open: Open): bigint {
    const { amount } = open.op
    const due = max(actual - lost)
    return due <= amount ? due : least([due, amount + (withinHold ? 0n : this.#room(open))])
  }

  /** Ends what is over; answers the ids. */
  sweep(atMs: number): string[] {
    const over = [...this.holds.values()].filter(({ op }) => op.expiresAtMs < atMs || op.process === 'dead')
    for (const { op } of over) {
      const { id, account, started, freeIfLost = false } = op
      const actual = started ? op.amount : 0n
      const end = {
        id,
        account,
        actual,
        failed: true,
        freeClaim: !started,
        withinHold: true,
        lost: freeIfLost ? actual : 0n,
      }
      this.settle(end, 0, { ambiguous: started })
    }
    return over.map(({ op }) => op.id)
  }

  #mend(op: SettleOp): void {
    const paper = this.papers.get(op.id)
    if (!paper?.ambiguous) return
    const refund = max(paper.charged - max(op.actual - (op.lost ?? 0n)))
    this.loss += max(op.actual - (paper.charged - refund)) - paper.lost
    paper.lost = 0n
    this.balances.get(paper.account)!.balance += refund
    for (const meter of this.#metersOf(paper)) {
      meter.spent -= refund
      if (meter.month === paper.month) meter.monthSpent -= refund
    }
    paper.ambiguous = false
    paper.charged -= refund
    paper.state = op.failed ? 'failed' : 'completed'
    if (op.freeClaim) paper.claiming = false
  }

  /** Everything as it is now; what is returned brings it back. */
  remember(): () => void {
    const { balances, meters, holds, papers, loss } = this
    const kept = structuredClone({ balances, meters, holds, papers, grants: this.#grants })
    return () => {
      refill(balances, kept.balances)
      refill(meters, kept.meters)
      refill(holds, kept.holds)
      refill(papers, kept.papers)
      this.#grants.clear()
      for (const grant of kept.grants) this.#grants.add(grant)
      this.loss = loss
    }
  }

  #metersOf(of: { account: string; project: string; key: string }): Meter[] {
    return [of.account, of.project, of.key].map((id) => this.meters.get(id)!)
  }

  #claim(key: string, idempotencyKey: string): string | undefined {
    for (const [id, paper] of this.papers) {
      if (paper.claiming && paper.key === key && paper.idempotencyKey === idempotencyKey) return id
    }
    return undefined
  }

  /** Balance first, then total caps, then monthly ones, each in the order account, key, project. */
  #short(op: HoldOp, month: string): { scope: string; have: bigint } | undefined {
    const books = this.balances.get(op.account)!
    const [account, project, key] = this.#metersOf(op) as [Meter, Meter, Meter]
    const free = books.balance - books.held
    if (op.amount > free) return { scope: 'balance', have: free }
    for (const meter of [account, key, project]) {
      const have = meter.cap === null ? undefined : meter.cap - meter.spent - meter.held
      if (have !== undefined && op.amount > have) return { scope: meter.scope, have }
    }
    for (const meter of [account, key, project]) {
      const used = meter.month === month ? meter.monthSpent + meter.monthHeld : 0n
      const have = meter.monthCap === null ? undefined : meter.monthCap - used
      if (have !== undefined && op.amount > have) return { scope: `${meter.scope}_month`, have }
    }
    return undefined
  }

  #room(open: Open): bigint {
    const books = this.balances.get(open.op.account)!
    const rooms = [books.balance - books.held]
    for (const meter of this.#metersOf(open.op)) {
      if (meter.cap !== null) rooms.push(meter.cap - meter.spent - meter.held)
      if (meter.monthCap !== null && meter.month === open.month)
        rooms.push(meter.monthCap - meter.monthSpent - meter.monthHeld)
    }
    return max(least(rooms))
  }
}

function refill<Key, Value>(map: Map<Key, Value>, kept: Map<Key, Value>): void {
  map.clear()
  for (const [key, value] of kept) map.set(key, value)
}

/** As the books count: never back, should the clocks of two machines disagree. */
const secondOf = ({ begun }: Meter, second: number): number => Math.max(second, begun.at(-1) ?? second)

const minuteOf = (meter: Meter, second: number): number[] =>
  meter.begun.filter((begun) => begun > secondOf(meter, second) - 60)

/** Calls under way first, then calls begun in a minute, each in the order account, key, project; what is there, and how long to wait. */
function tooFast(
  [account, project, key]: Meter[],
  second: number,
): { scope: string; have: bigint; waitMs: bigint } | undefined {
  const inOrder = [account!, key!, project!]
  for (const { scope, concurrency, open } of inOrder) {
    if (concurrency !== null && open >= concurrency)
      return { scope: `${scope}_concurrency`, have: BigInt(concurrency - open), waitMs: 1_000n }
  }
  for (const meter of inOrder) {
    const begun = minuteOf(meter, second)
    const { scope, ratePerMinute } = meter
    if (ratePerMinute === null || begun.length < ratePerMinute) continue
    const seconds = begun[0]! + 60 - secondOf(meter, second)
    return {
      scope: `${scope}_rate`,
      have: BigInt(ratePerMinute - begun.length),
      waitMs: BigInt(seconds) * 1_000n,
    }
  }
  return undefined
}

const result = (
  seq: number,
  outcome: string,
  receipt: string | null,
  scope: string | null = null,
  need: bigint | null = null,
  have: bigint | null = null,
): Outcome => ({ seq, outcome, receipt, scope, need, have })
