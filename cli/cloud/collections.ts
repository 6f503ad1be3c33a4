/** `kherad cloud collections …`: the collections of an app back-end and what is in them. */
import type { Language } from '#platform/errors'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuseUsage,
  type Session,
} from '../command.ts'
import { wholeNumber } from '../media/studio/inputs.ts'
import { showTime, type TableColumn, table } from '../output.ts'
import { connection } from '../server/phrases.ts'
import { idempotentBody, requestRecord } from '../server/records.ts'
import { plain } from '../server.ts'
import { namedCloud, pathOf } from './api.ts'
import { collectionOptions, collectionPhrases as words } from './collections-phrases.ts'
import { cloudOptions } from './phrases.ts'

interface Collection {
  name: string
  public_read: boolean
  rows: number
  bytes: number
  created_at: string
}

interface Row {
  id: string
  owner_id: string | null
  data: Record<string, unknown>
  created_at: string
}

interface RowPage {
  data: Row[]
  has_more: boolean
  offset: number
  total: number
}

const common = { options: connection, needs: [], help: { ...cloudOptions, ...collectionOptions } }
const maxOffset = 2_000

export const collectionCommands: Command[] = [
  { ...common, name: 'cloud collections list', about: words.list, takes: ['CLOUD'], run: list },
  {
    ...common,
    name: 'cloud collections create',
    about: words.create,
    takes: ['CLOUD', 'COLLECTION'],
    flags: ['public-read'],
    run: create,
  },
  {
    ...common,
    name: 'cloud collections rows',
    about: words.rows,
    takes: ['CLOUD', 'COLLECTION'],
    options: ['offset', ...connection],
    run: rows,
  },
  {
    ...common,
    name: 'cloud collections delete',
    about: words.delete,
    takes: ['CLOUD', 'COLLECTION'],
    options: ['confirm', ...connection],
    needs: ['confirm'],
    run: remove,
  },
]

const columns = (language: Language): TableColumn<Collection>[] => [
  { title: words.columns.name, show: ({ name }) => plain(name) },
  {
    title: words.columns.readers,
    show: (one) => words.readers[one.public_read ? 'all' : 'owners'][language],
  },
  { title: words.columns.rows, show: ({ rows }) => words.count(rows)[language], numeric: true },
  { title: words.columns.bytes, show: ({ bytes }) => words.count(bytes)[language], numeric: true },
  { title: words.columns.created, show: ({ created_at: at }) => showTime(new Date(at), language) },
]

async function list(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const { data } = await requestRecord<{ data: Collection[] }>(server, 'GET', pathOf(cloud, '/database'))
  return { json: data, text: table(data, columns(session.language), session.language) }
}

async function create(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const [, name] = given.words
  const body = { action: 'create_collection', name, public_read: given.flags.includes('public-read') }
  const made = await requestRecord<Collection>(
    server,
    'POST',
    pathOf(cloud, '/database'),
    idempotentBody(body),
  )
  return { json: made, text: `${words.made(plain(made.name))[session.language]}\n` }
}

async function rows(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const { server, cloud } = await namedCloud(session, given)
  const { offset: typed = '0' } = given.options
  const offset = wholeNumber('--offset', typed, 0, maxOffset)
  const body = { action: 'list', table: given.words[1], offset }
  const page = await requestRecord<RowPage>(server, 'POST', pathOf(cloud, '/database'), { body })
  session.notify(words.page(offset, page.data.length, page.total)[language])
  const lines = page.data.map((row) => `${plain(JSON.stringify({ id: row.id, ...row.data }))}\n`)
  return { json: page, text: lines.join('') }
}

async function remove(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const name = given.words[1]!
  if (given.options['confirm'] !== name) refuseUsage(words.otherName())
  const { server, cloud } = await namedCloud(session, given)
  const path = pathOf(cloud, `/collections/${encodeURIComponent(name)}`)
  const gone = await requestRecord<{ rows: number }>(server, 'DELETE', path)
  return { json: gone, text: `${words.gone(plain(name), gone.rows)[session.language]}\n` }
}
