/** The answer of an export: the table is written to the disk first, so that no transaction waits for a slow client, and no table is sent that is cut. */
import { createReadStream } from 'node:fs'
import type { Db, Tx } from '#platform/db'
import { Failure, fail } from '#platform/errors'
import { attachment, type ContentAnswer, content } from '#platform/http'
import { Slice } from '#platform/slices'
import type { Spool } from '#platform/spool'
import { Turns } from '#platform/turns'
import { csvBytes } from './csv.ts'
import type { Sheet, SheetFormat, SheetValue } from './sheet.ts'
import { xlsxBytes } from './xlsx.ts'

const mediaTypes: Record<SheetFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** A workbook of one sheet has twice as many; a file of so many rows takes seconds. */
const maxRows = 500_000
const maxBytes = 512 * 1024 * 1024

/** Few at a time, because each holds a connection to the database. Accounts take turns. */
const exportTurns = new Turns({
  ...{ places: 2, perOwner: 1, waitingPerOwner: 4, waiting: 16, maxWaitMs: 30_000 },
  busy: () => new Failure('EXPORTS_BUSY', {}, { retryAfterMs: 5_000 }),
})

export interface SheetSource {
  /** The name without its ending, which follows from the format. */
  fileName: string
  format: SheetFormat
  /** The account whose turn it is. */
  accountId: string
  /** Reads within the transaction, in which all rows are of one moment. */
  open(tx: Tx): Promise<{ sheet: Sheet; rows: AsyncIterable<readonly SheetValue[]> }>
}

/**
 * Answers with the table as a file. Failures of `open`, EXPORT_TOO_LONG (400) beyond 500,000 rows, EXPORTS_BUSY and SPOOL_FULL (503) are answered
 * before the first byte.
 */
export const sheetAnswer = (app: { db: Db; spool: Spool }, source: SheetSource): ContentAnswer =>
  content({
    mediaType: mediaTypes[source.format],
    headers: {
      'content-disposition': attachment(`${source.fileName}.${source.format}`),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
    open: async () => bytesOf(await exportTurns.run(source.accountId, () => spooled(app, source))),
  })

type SpoolFile = Awaited<ReturnType<Spool['write']>>

const spooled = ({ db, spool }: { db: Db; spool: Spool }, source: SheetSource): Promise<SpoolFile> =>
  db.tx(async (tx) => {
    const { sheet, rows } = await source.open(tx)
    const write = source.format === 'csv' ? csvBytes : xlsxBytes
    return spool.write(write(sheet, limited(rows)), { maxBytes })
  })

/** Rows that are in memory follow each other without a turn of the event loop, so that one is taken whenever a slice is over. */
async function* limited(
  rows: AsyncIterable<readonly SheetValue[]>,
): AsyncGenerator<readonly SheetValue[], void, undefined> {
  const slice = new Slice()
  let count = 0
  for await (const row of rows) {
    if (++count > maxRows) fail('EXPORT_TOO_LONG', { max: maxRows })
    yield row
    if (slice.isOver()) await slice.next()
  }
}

/** The bytes of the file, which is deleted at their end and when the client leaves. */
async function* bytesOf(file: SpoolFile): AsyncGenerator<Uint8Array, void, undefined> {
  await using _ = file
  yield* createReadStream(file.path) as AsyncIterable<Uint8Array>
}
