import type { Db } from '#platform/db'

export interface WholeReceipt {
  id: string
  account: string
  endpoint: string
  state: string
  status: number | null
  model: string | null
  microcredits: bigint
  created_at: Date
  detail: Record<string, unknown> | null
}

/** The receipt of any account with all that is noted on it, also what its caller is not shown. */
export async function wholeReceipt(db: Db, id: string): Promise<WholeReceipt | undefined> {
  const [row] = await db.query<WholeReceipt>(
    {
      text: `select receipt_id as id, account_id as account, endpoint, state, status_code as status, model,
          charged as microcredits, created_at, detail
        from ledger.receipts where receipt_id = $1`,
    },
    [id],
  )
  return row
}
