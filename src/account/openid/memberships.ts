/** Memberships that a provider's claims make, change and end, whenever the provider says who somebody is. */
import { type AuditEntry, audit } from '#account/audit'
import { isClaimed, type Membership, memberships, removeMember, setMember } from '#account/people'
import type { Tx } from '#platform/db'
import type { Log } from '#platform/log'
import { type Claims, claimHas } from './claims.ts'
import type { MembershipRule, OpenIdConfig } from './settings.ts'
import { accountExists } from './store.ts'

/** What the claims say about one account: its rule, `none` for no membership, `unsaid` where the provider leaves the answer out. */
type Verdict = MembershipRule | 'none' | 'unsaid'

/** The request in which the claims were read, for the audit log. */
export type ClaimsRequest = Pick<AuditEntry, 'requestId' | 'client'>

interface ClaimsReading {
  personId: string
  provider: OpenIdConfig
  /** Ids under which the provider stood in the configuration before, whose memberships it takes over. */
  formerIds: readonly string[]
  claims: Claims
}

/**
 * Makes the memberships of a person at this provider what the claims say, and writes a row of the audit log for each change. Of several rules for an
 * account the first one in the file whose claim is there counts. A membership that stands by itself, as by an invitation, and one that was raised to
 * owner by hand, are not touched. Connections of a person who lost something end within a second (`removeMember`, `setMember`).
 */
export async function applyClaims(
  { log }: { log: Log },
  tx: Tx,
  { personId, provider, formerIds, claims }: ClaimsReading,
  request: ClaimsRequest,
  now: Date,
): Promise<void> {
  const own = [provider.id, ...formerIds]
  const all = new Map((await memberships(tx, personId)).map((one) => [one.accountId, one]))
  const ruled = provider.memberships.map(({ accountId }) => accountId)
  const held = [...all.values()].filter(({ providerId }) => providerId !== null && own.includes(providerId))
  // Accounts are locked in one order, so that no two people wait for each other.
  const accountIds = [...new Set([...ruled, ...held.map(({ accountId }) => accountId)])].sort()
  for (const accountId of accountIds) {
    const verdict = verdictOf(provider, accountId, claims)
    const before = all.get(accountId)
    if (before && !isClaimed(before, own)) continue
    if (verdict === 'unsaid') {
      log.warn(
        { provider: provider.id, accountId },
        'openid: the provider has left out claims of memberships, which stay as they are',
      )
      continue
    }
    const change = { accountId, personId, providerId: provider.id, before, verdict }
    if (await apply(tx, change, now)) await writeDown(tx, change, request, now)
    else if (verdict !== 'none' && !before)
      log.warn({ provider: provider.id, accountId }, 'openid: the configuration names an unknown account')
  }
}

function verdictOf(provider: OpenIdConfig, accountId: string, claims: Claims): Verdict {
  const rules = provider.memberships.filter((rule) => rule.accountId === accountId)
  const answers = rules.map((rule) => claimHas(claims.all, rule))
  // A claim that was left out could be that of an earlier rule, which would count first.
  const first = answers.findIndex((answer) => answer !== false)
  if (first === -1) return 'none'
  return answers[first] === undefined ? 'unsaid' : rules[first]!
}

interface Change {
  accountId: string
  personId: string
  providerId: string
  before: Membership | undefined
  verdict: MembershipRule | 'none'
}

/** Returns whether anything changed. */
async function apply(
  tx: Tx,
  { accountId, personId, providerId, before, verdict }: Change,
  now: Date,
): Promise<boolean> {
  if (verdict === 'none') return before !== undefined && (await removeMember(tx, accountId, personId, now))
  const { role, projectIds } = verdict
  const isSame =
    before?.role === role && before.providerId === providerId && sameProjects(before.projectIds, projectIds)
  if (isSame || (!before && !(await accountExists(tx, accountId)))) return false
  await setMember(tx, { accountId, personId, role, projectIds, providerId }, now)
  return true
}

const sameProjects = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  one === null || other === null
    ? one === other
    : one.length === other.length && one.every((projectId) => other.includes(projectId))

async function writeDown(
  tx: Tx,
  { accountId, personId, providerId, before, verdict }: Change,
  request: ClaimsRequest,
  now: Date,
): Promise<void> {
  const shown = (role: string, projectIds: readonly string[] | null) => ({
    role,
    project_ids: projectIds,
    provider: providerId,
  })
  await audit(
    tx,
    {
      ...request,
      accountId,
      actor: { kind: 'system', id: null },
      operation: 'members.claims',
      target: { kind: 'member', id: personId },
      ...(before && { before: shown(before.role, before.projectIds) }),
      ...(verdict !== 'none' && { after: shown(verdict.role, verdict.projectIds) }),
    },
    now,
  )
}
