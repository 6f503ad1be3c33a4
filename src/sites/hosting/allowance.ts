/** What a site may send its visitors in a day (UTC), exact over all processes. */
import { type Allowance, type AllowanceOptions, Allowances } from '#platform/allowance'

type AllowanceKind = 'requests' | 'bytes'

interface LimitedSite {
  /** The limits that the operator has set for this site alone. */
  limits: Record<string, number>
}

export type SiteAllowance = Allowance<AllowanceKind, LimitedSite>
export type SiteAllowances = Allowances<AllowanceKind, LimitedSite>

export const openSiteAllowances = (
  source: Pick<AllowanceOptions<AllowanceKind, LimitedSite>, 'db' | 'clock' | 'log' | 'limitsOf'>,
): SiteAllowances =>
  new Allowances({
    ...source,
    table: {
      days: 'sites.usage_days',
      users: 'sites.sites',
      id: 'site_id',
      limitedBy: ['limits'],
      columns: { requests: 'requests', bytes: 'bytes' },
    },
    firstPortion: { requests: 20, bytes: 1_000_000 },
    largestPortion: { requests: 20_000, bytes: 256_000_000 },
  })
