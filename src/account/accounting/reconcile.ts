/** Compares our books with an upstream's invoice: what agrees, and why the rest does not. Nothing is changed. */
import type { Tx } from '#platform/db'
import type { InvoiceRow } from './invoice.ts'
import * as store from './store.ts'
import * as found from './verdicts/store.ts'

export type { Difference, RowVerdict, SideTotals } from './verdicts/store.ts'
export { verdicts } from './verdicts/store.ts'

export interface ReconcileOptions extends store.DateRange {
  rows: AsyncIterable<InvoiceRow>
  /** The charge for one USD of the upstream's price: `credits_per_usd × markup × 1,000,000`. 0 leaves USD out of the comparison. */
  microcreditsPerUsd: number
}

export interface ComparedTotals {
  invoice: found.SideTotals
  receipts: found.SideTotals
}

export interface Reconciliation {
  /** The sums of each verdict; `total` is the exact sum of all of them. */
  verdicts: Record<found.RowVerdict, ComparedTotals>
  total: ComparedTotals
  /** Rows of the file, and how many of them lie outside the dates and were left out. */
  file: { rows: bigint; outside: bigint }
  /** Receipts of these dates, of any provider, that may explain a row without a receipt. */
  running: bigint
  ambiguous: { receipts: bigint; chargedMicrocredits: bigint }
  /** Calls of durable runs that a crash hid, paid at their worst case; they are missing from every sum. */
  lost: { calls: bigint; chargedMicrocredits: bigint }
  /** Broken invariants of the ledger itself. */
  contradictions: { invariant: string; account_id: string }[]
  /** Every difference, sorted by kind and time; read it before the transaction ends. */
  differences(): AsyncGenerator<found.Difference>
}

const batchSize = 1_000

/** Compares in temporary tables of `tx`; roll `tx` back when all is read. Throws what reading the rows throws. */
export async function reconcile(tx: Tx, options: ReconcileOptions): Promise<Reconciliation> {
  await store.createTemporaryTables(tx)
  await loadRows(tx, options)
  await store.addCalls(tx, options)
  await store.matchByIds(tx)
  // Rows without ids may match any call; rows with an unknown id, only calls for which the upstream never reported an id.
  await matchByTime(tx, true)
  await matchByTime(tx, false)
  await found.assignVerdicts(tx, options.microcreditsPerUsd)
  const { running, ambiguous, ambiguous_charged, lost, lost_charged } = await found.unattributed(tx, options)
  return {
    ...(await sumVerdicts(tx)),
    file: await found.countRows(tx),
    running,
    ambiguous: { receipts: ambiguous, chargedMicrocredits: ambiguous_charged },
    lost: { calls: lost, chargedMicrocredits: lost_charged },
    contradictions: await found.contradictions(tx),
    differences: () => found.differences(tx),
  }
}

async function loadRows(tx: Tx, options: ReconcileOptions): Promise<void> {
  let batch: InvoiceRow[] = []
  for await (const row of options.rows) {
    if (batch.push(row) < batchSize) continue
    await store.addRows(tx, batch, options)
    batch = []
  }
  if (batch.length > 0) await store.addRows(tx, batch, options)
}

/** Pairs rows with calls of the same model and tokens, one to one, the nearest in time, within two minutes. */
async function matchByTime(tx: Tx, withoutIds: boolean): Promise<void> {
  const rows = store.unmatchedRows(tx, withoutIds)
  const calls = store.unmatchedCalls(tx, !withoutIds)
  const pairs: { line: bigint; call: bigint }[] = []
  let row = await rows.next()
  let call = row.done ? undefined : await calls.next()
  while (!row.done && call && !call.done) {
    const order = compare(row.value, call.value)
    if (order === 0) {
      pairs.push({ line: row.value.id, call: call.value.id })
      if (pairs.length === batchSize) await store.writePairs(tx, pairs.splice(0))
    }
    if (order <= 0) row = await rows.next()
    if (order >= 0) call = await calls.next()
  }
  await rows.return(undefined)
  await calls.return(undefined)
  if (pairs.length > 0) await store.writePairs(tx, pairs)
}

/** 0 for a pair; below 0 when the row comes before all calls that are left, above when the call comes before all rows. */
function compare(row: store.TimedEntry, call: store.TimedEntry): number {
  if (row.kind !== call.kind) return Buffer.compare(Buffer.from(row.kind), Buffer.from(call.kind))
  const apartSeconds = (row.at.getTime() - call.at.getTime()) / 1000
  return Math.abs(apartSeconds) <= store.windowSeconds ? 0 : apartSeconds
}

async function sumVerdicts(tx: Tx): Promise<Pick<Reconciliation, 'verdicts' | 'total'>> {
  const rows = await found.sums(tx)
  const verdicts = Object.fromEntries(
    found.verdicts.map((verdict) => [
      verdict,
      comparedTotalsOf(rows.filter((row) => row.verdict === verdict)),
    ]),
  ) as Reconciliation['verdicts']
  return { verdicts, total: comparedTotalsOf(rows) }
}

function comparedTotalsOf(rows: Awaited<ReturnType<typeof found.sums>>): ComparedTotals {
  const sum = (pick: (row: (typeof rows)[number]) => bigint): bigint =>
    rows.reduce((total, row) => total + pick(row), 0n)
  return {
    invoice: {
      calls: sum((row) => row.their_calls),
      input: sum((row) => row.their_input),
      output: sum((row) => row.their_output),
      usd: addDecimals(rows.map((row) => row.their_usd)),
    },
    receipts: {
      calls: sum((row) => row.our_calls),
      input: sum((row) => row.our_input),
      output: sum((row) => row.our_output),
      usd: addDecimals(rows.map((row) => row.our_usd)),
    },
  }
}

/** The exact sum of decimals, whatever their number of places. */
export function addDecimals(texts: readonly string[]): string {
  const places = Math.max(0, ...texts.map((text) => text.split('.')[1]?.length ?? 0))
  const scaled = texts.reduce((total, text) => {
    const [integer = '0', fraction = ''] = text.split('.')
    return total + BigInt(integer.replace(/^(-?)$/, '$10') + fraction.padEnd(places, '0'))
  }, 0n)
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(places + 1, '0')
  const integer = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places).replace(/(?<!0)0+$/, '')
  return `${scaled < 0n ? '-' : ''}${integer}${fraction === '' ? '' : `.${fraction}`}`
}
