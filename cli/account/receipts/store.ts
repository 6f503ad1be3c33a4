import type { Db } from '#platform/db'

export interface FullReceipt {
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

/** The receipt of any account with all details, also those that its caller may not see. */
export async function fullReceipt(db: Db, id: string): Promise<FullReceipt | undefined> {
  const [row] = await db.query<FullReceipt>(
    {
      text: `select receipt_id as id, account_id as account, endpoint, state, status_code as status, model,
          charged as microcredits, created_at, detail
        from ledger.receipts where receipt_id = $1`,
    },
    [id],
  )
  return row
}
