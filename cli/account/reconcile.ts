import { createReadStream } from 'node:fs'
import type {
  Difference,
  InvoiceColumns,
  InvoiceField,
  Reconciliation,
  RowVerdict,
  SideTotals,
} from '#account/accounting'
import { readConfigFile } from '#platform/config'
import type { Language } from '#platform/errors'
import { persianDecimal } from '#platform/words'
import { loadConfig } from '#settings'
import { showCredits } from '../amounts.ts'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuse,
  refuseUsage,
  type Session,
} from '../command.ts'
import { latin } from '../numerals.ts'
import { type TableColumn, table } from '../output.ts'
import {
  explanation,
  reconcileTitles as titles,
  verdictTitles,
  reconcilePhrases as words,
} from './reconcile/phrases.ts'

export const reconcileCommands: Command[] = [
  {
    name: 'reconcile',
    about: {
      fa: 'رسیدها و دفترها را با صورت‌حساب یک ارائه‌دهنده می‌سنجد و هر اختلاف را شرح می‌دهد.',
      en: "Compares receipts and ledger with a provider's invoice, and explains every difference.",
    },
    takes: [],
    options: ['provider', 'from', 'to', 'invoice', 'map'],
    needs: ['provider', 'from', 'to', 'invoice'],
    run,
  },
]

interface ReconcileOptions {
  provider: string
  file: string
  from: Date
  to: Date
  /** The bounds as typed, for the heading. */
  shown: { from: string; to: string }
  columns: InvoiceColumns
}

async function run(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { invoiceFields } = await import('#account/accounting')
  const { provider = '', invoice: file = '', from = '', to = '', map } = options
  const comparison: ReconcileOptions = {
    provider,
    file,
    from: readBound('--from', from, 'first'),
    to: readBound('--to', to, 'last'),
    shown: { from: latin(from), to: latin(to) },
    columns: map === undefined ? {} : readMap(map, invoiceFields),
  }
  if (comparison.from >= comparison.to) refuseUsage(words.backwards())
  const outcome: CommandResult = {
    json: undefined,
    text: '',
    async *pieces(asJson) {
      for await (const { found, piece } of reportPieces(session, comparison, asJson)) {
        outcome.failed = hasDifferences(found)
        yield piece
      }
    },
  }
  return outcome
}

/** Runs the whole comparison inside one transaction that is rolled back: nothing is left behind. */
async function* reportPieces(session: Session, comparison: ReconcileOptions, asJson: boolean) {
  const { reconcile, readInvoice } = await import('#account/accounting')
  const { creditsPerUsd, markup } = loadConfig(session.env, readConfigFile(session.env)).defaults
  const db = await session.openedDb()
  const tx = await db.kysely.startTransaction().setIsolationLevel('repeatable read').execute()
  try {
    const found = await reconcile(tx, {
      ...comparison,
      rows: readInvoice(textOfFile(comparison.file), comparison.columns),
      microcreditsPerUsd: creditsPerUsd * markup * 1e6,
    }).catch((error: unknown) => refuseFile(comparison.file, error))
    const pieces = asJson
      ? jsonOf(comparison, found, session.language)
      : textOf(comparison, found, session.language)
    for await (const piece of pieces) yield { found, piece }
  } finally {
    await tx.rollback().execute()
  }
}

/** The text of a file, which is opened when it is first read from: a failure to open needs a listener. */
async function* textOfFile(file: string): AsyncGenerator<string> {
  yield* createReadStream(file, 'utf8') as AsyncIterable<string>
}

async function refuseFile(file: string, error: unknown): Promise<never> {
  const { InvoiceError } = await import('#account/accounting')
  if (error instanceof InvoiceError) refuse('INVOICE_UNREADABLE', words.unreadable(file, error))
  const { code, path } = error as NodeJS.ErrnoException
  if (path !== undefined && code !== undefined) refuse('INVOICE_UNREADABLE', words.noFile(file, code))
  throw error
}

const dayMs = 86_400_000

/** Reads a bound. A day is a day of UTC, as vendors bill; the last one is counted whole. */
function readBound(option: string, typed: string, which: 'first' | 'last'): Date {
  const text = latin(typed.trim())
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const ms = day ? Date.parse(`${text}T00:00:00Z`) : Date.parse(text)
  const valid = /^\d{4}-\d{2}-\d{2}($|T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$)/.test(text)
  // A day that its month does not have is refused: `Date.parse` would count it on into the next month.
  if (!valid || Number.isNaN(ms) || (day && !new Date(ms).toISOString().startsWith(text)))
    refuseUsage(words.notADate(option, typed))
  return new Date(day && which === 'last' ? ms + dayMs : ms)
}

function readMap(typed: string, known: readonly InvoiceField[]): InvoiceColumns {
  const columns: InvoiceColumns = {}
  for (const item of typed.split(',')) {
    const [name, ...rest] = item.split('=')
    const field = known.find((one) => one === name?.trim())
    const column = rest.join('=').trim()
    if (field === undefined || column === '') refuseUsage(words.notAMap(typed, known.join(', ')))
    else columns[field] = column
  }
  return columns
}

const differences = ({ verdicts }: Reconciliation): bigint =>
  (Object.entries(verdicts) as [RowVerdict, Reconciliation['total']][])
    .filter(([verdict]) => verdict !== 'matched')
    .reduce(
      (sum, [verdict, { invoice, receipts }]) =>
        sum + (verdict === 'receipt_only' ? receipts : invoice).calls,
      0n,
    )

const hasDifferences = (found: Reconciliation): boolean =>
  differences(found) > 0n || found.contradictions.length > 0

async function* textOf(
  comparison: ReconcileOptions,
  found: Reconciliation,
  language: Language,
): AsyncGenerator<string> {
  const { provider, shown } = comparison
  const { file, total, running, ambiguous, lost, contradictions } = found
  const count = differences(found)
  const notes = [
    ...(total.receipts.calls === 0n ? [words.noReceipts(provider)] : []),
    ...(running > 0n ? [words.running(running)] : []),
    ...(ambiguous.receipts > 0n
      ? [words.ambiguous(ambiguous.receipts, showCredits(ambiguous.chargedMicrocredits, 'en'))]
      : []),
    ...(lost.calls > 0n ? [words.lost(lost.calls, showCredits(lost.chargedMicrocredits, 'en'))] : []),
    contradictions[0]
      ? words.ledgerBroken(
          contradictions.length,
          `${contradictions[0].invariant} (${contradictions[0].account_id})`,
        )
      : words.ledgerWhole(),
    count === 0n ? words.agrees() : words.differs(count),
  ]
  yield `${words.heading(provider, shown.from, shown.to, file.rows, file.outside)[language]}\n\n`
  yield `${summary(found, language)}\n${notes.map((note) => `${note[language]}\n`).join('')}`
  for await (const one of found.differences()) yield lineOf(one, language)
}

interface SummaryRow {
  title: string
  calls: bigint
  invoice: SideTotals
  receipts: SideTotals
}

function summary({ verdicts, total }: Reconciliation, language: Language): string {
  const rows: SummaryRow[] = [
    ...(Object.entries(verdicts) as [RowVerdict, Reconciliation['total']][]).map(([verdict, sides]) => ({
      title: verdictTitles[verdict][language],
      calls: verdict === 'receipt_only' ? sides.receipts.calls : sides.invoice.calls,
      ...sides,
    })),
  ]
  const calls = rows.reduce((sum, row) => sum + row.calls, 0n)
  rows.push({ title: titles.total[language], calls, ...total })
  const show = (value: bigint | string): string => (language === 'fa' ? persianDecimal(value) : String(value))
  const tokens = ({ input, output }: SideTotals): string => `${show(input)} + ${show(output)}`
  const columns: TableColumn<SummaryRow>[] = [
    { title: titles.kind, show: (row) => row.title },
    { title: titles.calls, show: (row) => show(row.calls), numeric: true },
    { title: titles.theirTokens, show: (row) => tokens(row.invoice), numeric: true },
    { title: titles.ourTokens, show: (row) => tokens(row.receipts), numeric: true },
    { title: titles.theirUsd, show: (row) => show(row.invoice.usd), numeric: true },
    { title: titles.ourUsd, show: (row) => show(row.receipts.usd), numeric: true },
  ]
  return table(rows, columns, language)
}

function lineOf(one: Difference, language: Language): string {
  const where = [
    one.line === null ? undefined : `#${one.line}`,
    one.at
      ?.toISOString()
      .replace('T', ' ')
      .replace(/\.\d+Z$/, 'Z'),
    one.model,
    one.upstream_id,
    one.receipt_id === null ? undefined : `${one.receipt_id}${one.attempt === null ? '' : `-${one.attempt}`}`,
  ]
  const side =
    one.line === null
      ? [one.our_input, one.our_output, one.our_usd]
      : [one.their_input, one.their_output, one.their_usd]
  const [input, output, usd] = side
  const figures = `${input ?? '?'} + ${output ?? '?'}${usd === null ? '' : `, ${usd} USD`}`
  return `- ${verdictTitles[one.verdict][language]}: ${where.filter(Boolean).join(' · ')} · ${figures}\n  ${explanation(one)[language]}\n`
}

const sideJson = ({ calls, input, output, usd }: SideTotals) => ({
  calls: Number(calls),
  input_tokens: Number(input),
  output_tokens: Number(output),
  usd,
})
const comparedJson = ({ invoice, receipts }: Reconciliation['total']) => ({
  invoice: sideJson(invoice),
  receipts: sideJson(receipts),
})

/** Writes one JSON document as it is found; USD and micro-credits are strings, since a number of JSON is not exact. */
async function* jsonOf(
  comparison: ReconcileOptions,
  found: Reconciliation,
  language: Language,
): AsyncGenerator<string> {
  const head = {
    provider: comparison.provider,
    from: comparison.from.toISOString(),
    to: comparison.to.toISOString(),
    agrees: !hasDifferences(found),
    rows: Number(found.file.rows),
    rows_outside: Number(found.file.outside),
    total: comparedJson(found.total),
    kinds: Object.fromEntries(
      Object.entries(found.verdicts).map(([verdict, compared]) => [verdict, comparedJson(compared)]),
    ),
    running_receipts: Number(found.running),
    ambiguous_receipts: Number(found.ambiguous.receipts),
    ambiguous_microcredits: String(found.ambiguous.chargedMicrocredits),
    lost_calls: Number(found.lost.calls),
    lost_microcredits: String(found.lost.chargedMicrocredits),
    ledger_contradictions: found.contradictions,
  }
  yield `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "differences": [`
  let first = true
  for await (const one of found.differences()) {
    yield `${first ? '' : ','}\n    ${JSON.stringify({ ...differenceJson(one), message: explanation(one)[language] })}`
    first = false
  }
  yield `${first ? '' : '\n  '}]\n}\n`
}

const figuresJson = (input: bigint | null, output: bigint | null, usd: string | null) => ({
  input_tokens: input === null ? null : Number(input),
  output_tokens: output === null ? null : Number(output),
  usd,
})

const differenceJson = (one: Difference) => ({
  kind: one.verdict,
  line: one.line === null ? null : Number(one.line),
  upstream_id: one.upstream_id,
  receipt_id: one.receipt_id,
  attempt: one.attempt,
  model: one.model,
  time: one.at?.toISOString() ?? null,
  outcome: one.outcome,
  estimated: one.estimated,
  invoice: one.line === null ? null : figuresJson(one.their_input, one.their_output, one.their_usd),
  receipt: one.our_input === null ? null : figuresJson(one.our_input, one.our_output, one.our_usd),
})
