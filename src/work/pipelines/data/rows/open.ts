/** Finds the tables in a file or text and reads their rows. */
import { open, readFile, stat } from 'node:fs/promises'
import { type DelimitedSpec, delimitedRows, delimitedSpec } from './delimited-file.ts'
import { encodingOf } from './encoding.ts'
import { findGrid } from './find-table.ts'
import { type JsonSpec, jsonRows, jsonSpec } from './json-file.ts'
import { noFaults, type RowSource } from './source.ts'
import { type SheetSpec, xlsxRows, xlsxSpecs } from './xlsx/xlsx-file.ts'
import { UnpackLimitExceeded } from './xlsx/zip.ts'

/** An input that may contain tables: the text of a request, a page, or a file on disk. */
export type Input = { name: string } & ({ text: string } | { path: string })

/** How a table of an input is read. Plain JSON. */
export type SourceSpec = { input: number } & (DelimitedSpec | JsonSpec | SheetSpec | { kind: 'text' })

/** The reason why no table was read. */
export type UnreadReason =
  | 'empty'
  | 'old-excel'
  | 'page'
  | 'pdf'
  | 'packed'
  | 'too-large'
  | 'broken'
  | 'no-table'

/** The most bytes of JSON of other shapes, which is read whole. */
const maxInMemoryBytes = 8 * 1024 * 1024

export async function specsOf(input: Input, inputIndex: number): Promise<SourceSpec[] | UnreadReason> {
  if ('text' in input) return findGrid(input.text) ? [{ kind: 'text', input: inputIndex }] : 'no-table'
  const { path } = input
  const { size } = await stat(path)
  if (size === 0) return 'empty'
  const kind = await kindOf(path)
  if (kind === 'zip') return sheetsOf(path, inputIndex)
  if (kind !== 'text') return kind
  const encoding = await encodingOf(path)
  if (await looksLikeJson(path)) {
    const found = await jsonSpec(path, encoding)
    if (found) return [{ ...found, input: inputIndex }]
    if (size <= maxInMemoryBytes && findGrid(await readFile(path, 'utf8')))
      return [{ kind: 'text', input: inputIndex }]
  }
  const found = await delimitedSpec(path, encoding)
  return found ? [{ ...found, input: inputIndex }] : 'no-table'
}

async function sheetsOf(path: string, inputIndex: number): Promise<SourceSpec[] | UnreadReason> {
  try {
    const sheets = await xlsxSpecs(path)
    if (!sheets) return 'packed'
    const tables = sheets.filter(({ rows }) => rows > 1)
    return tables.length > 0 ? tables.map((spec) => ({ ...spec, input: inputIndex })) : 'no-table'
  } catch (error) {
    if (error instanceof UnpackLimitExceeded) return 'too-large'
    // An untrusted file may be a damaged ZIP.
    return 'broken'
  }
}

async function headOf(path: string): Promise<Buffer> {
  await using file = await open(path)
  const head = Buffer.alloc(1_024)
  const { bytesRead } = await file.read(head, 0, head.length, 0)
  return head.subarray(0, bytesRead)
}

async function kindOf(path: string): Promise<'zip' | 'text' | UnreadReason> {
  const head = await headOf(path)
  const starts = (...bytes: number[]) => bytes.every((byte, place) => head[place] === byte)
  if (starts(0x50, 0x4b, 3, 4)) return 'zip'
  if (starts(0xd0, 0xcf, 0x11, 0xe0)) return 'old-excel'
  if (starts(0x1f, 0x8b)) return 'packed'
  if (starts(0x25, 0x50, 0x44, 0x46)) return 'pdf'
  return /^\s*<(?:!doctype html|html)/i.test(head.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, ''))
    ? 'page'
    : 'text'
}

async function looksLikeJson(path: string): Promise<boolean> {
  const head = (await headOf(path)).filter((byte) => byte > 0 && byte < 0x80)
  return /^\s*[[{]/.test(Buffer.from(head).toString('latin1'))
}

export async function rowsOf(input: Input, spec: SourceSpec): Promise<RowSource> {
  const { name } = input
  if (spec.kind === 'text' || !('path' in input))
    return gridRows('text' in input ? input.text : await readFile(input.path, 'utf8'), name)
  switch (spec.kind) {
    case 'delimited':
      return delimitedRows(input.path, spec, name)
    case 'json':
      return jsonRows(input.path, spec, name)
    case 'xlsx':
      return xlsxRows(input.path, spec, name === '' ? spec.sheet : `${name}: ${spec.sheet}`)
  }
}

function gridRows(text: string, name: string): RowSource {
  const { grid, named, skipped = [], beyond, cut } = findGrid(text) ?? { grid: [] }
  const faults = {
    ...noFaults(),
    skipped: { count: skipped.length, examples: skipped.slice(0, 3) },
    ...(beyond && { beyond: { ...beyond, read: grid[0]!.length } }),
    ...(cut && { cut }),
  }
  const [first = [], ...rest] = grid
  return {
    name,
    ...(named && { names: first }),
    faults,
    async rows(visit) {
      for (const row of named ? rest : grid) if (visit(row) === false) return
    },
  }
}
