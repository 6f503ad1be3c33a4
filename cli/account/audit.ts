/** `kherad audit list`: shows the operator who changed access, money or settings. It works on the database directly. */
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
import { plain } from '../server.ts'
import { auditColumns, auditOptions, auditPhrases as words } from './audit-phrases.ts'

const standardRows = 100
const maxRows = 10_000
/** The characters that a table shows of a value; the JSON document has all of it. */
const maxShown = 120

export const auditCommands: Command[] = [
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

type ShownEntry = ReturnType<typeof toEntry> & { row: EntryRow }

const columns = (language: Language): TableColumn<ShownEntry>[] => [
  { title: auditColumns.at, show: ({ row }) => showTime(row.at, language) },
  { title: auditColumns.actor, show: ({ actor }) => actorText(actor, language) },
  { title: auditColumns.operation, show: ({ operation }) => operation },
  { title: auditColumns.target, show: ({ target }) => targetText(target) },
  { title: titles.account, show: ({ row }) => row.account_id ?? '-' },
  { title: auditColumns.before, show: ({ before }) => valueText(before) },
  { title: auditColumns.after, show: ({ after }) => valueText(after) },
  { title: auditColumns.client, show: ({ client }) => plain(client ?? '-') },
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
