import { Failure } from '#platform/errors'
import type { Ask } from '#platform/http'
import { ClaimTaken } from '#platform/ledger'

/**
 * A handler whose refusals hold for new requests only. What refuses a repeat may have come after the first: a full project, an address
 * that died, the very delivery that was asked for. The repeat still gets the answer of the first.
 */
export const repeatable =
  <Body, Query, Params, Answer>(handle: (ask: Ask<Body, Query, Params>) => Promise<Answer>) =>
  async (ask: Ask<Body, Query, Params>): Promise<Answer> => {
    try {
      return await handle(ask)
    } catch (error) {
      const { app, caller, claim } = ask
      if (!(error instanceof Failure) || !claim) throw error
      const first = await app.ledger.lookup(caller.accountId, caller.keyId, claim.key)
      throw first?.state === 'completed' ? new ClaimTaken(first.receipt_id) : error
    }
  }
