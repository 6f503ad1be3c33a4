/** Keys, projects and accounts as the API shows them. */
import type { Static } from 'typebox'
import { creditsDown, creditsUp, type MeterLimits, type Spending } from '#platform/ledger'
import type { Account, ApiKey, Project } from './schema.ts'
import type { AccountRow, KeyRow, ProjectRow } from './store.ts'

const creditsOf = (micro: bigint | null): number | null => (micro === null ? null : creditsDown(micro))

const limitsOf = (row: Spending) => ({
  cap_credits: creditsOf(row.cap),
  month_cap_credits: creditsOf(row.month_cap),
  rate_per_minute: row.rate_per_minute,
  concurrency: row.concurrency,
})

/** A row with the limits that a change of its meter found or left. */
export const withLimits = <Row extends Spending>(row: Row, limits: MeterLimits): Row => ({
  ...row,
  cap: limits.cap,
  month_cap: limits.monthCap,
  rate_per_minute: limits.ratePerMinute,
  concurrency: limits.concurrency,
  ...('thresholds_percent' in row && { thresholds_percent: limits.thresholdsPercent }),
})

const spentOf = (row: Spending) => ({
  spent_credits: creditsUp(row.spent),
  month_spent_credits: creditsUp(row.month_spent),
})

/** What somebody may change of a key; the audit log has it too. */
export const keySettings = (row: KeyRow) => ({
  name: row.name,
  scopes: row.scopes,
  ...limitsOf(row),
  models: row.models,
  origins: row.origins,
  expires_at: row.expires_at?.toISOString() ?? null,
  keep_days: row.keep_days,
  responses_max_output_tokens: row.responses_max_output_tokens,
})

export const shownKey = (row: KeyRow, now: Date): Static<typeof ApiKey> => ({
  id: row.key_id,
  project_id: row.project_id,
  hint: row.hint,
  state: row.revoked_at ? 'revoked' : row.expires_at && row.expires_at <= now ? 'expired' : 'active',
  ...keySettings(row),
  ...spentOf(row),
  made_by: row.person_id === null ? null : makerOf(row, row.person_id),
  made_by_management_key:
    row.management_key_id === null
      ? null
      : { id: row.management_key_id, name: row.management_key_name ?? '' },
  last_used_on: row.last_used_on,
  revoked_at: row.revoked_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})

const makerOf = (row: KeyRow, personId: string) => ({
  person_id: personId,
  display_name: row.maker_name ?? '',
  is_member: row.is_member,
})

export const projectSettings = (row: ProjectRow) => ({
  name: row.name,
  ...limitsOf(row),
  keep_days: row.keep_days,
})

export const shownProject = (row: ProjectRow): Static<typeof Project> => ({
  id: row.project_id,
  ...projectSettings(row),
  ...spentOf(row),
  created_at: row.created_at.toISOString(),
})

export const accountCaps = (row: AccountRow) => ({
  cap_credits: creditsOf(row.cap),
  month_cap_credits: creditsOf(row.month_cap),
  thresholds_percent: row.thresholds_percent,
})

/** The account with the thresholds that count: its own, or else those of the installation. */
export function shownAccount(row: AccountRow, ofInstallation: readonly number[]): Static<typeof Account> {
  const free = row.balance - row.held
  return {
    id: row.account_id,
    name: row.name,
    plan: row.plan,
    state: row.state,
    time_zone: row.time_zone,
    balance_credits: creditsDown(free),
    reserved_credits: creditsUp(row.held),
    balance_microcredits: String(free),
    reserved_microcredits: String(row.held),
    ...limitsOf(row),
    ...spentOf(row),
    thresholds_percent: [...(row.thresholds_percent ?? ofInstallation)],
    has_own_thresholds: row.thresholds_percent !== null,
    created_at: row.created_at.toISOString(),
  }
}
