/** `kherad audit list`: shows who changed access, money or settings: the operator on the database, a program with a management key at a running server. */
import { type EntryRow, listAudit } from '#account/audit'
import { namesIn, toEntry } from '#account/audit-routes'
import type { Language } from '#platform/errors'
import { readCount, readId, readPast } from '../amounts.ts'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuseUsage,
  type Session,
} from '../command.ts'
import { showTime, type TableColumn, table } from '../output.ts'
import { titles } from '../phrases.ts'
import { requestRecord } from '../server/records.ts'
import { plain, type Server } from '../server.ts'
import { alsoAtServer, withQuery } from './at-server/at-server.ts'
import { auditColumns, auditOptions, auditPhrases as words } from './audit-phrases.ts'

const standardRows = 100
const maxRows = 10_000
/** The characters that a table shows of a value; the JSON document has all of it. */
const maxShown = 120

export const auditCommands: Command[] = [
  alsoAtServer(
    {
      name: 'audit list',
      about: words.list,
      takes: [],
      options: ['account', 'since', 'operation', 'limit'],
      needs: [],
      flags: ['installation'],
      help: auditOptions,
      run: list,
    },
    listAtServer,
  ),
]

async function list(session: Session, { options, flags }: ParsedArguments): Promise<CommandResult> {
  const { language, clock } = session
  const ofInstallation = flags.includes('installation')
  if (ofInstallation && options.account !== undefined) refuseUsage(words.twoPlaces)
  const accountId = options.account === undefined ? undefined : readId('--account', options.account)
  const filter = {
    accountId: ofInstallation ? null : accountId,
    operation: options.operation,
    from: options.since === undefined ? undefined : readPast('--since', options.since, clock.nowMs()),
  }
  const limit =
    options.limit === undefined ? standardRows : (readCount('--limit', options.limit, maxRows) ?? maxRows)
  const db = await session.db()
  const { rows, hasMore } = await listAudit(db, filter, { limit })
  const names = await namesIn(db, rows)
  const shown = rows.map((row) => ({ ...toEntry(row, names, language), row }))
  const more = hasMore ? `${words.more(limit)[language]}\n` : ''
  return {
    json: {
      data: shown.map(({ row, ...entry }) => ({ ...entry, account_id: row.account_id })),
      has_more: hasMore,
    },
    text: rows.length === 0 ? `${words.none[language]}\n` : table(shown, columns(language), language) + more,
  }
}

/** The rows of the account of a management key, at a running server. */
async function listAtServer(
  server: Server,
  { language, clock }: Session,
  { options, flags }: ParsedArguments,
): Promise<CommandResult> {
  if (flags.includes('installation') || options.account !== undefined) refuseUsage(words.ofOneAccount)
  const path = withQuery('/v1/audit', {
    operation: options.operation,
    limit: options.limit,
    from: options.since && readPast('--since', options.since, clock.nowMs()).toISOString(),
  })
  const answer = await requestRecord<{ data: ServedEntry[]; has_more: boolean }>(server, 'GET', path)
  const shown =
    answer.data.length === 0
      ? `${words.none[language]}\n`
      : table(answer.data, ownColumns(language), language)
  const more = answer.has_more ? `${words.more(answer.data.length)[language]}\n` : ''
  return { json: answer, text: shown + more }
}

type ServedEntry = ReturnType<typeof toEntry>
type ShownEntry = ServedEntry & { row: EntryRow }

const ownColumns = (language: Language): TableColumn<ServedEntry>[] => [
  { title: auditColumns.at, show: ({ at }) => showTime(new Date(at), language) },
  { title: auditColumns.actor, show: ({ actor }) => actorText(actor, language) },
  { title: auditColumns.operation, show: ({ operation }) => operation },
  { title: auditColumns.target, show: ({ target }) => targetText(target) },
  { title: auditColumns.before, show: ({ before }) => valueText(before) },
  { title: auditColumns.after, show: ({ after }) => valueText(after) },
  { title: auditColumns.client, show: ({ client }) => plain(client ?? '-') },
]

const columns = (language: Language): TableColumn<ShownEntry>[] => [
  ...ownColumns(language).slice(0, 4),
  { title: titles.account, show: ({ row }) => row.account_id ?? '-' },
  ...ownColumns(language).slice(4),
]

const actorText = ({ kind, id, name }: ShownEntry['actor'], language: Language): string =>
  [words.actors[kind][language], plain(name ?? ''), id ?? ''].filter((part) => part !== '').join(' ')

const targetText = (target: ShownEntry['target']): string =>
  target === null
    ? '-'
    : [target.kind, plain(target.name ?? ''), plain(target.id)].filter((part) => part !== '').join(' ')

function valueText(value: Record<string, unknown> | null): string {
  if (value === null) return '-'
  const text = plain(JSON.stringify(value))
  return text.length <= maxShown ? text : `${text.slice(0, maxShown - 1)}…`
}
