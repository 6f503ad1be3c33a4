/** Delimited files: CSV, TSV, and those with semicolons or bars. */
import { hasDigitGroups, isComma, withoutDigitGroups } from './digit-groups.ts'
import { type TextFileEncoding, textOf } from './encoding.ts'
import { RecordReader } from './records.ts'
import { noFaults, type Row, type RowSource, type RowVisitor } from './source.ts'

export interface DelimitedSpec {
  kind: 'delimited'
  encoding: TextFileEncoding
  sign: string
  width: number
  /** Records before the table: titles and remarks. */
  before: number
}

const signs = ['\t', ';', '|', ',', '؛', '،']
const sampleCharacters = 256 * 1024
const sampleRecords = 200

/** Detects the format of a delimited file from its beginning. Undefined for a file without a table. */
export async function delimitedSpec(
  path: string,
  encoding: TextFileEncoding,
): Promise<DelimitedSpec | undefined> {
  const head = await headOf(path, encoding)
  const shapes = signs.map((sign) => {
    const records = recordsIn(head, sign)
    const shape = shapeOf(records)
    return { sign, ...shape, grouped: !isComma(sign) && shape.width > 1 && hasDigitGroups(records) }
  })
  const weighed = shapes.map((shape) => {
    const hasRival = shapes.some(({ grouped, fitting }) => grouped && fitting >= shape.fitting)
    const bare =
      isComma(shape.sign) && hasRival ? shapeOf(recordsIn(withoutDigitGroups(head), shape.sign)) : shape
    return { ...shape, weight: bare.width > 1 ? bare.fitting * Math.min(bare.width, 8) : 0 }
  })
  const found = weighed.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight)[0]
  if (found)
    return { kind: 'delimited', encoding, sign: found.sign, width: found.width, before: found.before }
  // A list of values under a name is a table of one column.
  const lines = recordsIn(head, '\0').filter(([cell]) => cell !== '')
  return lines.length > 1 ? { kind: 'delimited', encoding, sign: '\0', width: 1, before: 0 } : undefined
}

async function headOf(path: string, encoding: TextFileEncoding): Promise<string> {
  let head = ''
  for await (const text of textOf(path, encoding)) {
    head += text
    if (head.length >= sampleCharacters) break
  }
  return head
}

function recordsIn(head: string, sign: string): Row[] {
  const records: Row[] = []
  const reader = new RecordReader(sign, (cells) => {
    records.push(cells)
    return records.length < sampleRecords
  })
  reader.push(head)
  if (!reader.ended && head.length < sampleCharacters) reader.end()
  return records
}

const filled = (row: Row): number => row.reduce((count, cell) => count + (cell === '' ? 0 : 1), 0)

/** The most common number of cells, how many records have it, and the records before the first of them. */
function shapeOf(records: readonly Row[]): { width: number; fitting: number; before: number } {
  const counts = new Map<number, number>()
  for (const { length } of records) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [width, fitting] = [...counts].toSorted(([a, m], [b, n]) => n - m || b - a)[0] ?? [0, 0]
  const before = records.findIndex((row) => row.length >= width && (filled(row) > 1 || width < 2))
  return { width, fitting, before: Math.max(0, before) }
}

const maxExamples = 3
const maxExample = 60

/** The rows of the file, each as wide as the table; a record with more cells than that is left out and counted. */
export function delimitedRows(path: string, spec: DelimitedSpec, name: string): RowSource {
  const { encoding, sign, width, before } = spec
  const faults = { ...noFaults(), encoding }
  const fitted = (cells: Row): Row | undefined => {
    for (let extra = width; extra < cells.length; extra += 1)
      if (cells[extra] !== '') {
        faults.skipped.count += 1
        if (faults.skipped.examples.length < maxExamples)
          faults.skipped.examples.push(cells.join(sign === '\t' ? ' ' : sign).slice(0, maxExample))
        return undefined
      }
    if (cells.length === width) return cells
    return Array.from({ length: width }, (_, place) => cells[place] ?? '')
  }
  return {
    name,
    faults,
    async rows(visit: RowVisitor) {
      faults.skipped = { count: 0, examples: [] }
      faults.broken = 0
      let seen = 0
      const reader = new RecordReader(sign, (cells) => {
        seen += 1
        if (seen <= before || isRule(cells, sign)) return undefined
        const row = fitted(cells)
        return row && visit(row)
      })
      for await (const text of textOf(path, encoding)) {
        faults.broken += brokenIn(text)
        reader.push(text)
        if (reader.ended) return
      }
      reader.end()
    },
  }
}

/** The line under the head of a Markdown table. */
const isRule = (cells: Row, sign: string): boolean =>
  sign === '|' && cells.every((cell) => cell !== '' && /^:?-+:?$/.test(cell))

function brokenIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) count += 1
  return count
}
