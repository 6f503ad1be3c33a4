import { auditRequest } from '#account/audit'
import { type FactorOwner, type FactorRow, hasSecondFactor } from '#account/factors'
import { mailChannel } from '#account/letters'
import { hasProven, personById } from '#account/people'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type RequestContext, requirePerson } from '#platform/http'
import type { FactorRoutesApp } from './app.ts'

/** The person of the session. Throws NOT_SIGNED_IN where the person was deleted meanwhile. */
export const requireOwner = async (
  tx: Tx,
  context: Pick<RequestContext<unknown>, 'caller'>,
): Promise<FactorOwner> =>
  (await personById(tx, requirePerson(context).personId)) ?? fail('NOT_SIGNED_IN', {})

/**
 * The same for whoever adds a factor. Throws ADDRESS_NOT_PROVEN for a first one while nobody has proven the person's address: whoever proves it later by
 * its mailbox would remove the factor.
 */
export async function requireProvenOwner(
  tx: Tx,
  context: Pick<RequestContext<FactorRoutesApp>, 'app' | 'caller'>,
): Promise<FactorOwner> {
  const person = await requireOwner(tx, context)
  const { personId, email } = person
  if (email === null || mailChannel(context.app) === 'none' || (await hasProven(tx, personId, email)))
    return person
  return (await hasSecondFactor(tx, personId)) ? person : fail('ADDRESS_NOT_PROVEN', {})
}

/** Writes the row of a change of one factor. It belongs to no account, because the person may be a member of several. */
export const auditFactor = (
  tx: Tx,
  context: RequestContext<FactorRoutesApp>,
  factorId: string,
  { before, after }: { before?: Pick<FactorRow, 'kind' | 'name'>; after?: Pick<FactorRow, 'kind' | 'name'> },
): Promise<void> =>
  auditRequest(tx, context, {
    ...{ accountId: null, projectId: null, target: { kind: 'factor', id: factorId } },
    ...(before && { before: shown(before) }),
    ...(after && { after: shown(after) }),
  })

const shown = ({ kind, name }: Pick<FactorRow, 'kind' | 'name'>) => ({ kind, name })
