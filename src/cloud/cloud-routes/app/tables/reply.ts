/** Rows as an answer of PostgREST. */

import type { ResponseSettings } from '#cloud/tables'
import { refuse } from '#cloud/tables'
import type { AppReply } from '../area.ts'
import type { Preferences, ResponseShape } from '../rest/preferences.ts'
import { refusals } from '../rest/refusals.ts'

export type HeaderLines = readonly (readonly [name: string, value: string])[]

export interface RowsReply extends AppReply {
  headers: HeaderLines
}

const types: Readonly<Record<ResponseShape['kind'], string>> = {
  list: 'application/json',
  single: 'application/vnd.pgrst.object+json',
  table: 'text/csv',
}

export const typeLine = (kind: ResponseShape['kind']): readonly [string, string] => [
  'content-type',
  `${types[kind]}; charset=utf-8`,
]

/** `body` has rows separated by commas, or lines of CSV, which get a first line with `names`. */
export function rowsReply(
  reply: RowsReply,
  { kind }: ResponseShape,
  { body, names }: { body: string; names: readonly string[] },
): RowsReply {
  const whole = {
    list: `[${body}]`,
    single: body,
    table: [names.map(cell).join(','), ...(body === '' ? [] : [body])].join('\n'),
  }
  return { ...reply, headers: [...reply.headers, typeLine(kind)], body: Buffer.from(whole[kind]) }
}

const cell = (name: string): string => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)

export const span = (offset: number, rows: number): string =>
  rows === 0 ? '*' : `${offset}-${offset + rows - 1}`

export const appliedLine = ({ applied }: Preferences): HeaderLines =>
  applied.length === 0 ? [] : [['preference-applied', applied.join(', ')]]

/** What the code of the app states about the answer replaces what is stated here. */
export function withStated(reply: RowsReply, { status, headers }: ResponseSettings): RowsReply {
  const own = new Set(headers.map(([name]) => name.toLowerCase()))
  const kept = reply.headers.filter(([name]) => !own.has(name.toLowerCase()))
  return { ...reply, status: status ?? reply.status, headers: [...kept, ...headers] }
}

/** Returns 206 where more rows than these were counted, else 200. Throws RestRefused where the page is behind all rows. */
export function pageStatus({
  offset,
  rows,
  total,
}: {
  offset: number
  rows: number
  total: number | undefined
}): number {
  if (total !== undefined && offset > 0 && offset >= total) refuse(refusals.range(offset, total))
  return total !== undefined && rows < total ? 206 : 200
}
