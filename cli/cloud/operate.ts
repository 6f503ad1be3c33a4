/** `kherad cloud all|suspend|resume|limits`: what the operator sees of app back-ends and does to them. It stands on the database. */
import {
  type CloudRow,
  findAnyCloud,
  keyOf,
  listAllClouds,
  resumeCloud,
  setCloudLimits,
  stateOf,
  suspendCloud,
} from '#engine/clouds'
import type { Language } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { readCount, readId, readName } from '../amounts.ts'
import { type Command, type Outcome, type ParsedArguments, refuse, type Session } from '../command.ts'
import { digits } from '../numerals.ts'
import { type Column, card, showTime, table } from '../output.ts'
import { titles } from '../phrases.ts'
import { plain } from '../server.ts'
import { cloudsColumns, cloudsOptions, cloudsPhrases as words } from './operate-phrases.ts'
import { cloudPhrases } from './phrases.ts'

const common = { needs: [], help: cloudsOptions }
const mebibyte = 1024 * 1024
/** Options by the names of the limits in the configuration, with the most that each may be there. */
const limitOptions = {
  secrets: ['secrets', 1_000],
  functions: ['functions', 1_000],
  collections: ['collections', 1_000],
  rows: ['rows', 10_000_000],
  'row-bytes': ['row_bytes', Number.MAX_SAFE_INTEGER],
  users: ['users', 10_000_000],
  files: ['files', 10_000_000],
  'file-bytes': ['file_bytes', 50 * mebibyte],
  'file-total-bytes': ['file_total_bytes', Number.MAX_SAFE_INTEGER],
  'daily-egress-bytes': ['daily_egress_bytes', Number.MAX_SAFE_INTEGER],
  'daily-function-calls': ['daily_function_calls', 1_000_000_000_000],
  'daily-mails': ['daily_mails', 1_000_000],
} as const

export const cloudOperatorCommands: Command[] = [
  { ...common, name: 'cloud all', about: words.list, takes: [], options: ['account'], run: listAll },
  {
    ...common,
    name: 'cloud suspend',
    about: words.suspend,
    takes: ['CLOUD'],
    options: ['reason'],
    run: suspend,
  },
  { ...common, name: 'cloud resume', about: words.resume, takes: ['CLOUD'], options: [], run: resume },
  {
    ...common,
    name: 'cloud limits',
    about: words.limits,
    takes: ['CLOUD'],
    options: Object.keys(limitOptions),
    changes: true,
    run: limitOne,
  },
]

const pageSize = 500

async function listAll(session: Session, { options }: ParsedArguments): Promise<Outcome> {
  const { language } = session
  const account = options['account'] === undefined ? undefined : readId('--account', options['account'])
  const db = await session.db()
  const rows: CloudRow[] = []
  for (let after: string | undefined, hasMore = true; hasMore; after = rows.at(-1)?.cloud_id) {
    const page = await listAllClouds(db, { limit: pageSize, after_id: after, account_id: account })
    rows.push(...page.rows)
    hasMore = page.hasMore
  }
  const text = rows.length === 0 ? `${words.noneYet[language]}\n` : table(rows, columns(language), language)
  return { json: { data: rows.map(jsonOf) }, text }
}

async function suspend(
  session: Session,
  { words: [named = ''], options }: ParsedArguments,
): Promise<Outcome> {
  const reason = options['reason'] === undefined ? null : readName('--reason', options['reason'])
  const room = { db: await session.db(), clock: session.clock }
  const row = await suspendCloud(room, keyOf(await cloudOf(session, named)), reason)
  return answer(session, row, words.suspended(row.ref)[session.language])
}

async function resume(session: Session, { words: [named = ''] }: ParsedArguments): Promise<Outcome> {
  const room = { db: await session.db(), clock: session.clock }
  const row = await resumeCloud(room, keyOf(await cloudOf(session, named)))
  return answer(session, row, words.resumed(row.ref)[session.language])
}

async function limitOne(
  session: Session,
  { words: [named = ''], options }: ParsedArguments,
): Promise<Outcome> {
  const changes: Record<string, number | null> = {}
  for (const [option, [name, most]] of Object.entries(limitOptions)) {
    const typed = options[option]
    if (typed !== undefined)
      changes[name] = readCount(`--${option}`, typed, most, option === 'file-bytes' ? 1 : 0)
  }
  const room = { db: await session.db(), clock: session.clock }
  const row = await setCloudLimits(room, keyOf(await cloudOf(session, named)), changes)
  return answer(session, row, words.changed(row.ref)[session.language])
}

/** By its id or its ref. */
async function cloudOf(session: Session, named: string): Promise<CloudRow> {
  const found = await findAnyCloud(
    await session.db(),
    isUuid(named) ? { cloudId: named } : { ref: named.toLowerCase() },
  )
  return found ?? refuse('CLOUD_NOT_FOUND', words.noCloud(plain(named)))
}

const answer = ({ language }: Session, row: CloudRow, said: string): Outcome => ({
  json: jsonOf(row),
  text: `${said}\n${card(row, columns(language), language)}`,
})

const columns = (language: Language): Column<CloudRow>[] => [
  { title: titles.id, show: (row) => row.cloud_id },
  { title: cloudsColumns.ref, show: (row) => row.ref },
  { title: titles.name, show: (row) => plain(row.name) },
  { title: titles.account, show: (row) => row.account_id },
  { title: cloudsColumns.plan, show: (row) => row.plan },
  { title: titles.state, show: (row) => cloudPhrases.states[stateOf(row)][language] },
  { title: cloudsColumns.reason, show: (row) => plain(row.suspended_reason ?? row.error_code ?? '-') },
  { title: cloudsColumns.limits, show: (row) => limitsText(row, language) },
  { title: titles.created, show: (row) => showTime(row.created_at, language) },
]

function limitsText({ limits }: CloudRow, language: Language): string {
  const own = Object.entries(limits).map(([name, value]) => `${name}=${digits(value, language)}`)
  return own.length === 0 ? words.none[language] : own.join(' ')
}

const jsonOf = (row: CloudRow) => ({
  id: row.cloud_id,
  account_id: row.account_id,
  project_id: row.project_id,
  ref: row.ref,
  name: row.name,
  plan: row.plan,
  status: stateOf(row),
  suspended_at: row.suspended_at?.toISOString() ?? null,
  suspended_reason: row.suspended_reason,
  error: row.error_code,
  limits: row.limits,
  created_at: row.created_at.toISOString(),
})
