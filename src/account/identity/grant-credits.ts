import type { Tx } from '#platform/db'
import { type Grant, grant, lockBalance, transferredAmount } from '#platform/ledger'

/** The outcome of a grant. Amounts in micro-credits; `balance` includes what is held. */
export type GrantOutcome =
  | { outcome: 'granted' | 'repeated'; balance: bigint; held: bigint }
  /** The id was used before with another amount; nothing was changed. */
  | { outcome: 'conflict'; earlier: bigint }
  /** More credits were to be taken back than are free; nothing was changed. */
  | { outcome: 'insufficient'; free: bigint }
  /** The balance would pass `maxMicrocredits`; nothing was changed. */
  | { outcome: 'too_much' }
  | { outcome: 'no_account' }

/** 10^12 credits: far above any real balance, and far below where 64 bits end. */
export const maxMicrocredits = 1_000_000_000_000_000_000n

/**
 * Puts credits on an account or takes them back, never below what is free. Holds the account's lock from the first read to the end, so that the
 * answer is exact; a repeated transfer id with the same amount changes nothing.
 */
export async function grantCredits(tx: Tx, transfer: Grant, now: Date): Promise<GrantOutcome> {
  const books = await lockBalance(tx, transfer.accountId)
  if (!books) return { outcome: 'no_account' }
  const earlier = await transferredAmount(tx, transfer.accountId, transfer.transferId)
  if (earlier !== undefined) {
    return earlier === transfer.microcredits
      ? { outcome: 'repeated', ...books }
      : { outcome: 'conflict', earlier }
  }
  const free = books.balance - books.held
  if (free + transfer.microcredits < 0n) return { outcome: 'insufficient', free }
  if (books.balance + transfer.microcredits > maxMicrocredits) return { outcome: 'too_much' }
  return { outcome: 'granted', balance: await grant(tx, transfer, now), held: books.held }
}
