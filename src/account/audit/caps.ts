import type { Caps } from '#platform/ledger'

/** Caps and limits as rows of the audit log show them; what is undefined is left out. */
export const auditedCaps = ({ cap, monthCap, ratePerMinute, concurrency }: Caps) => ({
  cap_microcredits: cap,
  month_cap_microcredits: monthCap,
  rate_per_minute: ratePerMinute,
  concurrency,
})
