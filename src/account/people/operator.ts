import type { Caller, CallerPerson } from '#platform/auth'
import { fail } from '#platform/errors'

/** The person of a request to a route of scope `person`, who is an operator of this server. Throws SESSION_REQUIRED and OPERATOR_REQUIRED (403). */
export function requireOperator({ caller }: { caller: Caller }): CallerPerson {
  const person = caller.person ?? fail('SESSION_REQUIRED', {})
  return person.isOperator ? person : fail('OPERATOR_REQUIRED', {})
}
