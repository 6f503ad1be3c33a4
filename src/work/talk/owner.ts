import { type RequestContext, requirePerson } from '#platform/http'
import type { TalkOwner } from './tables.ts'

/** Whose conversations a request means: those of its person in its project. Throws SESSION_REQUIRED (403). */
export const ownerOf = (context: Pick<RequestContext<unknown>, 'caller'>): TalkOwner => ({
  accountId: context.caller.accountId,
  projectId: context.caller.projectId,
  personId: requirePerson(context).personId,
})
