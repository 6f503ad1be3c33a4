/** Caps of what members spend in projects by sessions. */
import { areProjectsOf } from '#account/invitations'
import { type Membership, openSessionKey } from '#account/people'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { changeMeters, microcreditsPerCredit } from '#platform/ledger'
import type { PeopleContext } from './app.ts'
import { reasons } from './phrases.ts'
import type { MemberPatch } from './schema.ts'
import type { MemberSpending } from './store.ts'

/** A cap of a member in a project: that of the key by which the member pays there. */
export interface CapOfMember {
  keyId: string
  projectId: string
  /** The cap in micro-credits; null lifts it. */
  monthCap: bigint | null
}

/** The caps that are given, on keys that are made for whoever has not paid yet. Throws INVALID_REQUEST (400) for projects that the member may not use. */
export async function openCaps(
  tx: Tx,
  { accountId, personId, projectIds: own }: Membership,
  given: NonNullable<MemberPatch['month_caps']>,
  now: Date,
): Promise<CapOfMember[]> {
  const caps = new Map(
    given.map(({ project_id, month_cap_credits: credits }) => [
      project_id.toLowerCase(),
      credits === null ? null : BigInt(credits) * microcreditsPerCredit,
    ]),
  )
  const projectIds = [...caps.keys()]
  const areTheirs =
    projectIds.every((projectId) => own?.includes(projectId) !== false) &&
    (await areProjectsOf(tx, accountId, projectIds))
  if (!areTheirs) fail('INVALID_REQUEST', { why: reasons.capProject }, { param: 'month_caps' })
  const opened: CapOfMember[] = []
  for (const [projectId, monthCap] of caps) {
    const keyId = await openSessionKey(tx, accountId, projectId, personId, now)
    opened.push({ keyId, projectId, monthCap })
  }
  return opened
}

export interface ChangedCap {
  projectId: string
  before: bigint | null
  after: bigint | null
}

/** Sets the caps, all in one statement. Returns those that are others now. No call of the account is paid until the transaction ends. */
export async function setCapsOfMember(
  tx: Tx,
  { app }: Pick<PeopleContext, 'app'>,
  accountId: string,
  caps: readonly CapOfMember[],
  now: Date,
): Promise<ChangedCap[]> {
  if (caps.length === 0) return []
  const changes = caps.map(({ keyId, monthCap }) => ({
    scope: 'key' as const,
    scopeId: keyId,
    caps: { monthCap },
  }))
  const { thresholdsPercent } = app.config.budgets
  const projectOf = new Map(caps.map(({ keyId, projectId }) => [keyId, projectId]))
  return (await changeMeters(tx, accountId, changes, { now, thresholdsPercent }))
    .map(({ scopeId, before, after }) => ({
      projectId: projectOf.get(scopeId)!,
      before: before.monthCap,
      after: after.monthCap,
    }))
    .filter(({ before, after }) => before !== after)
}

/** What a member has spent, with the caps that are being set. */
export function withCaps(
  spending: readonly MemberSpending[],
  caps: readonly CapOfMember[],
): MemberSpending[] {
  const set = new Map(caps.map(({ projectId, monthCap }) => [projectId, monthCap]))
  return spending.map((one) => {
    const monthCap = set.get(one.project_id)
    return monthCap === undefined ? one : { ...one, month_cap: monthCap }
  })
}
