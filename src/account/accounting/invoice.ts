/** An upstream's invoice, row by row, from CSV or JSON lines. */
import { readExactly } from '#platform/json'
import { CsvError, readCsv } from './csv.ts'

/** One call as the upstream bills it. Fields that the file does not have are undefined. */
export interface InvoiceRow {
  /** The line in the file, from 1. */
  line: number
  /** The upstream's own id of the call. */
  upstreamId?: string
  /** Our id of the attempt, which was sent as its idempotency key. */
  attemptId?: string
  at?: Date
  model?: string
  inputTokens?: bigint
  outputTokens?: bigint
  /** The amount as a plain decimal. */
  usd?: string
}

export const invoiceFields = ['id', 'attempt', 'time', 'model', 'input', 'output', 'usd'] as const
export type InvoiceField = (typeof invoiceFields)[number]
/** The column of each field; a dot leads into JSON (`usage.prompt_tokens`). */
export type InvoiceColumns = Partial<Record<InvoiceField, string>>

/** Why a file cannot be read; nothing of it was counted. Where a column is missing, `shown` names it and the columns that are there. */
export class InvoiceError extends Error {
  override name = 'InvoiceError'
  readonly line: number
  readonly why: 'csv' | 'json' | 'column' | 'time' | 'tokens' | 'usd' | 'nothing'
  readonly shown: string
  constructor(line: number, why: InvoiceError['why'], shown: string) {
    super(`line ${line}: ${why} ${shown}`)
    this.line = line
    this.why = why
    this.shown = shown.slice(0, 200)
  }
}

/** Names of columns in use on invoices and usage exports, the likeliest first. */
const knownColumnNames: Readonly<Record<InvoiceField, readonly string[]>> = {
  id: ['upstream_id', 'id', 'request_id', 'response_id', 'generation_id', 'call_id', 'completion_id'],
  attempt: ['attempt_id', 'attempt', 'idempotency_key', 'client_request_id'],
  time: ['time', 'timestamp', 'created_at', 'created', 'date', 'start_time'],
  model: ['model', 'model_name', 'model_permaslug'],
  input: ['input_tokens', 'prompt_tokens', 'tokens_prompt', 'usage.input_tokens', 'usage.prompt_tokens'],
  output: [
    'output_tokens',
    'completion_tokens',
    'tokens_completion',
    'usage.output_tokens',
    'usage.completion_tokens',
  ],
  usd: ['cost_usd', 'usd', 'cost', 'total_cost', 'cost_total', 'amount_usd', 'amount', 'usage.cost'],
}

/** Finds the value of a column in one record. */
type CellLookup = (column: string) => unknown

/** Reads the file as it comes. Throws `InvoiceError` at the first row that cannot be understood. */
export async function* readInvoice(
  chunks: AsyncIterable<string>,
  columns: InvoiceColumns = {},
): AsyncGenerator<InvoiceRow> {
  let places: InvoiceColumns | undefined
  for await (const { line, names, lookup } of recordsOf(chunks)) {
    places ??= columnsOf(line, names, lookup, columns)
    yield rowOf(line, lookup, places)
  }
}

interface FileRecord {
  line: number
  names: readonly string[]
  lookup: CellLookup
}

async function* recordsOf(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const iterator = chunks[Symbol.asyncIterator]()
  let head = ''
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    head += next.value
    if (head.trim() !== '') break
  }
  const withEnd = (async function* () {
    yield head
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  })()
  yield* /^[\uFEFF\s]*[{[]/.test(head) ? jsonRecords(withEnd) : csvRecords(withEnd)
}

async function* jsonRecords(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let line = 0
  for await (const text of linesOf(chunks)) {
    line++
    const trimmed = text.replace(/^\uFEFF/, '').trim()
    if (trimmed === '') continue
    const value = parse(line, trimmed)
    yield { line, names: Object.keys(value), lookup: (column) => within(value, column) }
  }
}

function parse(line: number, text: string): Record<string, unknown> {
  try {
    const value = readExactly(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {}
  throw new InvoiceError(line, 'json', text)
}

/** The field of exactly that name, or else the field inside the objects that the dots lead through. */
function within(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const record = value as Record<string, unknown>
  if (Object.hasOwn(record, path)) return record[path]
  const dot = path.indexOf('.')
  return dot < 0 ? undefined : within(record[path.slice(0, dot)], path.slice(dot + 1))
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let names: string[] | undefined
  try {
    for await (const { line, cells } of readCsv(chunks)) {
      if (names === undefined) {
        names = cells.map((cell) => cell.trim())
        continue
      }
      const at = new Map(names.map((name, position) => [name, cells[position]]))
      yield { line, names, lookup: (column) => at.get(column) }
    }
  } catch (error) {
    if (error instanceof CsvError) throw new InvoiceError(error.line, 'csv', error.message)
    throw error
  }
}

/** Finds the column of each field. Named columns have to be there; the others are looked for under their usual names, in any case. */
function columnsOf(
  line: number,
  names: readonly string[],
  lookup: CellLookup,
  columns: InvoiceColumns,
): InvoiceColumns {
  const places: InvoiceColumns = {}
  for (const field of invoiceFields) {
    const named = columns[field]
    if (named !== undefined && lookup(named) === undefined && !names.includes(named))
      throw new InvoiceError(line, 'column', `${named} (${names.join(', ')})`)
    const usual = knownColumnNames[field].flatMap((name) =>
      lookup(name) !== undefined ? [name] : names.filter((there) => there.toLowerCase() === name),
    )
    const place = named ?? usual[0]
    if (place !== undefined) places[field] = place
  }
  return places
}

function rowOf(line: number, lookup: CellLookup, places: InvoiceColumns): InvoiceRow {
  const read = (field: InvoiceField): string | undefined => {
    const place = places[field]
    const value = place === undefined ? undefined : lookup(place)
    if (value === undefined || value === null) return undefined
    return String(value).trim() || undefined
  }
  const id = read('id')
  const attempt = read('attempt')
  const time = read('time')
  const model = read('model')
  const input = read('input')
  const output = read('output')
  const usd = read('usd')
  if (id === undefined && attempt === undefined && (time === undefined || model === undefined))
    throw new InvoiceError(line, 'nothing', '')
  return {
    line,
    ...(id !== undefined && { upstreamId: id.slice(0, 200) }),
    ...(attempt !== undefined && { attemptId: attempt.slice(0, 200) }),
    ...(time !== undefined && { at: timeOf(line, time) }),
    ...(model !== undefined && { model }),
    ...(input !== undefined && { inputTokens: tokensOf(line, input) }),
    ...(output !== undefined && { outputTokens: tokensOf(line, output) }),
    ...(usd !== undefined && { usd: usdOf(line, usd) }),
  }
}

/** Parses ISO 8601, with a blank for the T too, or Unix time in seconds or milliseconds. Time without a zone is UTC, as vendors bill. */
function timeOf(line: number, text: string): Date {
  const unix = /^\d{9,11}(\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : /^\d{12,14}$/.test(text)
      ? Number(text)
      : undefined
  const iso =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i.exec(text)
  const zone =
    iso?.[3] === undefined || /^(z|utc)$/i.test(iso[3]) ? 'Z' : iso[3].replace(/^(...)(\d\d)$/, '$1:$2')
  const ms = unix ?? (iso ? Date.parse(`${iso[1]}T${iso[2] ?? '00:00'}${zone}`) : Number.NaN)
  if (Number.isNaN(ms)) throw new InvoiceError(line, 'time', text)
  return new Date(ms)
}

function tokensOf(line: number, text: string): bigint {
  const plain = /^\d{1,3}(,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text.replace(/\.0+$/, '')
  if (!/^\d{1,15}$/.test(plain)) throw new InvoiceError(line, 'tokens', text)
  return BigInt(plain)
}

/** The plain decimal of an amount with or without a dollar sign, thousands separators and exponent; a credit note is negative. */
function usdOf(line: number, text: string): string {
  const plain = text.replace(/^(-?)\$\s?/, '$1').replace(/(\d),(?=\d{3}(\D|$))/g, '$1')
  if (!/^-?(\d{1,12}(\.\d{1,18})?|\.\d{1,18})(e-?\d{1,2})?$/i.test(plain))
    throw new InvoiceError(line, 'usd', text)
  return plain
}
