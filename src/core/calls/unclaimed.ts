import type { RequestContext } from '#platform/http'
import { replayMs } from '#platform/idempotency'
import { ClaimTaken } from '#platform/ledger'
import type { CallsApp } from './app.ts'

type UnclaimedContext = Pick<RequestContext<Pick<CallsApp, 'ledger'>>, 'app' | 'caller'> &
  Partial<Pick<RequestContext<unknown>, 'claim'>>

/** Throws `ClaimTaken` if the idempotency key is already claimed: a repeat gets the stored answer, even if the same request would by now have another outcome. */
export async function requireUnclaimed({ app, caller, claim }: UnclaimedContext): Promise<void> {
  if (!claim) return
  const known = await app.ledger.lookup(caller.accountId, caller.keyId, claim.key)
  const earlier = known && (await app.ledger.earlierReceipt(caller.accountId, known.receipt_id, replayMs))
  if (earlier?.claiming) throw new ClaimTaken(earlier.receipt_id)
}
