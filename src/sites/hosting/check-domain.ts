/** Checks whether the TXT record of a domain is there, and applies what follows from it. */
import { fail } from '#platform/errors'
import { txtRecords } from '#platform/net'
import type { HostingApp } from './app.ts'
import { announceSite } from './directory.ts'
import { recordName, recordValue } from './domain.ts'
import * as store from './domain-store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A claim that is not proven within this time is checked only on request. */
const claimMs = 7 * dayMs
/** A proven domain whose record is away for this long is lost. */
const missingMs = dayMs
/** The next check of a domain that is not checked again by itself. */
const never = new Date('9999-12-31T00:00:00Z')

/** How long another check of the same domain is refused. */
export const checkPauseMs = 10_000

type DomainCheckServices = Pick<HostingApp, 'clock' | 'config' | 'db'>

type RecordPresence = 'there' | 'absent' | 'unknown'

async function lookUpRecord(
  { config }: Pick<HostingApp, 'config'>,
  { domain, token }: store.DomainRow,
): Promise<RecordPresence> {
  const records = await txtRecords(recordName(domain), { servers: config.net.dnsServers })
  if (!records) return 'unknown'
  return records.includes(recordValue(token)) ? 'there' : 'absent'
}

/**
 * Looks for the record and stores what it means; undefined if the claim is gone. A domain that another site has proven goes over only if the record
 * of that site is no longer there; otherwise DOMAIN_TAKEN is thrown.
 */
export async function checkDomain(
  app: DomainCheckServices,
  row: store.DomainRow,
): Promise<store.DomainRow | undefined> {
  const found = await lookUpRecord(app, row)
  const isTaken = found === 'there' && row.state !== 'proven' && !(await takeFromOtherSite(app, row))
  const next = domainUpdateOf(row, isTaken ? 'absent' : found, app.clock.nowMs())
  const written = await app.db
    .tx(async (tx) => {
      const changed = await store.writeCheck(tx, row, next)
      if (changed && changed.state !== row.state) await announceSite(tx, row.account_id, row.site_id)
      return changed
    })
    // Where two sites prove the domain at the same moment, one of them gets it.
    .catch((error) =>
      (error as { code?: string }).code === uniqueViolation
        ? fail('DOMAIN_TAKEN', {})
        : Promise.reject(error),
    )
  return isTaken ? fail('DOMAIN_TAKEN', {}) : written
}

const uniqueViolation = '23505'

/**
 * Takes the domain from the site that has it if that site's record is gone: whoever has the name servers now decides. Returns false if the site keeps
 * it.
 */
async function takeFromOtherSite(
  app: DomainCheckServices,
  { account_id, site_id, domain }: store.DomainRow,
): Promise<boolean> {
  const other = await store.findProvenDomain(app.db, domain)
  if (!other || (other.account_id === account_id && other.site_id === site_id)) return true
  if ((await lookUpRecord(app, other)) !== 'absent') return false
  await app.db.tx(async (tx) => {
    const lost = { state: 'lost', proven_at: null, missing_since: new Date(app.clock.nowMs()) } as const
    await store.writeCheck(tx, other, { ...lost, next_check_at: never })
    await announceSite(tx, other.account_id, other.site_id)
  })
  return true
}

type DomainUpdate = Pick<store.DomainRow, 'state' | 'proven_at' | 'missing_since' | 'next_check_at'>

function domainUpdateOf(row: store.DomainRow, found: RecordPresence, nowMs: number): DomainUpdate {
  const now = new Date(nowMs)
  const after = (ms: number): Date => new Date(nowMs + ms)
  const { state, proven_at, missing_since } = row
  if (found === 'there')
    return { state: 'proven', proven_at: proven_at ?? now, missing_since: null, next_check_at: after(dayMs) }
  if (state === 'lost') return { state, proven_at, missing_since, next_check_at: never }
  if (state === 'pending') {
    const ageMs = nowMs - row.created_at.getTime()
    const next_check_at = ageMs < claimMs ? after(ageMs < hourMs ? 5 * minuteMs : hourMs) : never
    return { state, proven_at, missing_since, next_check_at }
  }
  // Name servers that do not answer prove nothing.
  if (found === 'unknown') return { state, proven_at, missing_since, next_check_at: after(hourMs) }
  const since = missing_since ?? now
  if (nowMs - since.getTime() < missingMs)
    return { state, proven_at, missing_since: since, next_check_at: after(hourMs) }
  return { state: 'lost', proven_at: null, missing_since: since, next_check_at: never }
}

const batchSize = 20
/** When a check that was begun and never ended is due again. */
const againMs = 15 * minuteMs

/** Checks the domains that are due, some at a time; a process that dies over them leaves them to the next round. */
export async function checkDueDomains(
  app: DomainCheckServices & Pick<HostingApp, 'log'>,
  signal: AbortSignal,
): Promise<void> {
  for (let found = batchSize; found === batchSize && !signal.aborted; ) {
    const now = new Date(app.clock.nowMs())
    const due = await store.takeDueDomains(app.db, {
      now,
      nextCheckAt: new Date(now.getTime() + againMs),
      limit: batchSize,
    })
    await Promise.all(due.map((row) => checkOrLog(app, row)))
    found = due.length
  }
}

async function checkOrLog(
  app: DomainCheckServices & Pick<HostingApp, 'log'>,
  row: store.DomainRow,
): Promise<void> {
  try {
    await checkDomain(app, row)
  } catch (error) {
    // The domain is taken by another site, or the database was away for a moment: the next round looks again.
    app.log.debug({ err: error, site_id: row.site_id }, 'a domain could not be checked')
  }
}
