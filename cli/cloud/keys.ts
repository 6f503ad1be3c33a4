/** `kherad cloud keys`: makes and ends the keys of an app back-end. */
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
import { plain, type Server } from '../server.ts'
import { type Cloud, namedCloud, pathOf } from './api.ts'
import { cloudOptions, cloudPhrases as words } from './phrases.ts'

export const keysCommand: Command = {
  name: 'cloud keys',
  about: words.keys,
  takes: ['CLOUD'],
  options: ['new', 'grace', 'end', ...connection],
  needs: [],
  help: cloudOptions,
  run,
}

interface CloudKeyRecord {
  id: string
  kind: string
  created_at: string
  expires_at: string | null
  secret?: string | null
}

const maxGraceSeconds = 7 * 24 * 60 * 60

async function run(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { new: kind, grace, end } = given.options
  if (kind !== undefined && end !== undefined) refuseUsage(words.newOrEnd())
  if (kind === undefined && grace !== undefined) refuseUsage(words.graceOfNew())
  if (kind !== undefined && !['public', 'service', 'signing'].includes(kind)) refuseUsage(words.badKind(kind))
  const seconds = grace === undefined ? undefined : wholeNumber('--grace', grace, 0, maxGraceSeconds)
  const { server, cloud } = await namedCloud(session, given)
  if (kind !== undefined) return createKey(session, server, cloud, { kind, grace_seconds: seconds })
  if (end !== undefined) {
    const gone = await requestRecord<object>(
      server,
      'DELETE',
      pathOf(cloud, `/keys/${encodeURIComponent(end)}`),
    )
    return { json: gone, text: `${words.keyGone[session.language]}\n` }
  }
  const { data } = await requestRecord<{ data: CloudKeyRecord[] }>(server, 'GET', pathOf(cloud, '/keys'))
  return { json: data, text: table(data, columns(session.language), session.language) }
}

async function createKey(
  session: Session,
  server: Server,
  cloud: Cloud,
  body: object,
): Promise<CommandResult> {
  const key = await requestRecord<CloudKeyRecord>(
    server,
    'POST',
    pathOf(cloud, '/keys'),
    idempotentBody(body),
  )
  if (!key.secret) return { json: key, text: `${words.rotated[session.language]}\n` }
  session.notify(words.shownOnce[session.language])
  return { json: key, text: `${plain(key.secret)}\n` }
}

const columns = (language: Language): TableColumn<CloudKeyRecord>[] => [
  { title: words.columns.id, show: ({ id }) => plain(id) },
  { title: words.columns.kind, show: ({ kind }) => plain(kind) },
  { title: words.columns.created, show: ({ created_at: at }) => showTime(new Date(at), language) },
  {
    title: words.columns.expires,
    show: ({ expires_at: at }) => (at === null ? '—' : showTime(new Date(at), language)),
  },
]
