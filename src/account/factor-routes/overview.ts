import {
  confirmedFactors,
  countRecoveryCodes,
  type FactorReset,
  type FactorRow,
  passkeyAvailability,
  pendingReset,
} from '#account/factors'
import { type RequestContext, requirePerson } from '#platform/http'
import type { FactorRoutesApp } from './app.ts'
import type { Factor } from './schema.ts'

export const factorObject = (row: FactorRow): Factor => ({
  id: row.factor_id,
  kind: row.kind,
  name: row.name,
  backed_up: row.is_backed_up,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

export const resetObject = ({ requestedAt, dueAt }: FactorReset) => ({
  requested_at: requestedAt.toISOString(),
  due_at: dueAt.toISOString(),
})

/** The second factors of the person who asks, and what is pending for them. */
export async function readOverview(context: RequestContext<FactorRoutesApp>) {
  const { db } = context.app
  const { personId } = requirePerson(context)
  const [factors, left, reset] = await Promise.all([
    confirmedFactors(db, personId),
    countRecoveryCodes(db, personId),
    pendingReset(db, personId),
  ])
  const found = passkeyAvailability(context)
  return {
    data: factors.map(factorObject),
    recovery_codes_left: left,
    reset: reset ? resetObject(reset) : null,
    passkeys: { available: found.available, why: found.available ? null : found.why[context.language] },
  }
}
