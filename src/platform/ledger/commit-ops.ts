import { isDatabaseAway } from '#platform/db'

/** The operations of a group commit and their results. The fields are those of `ledger.commit`. */
export interface HoldOp {
  receipt_id: string
  account_id: string
  project_id: string
  key_id: string
  endpoint: string
  idempotency_key: string | undefined
  fingerprint: string | undefined
  model: string | undefined
  customer_id: string | undefined
  reference_id: string | undefined
  amount: bigint
  started: boolean
  free_if_lost?: boolean | undefined
  process_id: string
  expires_at: string
}

export interface SettleOp {
  receipt_id: string
  account_id: string
  actual: bigint
  state: 'completed' | 'failed'
  status_code: number
  ambiguous: boolean
  free_claim: boolean
  within_hold: boolean
  lost?: string | undefined
  model: string | undefined
  detail: Record<string, unknown>
  reply: string | undefined
  input_tokens: number
  cached_input_tokens: number
  output_tokens: number
  reasoning_tokens: number
  quantities?: Readonly<Record<string, number>> | undefined
}

export interface OpResult {
  seq: number
  outcome: 'held' | 'claimed' | 'insufficient' | 'limited' | 'settled' | 'gone' | 'busy'
  receipt_id: string | null
  scope: string | null
  need: bigint | null
  have: bigint | null
}

/** Ends a hold for which nothing was sent upstream: the full amount is returned, and its key may be used again. */
export const undoOperation = ({ receipt_id, account_id }: HoldOp): SettleOp => ({
  ...untouched,
  receipt_id,
  account_id,
})

const untouched = {
  actual: 0n,
  state: 'failed',
  status_code: 503,
  ambiguous: false,
  free_claim: true,
  within_hold: false,
  lost: undefined,
  model: undefined,
  detail: { outcome: 'undone' },
  reply: undefined,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
} as const

/** Matches texts that `storableReplacer` would change: NUL or an unpaired surrogate, which JSON.stringify writes as an escape. */
const needsPlain = /\\u(?:0000|d[89a-f])/

/** The operations of one statement in the form that `ledger.commit` reads, each with the position of its result. */
export function serializeOps(waiting: readonly { op: HoldOp | SettleOp }[], firstSeq: number): string {
  const ops = waiting.map(({ op }, i) =>
    'amount' in op
      ? { ...op, seq: firstSeq + i, amount: op.amount.toString() }
      : { ...op, seq: firstSeq + i, actual: op.actual.toString() },
  )
  // A replacer is called for every field and costs more than the rest, so it is used only for the rare text that needs it.
  try {
    const text = JSON.stringify(ops)
    if (!needsPlain.test(text)) return text
  } catch {
    // A detail contains a bigint, which only the replacer can write.
  }
  return JSON.stringify(ops, storableReplacer)
}

/** Writes any value, including bigints and any text, as JSON that PostgreSQL accepts. */
export const storableJson = (value: unknown): string => JSON.stringify(value, storableReplacer)

/** PostgreSQL accepts neither NUL nor unpaired surrogates; messages of upstreams may contain both. */
function storableReplacer(_key: string, value: unknown): unknown {
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0')
      ? value
      : value.toWellFormed().replaceAll('\0', '\uFFFD')
  return typeof value === 'bigint' ? value.toString() : value
}

/**
 * Whether the operations can be sent again with the same ids: after a lost connection, a serialization failure, a deadlock, a full disk (class 53) or
 * a system error (class 58).
 */
export function isRetryable(error: unknown): boolean {
  const code = (error as { code?: string }).code
  if (code !== undefined && /^5[38][0-9A-Z]{3}$/.test(code)) return true
  return isDatabaseAway(error) || code === '40001' || code === '40P01' || code === '55P03' || code === '57014'
}
