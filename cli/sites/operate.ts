/** `kherad site all|takedown|restore|limits`: lets the operator see and change published sites. It works on the database directly. */

import type { Tx } from '#platform/db'
import type { Language } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { findAnySite, listAllSites, restore, type SiteRow, setLimits, takeDown } from '#sites/hosting'
import { readId, readName } from '../amounts.ts'
import { auditCommand } from '../audit.ts'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { digits } from '../numerals.ts'
import { type LimitOptions, limitsText, readAll, readLimits } from '../operate.ts'
import { card, showTime, type TableColumn, table } from '../output.ts'
import { titles } from '../phrases.ts'
import { plain } from '../server.ts'
import { sitesColumns, sitesOptions, sitesPhrases as words } from './operate-phrases.ts'

const common = { needs: [], help: sitesOptions }
const limitOptions: LimitOptions = {
  files: ['files', 1, 10_000],
  'total-bytes': ['total_bytes', 1, 200_000_000],
  'file-bytes': ['file_bytes', 1, 200_000_000],
  'daily-requests': ['daily_requests', 0, 1_000_000_000_000],
  'daily-bytes': ['daily_bytes', 0, Number.MAX_SAFE_INTEGER],
  domains: ['domains_per_site', 0, 1_000],
}

export const siteOperatorCommands: Command[] = [
  { ...common, name: 'site all', about: words.list, takes: [], options: ['account'], run: listAll },
  {
    ...common,
    name: 'site takedown',
    about: words.takedown,
    takes: ['SITE'],
    options: ['reason'],
    run: takeOneDown,
  },
  { ...common, name: 'site restore', about: words.restore, takes: ['SITE'], options: [], run: restoreOne },
  {
    ...common,
    name: 'site limits',
    about: words.limits,
    takes: ['SITE'],
    options: Object.keys(limitOptions),
    changes: true,
    run: limitOne,
  },
]

async function listAll(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const account = options.account === undefined ? undefined : readId('--account', options.account)
  const db = await session.db()
  const rows = await readAll(
    (page) => listAllSites(db, { ...page, account_id: account }),
    (row) => row.site_id,
  )
  const text = rows.length === 0 ? `${words.noneYet[language]}\n` : table(rows, columns(language), language)
  return { json: { data: rows.map(jsonOf) }, text }
}

async function takeOneDown(
  session: Session,
  { words: [named = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const reason = options.reason === undefined ? null : readName('--reason', options.reason)
  const site = await siteOf(session, named)
  const room = await auditedRoom(session, 'sites.takedown', takedown)
  const row = await takeDown(room, keyOf(site), reason)
  return answer(session, row, words.takenDown(row.slug)[session.language])
}

/** What the operator's functions work with; each change writes its row, with the part of the site that it is about. */
const auditedRoom = async (session: Session, operation: string, part: (row: SiteRow) => object) => ({
  db: await session.db(),
  clock: session.clock,
  alongside: (tx: Tx, before: SiteRow, after: SiteRow) =>
    auditCommand(tx, session, {
      ...{ accountId: after.account_id, projectId: after.project_id, operation },
      target: { kind: 'site', id: after.site_id },
      ...{ before: part(before), after: part(after) },
    }),
})

const takedown = ({ taken_down_at, taken_down_reason: reason }: SiteRow) => ({
  taken_down: taken_down_at !== null,
  reason,
})

async function restoreOne(
  session: Session,
  { words: [named = ''] }: ParsedArguments,
): Promise<CommandResult> {
  const site = await siteOf(session, named)
  const row = await restore(await auditedRoom(session, 'sites.restore', takedown), keyOf(site))
  return answer(session, row, words.restored(row.slug)[session.language])
}

async function limitOne(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const changes = readLimits(limitOptions, given)
  const site = await siteOf(session, given.words[0]!)
  const room = await auditedRoom(session, 'sites.limits', ({ limits }) => ({ limits }))
  const row = await setLimits(room, keyOf(site), changes)
  return answer(session, row, words.changed(row.slug)[session.language])
}

const keyOf = ({ account_id: accountId, site_id: siteId }: SiteRow) => ({ accountId, siteId })

/** Finds a site by its id or its slug. */
async function siteOf(session: Session, named: string): Promise<SiteRow> {
  const found = await findAnySite(
    await session.db(),
    isUuid(named) ? { siteId: named } : { slug: named.toLowerCase() },
  )
  return found ?? refuse('SITE_NOT_FOUND', words.noSite(plain(named)))
}

const answer = ({ language }: Session, row: SiteRow, said: string): CommandResult => ({
  json: jsonOf(row),
  text: `${said}\n${card(row, columns(language), language)}`,
})

const stateOf = ({ taken_down_at, live_version }: SiteRow) => {
  if (taken_down_at !== null) return words.down
  return live_version === null ? words.notYet : words.standing
}

const columns = (language: Language): TableColumn<SiteRow>[] => [
  { title: titles.id, show: (row) => row.site_id },
  { title: sitesColumns.slug, show: (row) => row.slug },
  { title: titles.name, show: (row) => plain(row.name) },
  { title: titles.account, show: (row) => row.account_id },
  { title: titles.state, show: (row) => stateOf(row)[language] },
  { title: sitesColumns.version, show: (row) => digits(row.live_version ?? '-', language), numeric: true },
  { title: sitesColumns.reason, show: (row) => row.taken_down_reason ?? '-' },
  { title: sitesColumns.limits, show: (row) => limitsText(row.limits, language) },
  { title: titles.created, show: (row) => showTime(row.created_at, language) },
]

const jsonOf = (row: SiteRow) => ({
  id: row.site_id,
  account_id: row.account_id,
  project_id: row.project_id,
  cloud_id: row.cloud_id,
  name: row.name,
  slug: row.slug,
  live_version: row.live_version,
  version: row.newest_version,
  taken_down_at: row.taken_down_at?.toISOString() ?? null,
  taken_down_reason: row.taken_down_reason,
  limits: row.limits,
  created_at: row.created_at.toISOString(),
})
