import type { KyselyPlugin } from 'kysely'
import { exactly } from '#platform/json'

/** Gives the JSON columns of rows every digit of their numbers (`exactly`), for columns of which nothing is read and all is written again. */
export const exactColumns: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => ({ ...result, rows: result.rows.map(exactRow) }),
}

const exactRow = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, exactly(value)]))
