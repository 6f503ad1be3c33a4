/** `kherad cloud package …`: the dedicated infrastructure that the operator gives to accounts. It works on the database directly. */
import {
  endPackage,
  findOffer,
  givePackage,
  listPackages,
  type PackageRow,
  packageState,
  renewPackage,
} from '#cloud/clouds'
import { type Config, readConfigFile } from '#platform/config'
import type { Tx } from '#platform/db'
import type { Language } from '#platform/errors'
import { loadConfig } from '#settings'
import { accountOf } from '../account/accounts.ts'
import { readExpiry, readId } from '../amounts.ts'
import { auditCommand } from '../audit.ts'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { readAll } from '../operate.ts'
import { card, showTime, type TableColumn, table } from '../output.ts'
import { titles } from '../phrases.ts'
import { plain } from '../server.ts'
import { packageColumns, packageOptions, packagePhrases as words } from './packages-phrases.ts'

const common = { needs: [], help: packageOptions }

export const packageCommands: Command[] = [
  {
    ...common,
    name: 'cloud package give',
    about: words.give,
    takes: ['ACCOUNT', 'PACKAGE'],
    options: ['until', 'id'],
    run: give,
  },
  {
    ...common,
    name: 'cloud package list',
    about: words.list,
    takes: [],
    options: ['account'],
    run: listAll,
  },
  {
    ...common,
    name: 'cloud package renew',
    about: words.renew,
    takes: ['ID'],
    options: ['until', 'package'],
    needs: ['until'],
    run: renew,
  },
  { ...common, name: 'cloud package end', about: words.end, takes: ['ID'], options: [], run: end },
]

async function give(
  session: Session,
  { words: [account = '', offer = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const paidUntil = readUntil(session, options['until'])
  const packageId = options['id'] === undefined ? undefined : readId('--id', options['id'])
  requireOffer(session, offer)
  const { account_id: accountId } = await accountOf(session, account)
  const room = await auditedRoom(session, 'cloud.package.give')
  const row = await givePackage(room, { accountId, packageId, offer, paidUntil })
  if (!row) return refuse('PACKAGE_CONFLICT', words.conflict(packageId!))
  return answer(session, row, words.given)
}

async function listAll(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const account = options['account'] === undefined ? undefined : readId('--account', options['account'])
  const db = await session.db()
  const rows = await readAll(
    (page) => listPackages(db, { ...page, account_id: account }),
    (row) => row.package_id,
  )
  const text =
    rows.length === 0 ? `${words.noneYet[language]}\n` : table(rows, columns(session, language), language)
  return { json: { data: rows.map((row) => jsonOf(session, row)) }, text }
}

async function renew(
  session: Session,
  { words: [typed = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const packageId = readId('ID', typed)
  const paidUntil = readUntil(session, options['until'])
  const offer = options['package']
  if (offer !== undefined) requireOffer(session, offer)
  const room = await auditedRoom(session, 'cloud.package.renew')
  const row = await renewPackage(room, packageId, { offer, paidUntil })
  return answer(session, row ?? refuse('PACKAGE_NOT_FOUND', words.none(packageId)), words.renewed)
}

async function end(session: Session, { words: [typed = ''] }: ParsedArguments): Promise<CommandResult> {
  const packageId = readId('ID', typed)
  const room = await auditedRoom(session, 'cloud.package.end')
  const row = await endPackage(room, packageId)
  return answer(session, row ?? refuse('PACKAGE_NOT_FOUND', words.none(packageId)), words.ended)
}

/** What the functions of packages work with; each change writes its row. */
const auditedRoom = async (session: Session, operation: string) => ({
  db: await session.db(),
  clock: session.clock,
  alongside: (tx: Tx, after: PackageRow, before?: PackageRow) =>
    auditCommand(tx, session, {
      ...{ accountId: after.account_id, operation, target: { kind: 'package', id: after.package_id } },
      ...(before && { before: auditedPackage(before) }),
      after: auditedPackage(after),
    }),
})

const auditedPackage = ({ offer, paid_until, ended_at }: PackageRow) => ({
  package: offer,
  paid_until,
  ended_at,
})

const readUntil = ({ clock }: Session, typed: string | undefined): Date | null =>
  typed === undefined ? null : readExpiry('--until', typed, clock.nowMs())

const offersOf = ({ env }: Session): Config['clouds'] => loadConfig(env, readConfigFile(env)).clouds

function requireOffer(session: Session, offer: string): void {
  const clouds = offersOf(session)
  const known = clouds.packages.map(({ id }) => id)
  if (!findOffer(clouds, offer)) refuse('PACKAGE_UNKNOWN', words.unknown(plain(offer), known))
}

const answer = (session: Session, row: PackageRow, said: typeof words.given): CommandResult => ({
  json: jsonOf(session, row),
  text: `${said[session.language]}\n${card(row, columns(session, session.language), session.language)}`,
})

const columns = ({ clock }: Session, language: Language): TableColumn<PackageRow>[] => [
  { title: titles.id, show: (row) => row.package_id },
  { title: packageColumns.package, show: (row) => row.offer },
  { title: titles.account, show: (row) => row.account_id },
  { title: packageColumns.cloud, show: (row) => row.cloud_id ?? '-' },
  { title: titles.state, show: (row) => words.states[packageState(row, clock.nowMs())][language] },
  {
    title: packageColumns.until,
    show: ({ paid_until: until }) => (until === null ? '-' : showTime(until, language)),
  },
  { title: titles.created, show: (row) => showTime(row.created_at, language) },
]

const jsonOf = ({ clock }: Session, row: PackageRow) => ({
  id: row.package_id,
  account_id: row.account_id,
  package: row.offer,
  cloud_id: row.cloud_id,
  state: packageState(row, clock.nowMs()),
  paid_until: row.paid_until?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})
