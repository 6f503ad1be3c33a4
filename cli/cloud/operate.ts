/** `kherad cloud all|suspend|resume|limits|forget-database`: lets the operator see and change app back-ends. It works on the database directly. */
import {
  type CloudRow,
  findAnyClouds,
  keyOf,
  listAllClouds,
  resumeCloud,
  setCloudLimits,
  stateOf,
  suspendCloud,
} from '#cloud/clouds'
import { forgetDatabase, maxMemoryOf } from '#cloud/databases'
import type { Tx } from '#platform/db'
import type { Language } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { loadConfig } from '#settings'
import { readId, readName } from '../amounts.ts'
import { auditCommand } from '../audit.ts'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { type LimitOptions, limitsText, readAll, readLimits } from '../operate.ts'
import { card, showTime, type TableColumn, table } from '../output.ts'
import { titles } from '../phrases.ts'
import { plain } from '../server.ts'
import { cloudsColumns, cloudsOptions, cloudsPhrases as words } from './operate-phrases.ts'
import { cloudPhrases } from './phrases.ts'

const common = { needs: [], help: cloudsOptions }
const mebibyte = 1024 * 1024
const limitOptions: LimitOptions = {
  secrets: ['secrets', 0, 1_000],
  functions: ['functions', 0, 1_000],
  collections: ['collections', 0, 1_000],
  rows: ['rows', 0, 10_000_000],
  'row-bytes': ['row_bytes', 0, Number.MAX_SAFE_INTEGER],
  users: ['users', 0, 10_000_000],
  files: ['files', 0, 10_000_000],
  'file-bytes': ['file_bytes', 1, 50 * mebibyte],
  'file-total-bytes': ['file_total_bytes', 0, Number.MAX_SAFE_INTEGER],
  'disk-bytes': ['disk_bytes', 100_000_000, Number.MAX_SAFE_INTEGER],
  'memory-bytes': ['memory_bytes', 64 * mebibyte, 1024 * 1024 * mebibyte],
  connections: ['connections', 5, 1_000],
  'awake-hours': ['awake_hours', 1, 744],
  'daily-egress-bytes': ['daily_egress_bytes', 0, Number.MAX_SAFE_INTEGER],
  'daily-function-calls': ['daily_function_calls', 0, 1_000_000_000_000],
  'daily-mails': ['daily_mails', 0, 1_000_000],
}

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
    name: 'cloud forget-database',
    about: words.forget,
    takes: ['CLOUD'],
    options: ['confirm'],
    needs: ['confirm'],
    run: forget,
  },
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

async function listAll(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const account = options['account'] === undefined ? undefined : readId('--account', options['account'])
  const db = await session.db()
  const rows = await readAll(
    (page) => listAllClouds(db, { ...page, account_id: account }),
    (row) => row.cloud_id,
  )
  const text = rows.length === 0 ? `${words.noneYet[language]}\n` : table(rows, columns(language), language)
  return { json: { data: rows.map(jsonOf) }, text }
}

async function suspend(
  session: Session,
  { words: [named = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const reason = options['reason'] === undefined ? null : readName('--reason', options['reason'])
  const room = await auditedRoom(session, 'cloud.suspend', suspension)
  const row = await suspendCloud(room, keyOf(await cloudOf(session, named)), reason)
  return answer(session, row, words.suspended(row.ref)[session.language])
}

/** What the operator's functions work with; each change writes its row, with the part of the cloud that it is about. */
const auditedRoom = async (session: Session, operation: string, part: (row: CloudRow) => object) => ({
  db: await session.db(),
  clock: session.clock,
  alongside: (tx: Tx, before: CloudRow, after: CloudRow) =>
    auditCommand(tx, session, {
      ...{ operation, ...targetOf(after), before: part(before), after: part(after) },
    }),
})

const suspension = ({ suspended_at, suspended_reason: reason }: CloudRow) => ({
  suspended: suspended_at !== null,
  reason,
})

const targetOf = ({ account_id: accountId, project_id: projectId, cloud_id: id }: CloudRow) => ({
  ...{ accountId, projectId },
  target: { kind: 'cloud', id },
})

async function resume(session: Session, { words: [named = ''] }: ParsedArguments): Promise<CommandResult> {
  const room = await auditedRoom(session, 'cloud.resume', suspension)
  const found = await cloudOf(session, named)
  const done = await resumeCloud(room, keyOf(found))
  if ('ended' in done) refuse('PACKAGE_ENDED', words.packageEnded(found.ref, done.ended.package_id))
  return answer(session, done.resumed, words.resumed(found.ref)[session.language])
}

/** Forgets a database whose machine or server is lost for good. */
async function forget(
  session: Session,
  { words: [named = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const { language, clock } = session
  const found = await cloudOf(session, named)
  if (options['confirm'] !== found.name) refuse('OTHER_NAME', words.otherName(plain(found.name)))
  const left = await forgetDatabase(
    {
      ...{ db: await session.db(), clock },
      alongside: (tx, { provider, place }) =>
        auditCommand(tx, session, {
          ...{ operation: 'cloud.forget_database', ...targetOf(found), before: { provider, place } },
        }),
    },
    keyOf(found),
  )
  if (!left) return refuse('NO_DATABASE', words.noDatabase(found.ref))
  const { provider, place, ref, osUser } = left
  const said = provider === 'local' ? words.leftOnMachine(place, ref, osUser) : words.leftOnServer(place, ref)
  return {
    json: { id: found.cloud_id, ref: found.ref, provider, place, database: ref, os_user: osUser },
    text: `${words.forgotten(found.ref)[language]}\n${said[language]}\n`,
  }
}

async function limitOne(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const changes = readLimits(limitOptions, given)
  const room = await auditedRoom(session, 'cloud.limits', ({ limits }) => ({ limits }))
  const found = await cloudOf(session, given.words[0]!)
  await requireWakes(session, found, changes['memory_bytes'])
  const row = await setCloudLimits(room, keyOf(found), changes)
  return answer(session, row, words.changed(row.ref)[session.language])
}

/** Refuses a database more memory than all databases of its machine may have together: it would never wake again. */
async function requireWakes(
  session: Session,
  cloud: CloudRow,
  bytes: number | null | undefined,
): Promise<void> {
  if (bytes === null || bytes === undefined) return
  const config = loadConfig(session.env)
  const maxBytes = await maxMemoryOf({ db: await session.db(), config }, keyOf(cloud))
  if (maxBytes !== undefined && bytes > maxBytes)
    refuse(
      'TOO_MUCH_MEMORY',
      words.tooMuchMemory(bytes, maxBytes, Math.round(config.databases.memoryShare * 100)),
    )
}

/** Finds a cloud by its id, its ref or its name. Refuses a name that several clouds have, of whichever accounts. */
async function cloudOf(session: Session, named: string): Promise<CloudRow> {
  const db = await session.db()
  const [exact] = await findAnyClouds(
    db,
    isUuid(named) ? { cloudId: named } : { ref: named.toLowerCase() },
    1,
  )
  if (exact) return exact
  const [found, ...others] = await findAnyClouds(db, { name: named }, 2)
  if (others.length > 0) refuse('SEVERAL_CLOUDS', words.severalClouds(plain(named)))
  return found ?? refuse('CLOUD_NOT_FOUND', words.noCloud(plain(named)))
}

const answer = ({ language }: Session, row: CloudRow, said: string): CommandResult => ({
  json: jsonOf(row),
  text: `${said}\n${card(row, columns(language), language)}`,
})

const columns = (language: Language): TableColumn<CloudRow>[] => [
  { title: titles.id, show: (row) => row.cloud_id },
  { title: cloudsColumns.ref, show: (row) => row.ref },
  { title: titles.name, show: (row) => plain(row.name) },
  { title: titles.account, show: (row) => row.account_id },
  { title: cloudsColumns.plan, show: (row) => row.plan },
  { title: titles.state, show: (row) => cloudPhrases.states[stateOf(row)][language] },
  { title: cloudsColumns.reason, show: (row) => plain(row.suspended_reason ?? row.error_code ?? '-') },
  { title: cloudsColumns.limits, show: (row) => limitsText(row.limits, language) },
  { title: titles.created, show: (row) => showTime(row.created_at, language) },
]

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
