import { Type } from 'typebox'
import { fileSection, integerIn } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    batches: BatchesConfig
  }
}

/** Limits on rows of batches that are answered concurrently: of one account over all processes, and in one process. */
export interface BatchesConfig {
  rowsPerAccount: number
  rowsPerProcess: number
}

export const batches = fileSection({
  name: 'batches',
  schema: Type.Object(
    {
      rows_per_account: integerIn(1, 10_000, {
        default: 16,
        description: 'Rows of batches of one account that are answered at once, over all processes.',
      }),
      rows_per_process: integerIn(1, 10_000, {
        default: 64,
        description: 'Rows of batches that one process answers at once.',
      }),
    },
    { default: {} },
  ),
  read: ({ rows_per_account, rows_per_process }) => ({
    rowsPerAccount: rows_per_account,
    rowsPerProcess: rows_per_process,
  }),
})
