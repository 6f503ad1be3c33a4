import { findOffer } from './limits.ts'
import type { PackageRow } from './package-store.ts'
import type { ReadOnlyReason } from './phrases.ts'
import type { CloudsConfig } from './settings.ts'
import type { CloudRow } from './store.ts'

export type PackageState = 'active' | 'unpaid' | 'ended'

export type PackagePayment = Pick<PackageRow, 'paid_until' | 'ended_at'>

export const packageState = (
  { paid_until: paidUntil, ended_at: endedAt }: PackagePayment,
  nowMs: number,
): PackageState =>
  endedAt !== null ? 'ended' : paidUntil !== null && paidUntil.getTime() <= nowMs ? 'unpaid' : 'active'

/**
 * Why the app of a cloud only reads; null where it does not. A dedicated cloud without a package that is paid for only reads, and a package that the
 * configuration has no more counts as none.
 */
export function readOnlyReason(
  config: CloudsConfig,
  cloud: Pick<CloudRow, 'plan' | 'offer' | 'read_only_since'>,
  used: PackagePayment | undefined,
  nowMs: number,
): ReadOnlyReason | null {
  if (cloud.plan === 'starter') return null
  const isPaid = used !== undefined && packageState(used, nowMs) === 'active'
  if (!isPaid || !findOffer(config, cloud.offer)) return 'unpaid'
  return cloud.read_only_since === null ? null : 'disk'
}
