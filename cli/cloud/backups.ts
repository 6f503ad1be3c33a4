/** `kherad cloud backup …` and `kherad cloud restore`: backups of the database of a dedicated app back-end. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Language } from '#platform/errors'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { showTime, type TableColumn, table } from '../output.ts'
import { connection } from '../server/phrases.ts'
import { idempotentBody, requestAll, requestRecord } from '../server/records.ts'
import { plain, type Server } from '../server.ts'
import { type Cloud, namedCloud, pathOf } from './api.ts'
import { backupOptions, backupPhrases as words } from './backup-phrases.ts'

const common = { options: connection, needs: [], help: backupOptions }

export const backupCommands: Command[] = [
  { ...common, name: 'cloud backup', about: words.make, takes: ['CLOUD'], run: make },
  { ...common, name: 'cloud backups list', about: words.list, takes: ['CLOUD'], run: list },
  {
    ...common,
    name: 'cloud backups delete',
    about: words.remove,
    takes: ['CLOUD', 'BACKUP'],
    run: remove,
  },
  {
    ...common,
    name: 'cloud restore',
    about: words.restore,
    takes: ['CLOUD', 'BACKUP'],
    options: ['confirm', 'into', 'package', ...connection],
    needs: ['confirm'],
    run: restore,
  },
]

interface Problem {
  message: string
}

interface Backup {
  id: string
  kind: string
  status: string
  error: Problem | null
  bytes: number | null
  created_at: string
  expires_at: string
}

interface Restore {
  id: string
  cloud_id: string
  status: string
  error: Problem | null
}

interface Backups {
  restore: Restore | null
}

const pollMs = 500

const backupPath = (id: string, rest = ''): string => `/backups/${encodeURIComponent(id)}${rest}`

async function make(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  let backup = await requestRecord<Backup>(server, 'POST', pathOf(cloud, '/backups'), idempotentBody({}))
  session.notify(words.making[session.language])
  while (backup.status === 'queued') {
    await pause(pollMs, undefined, { signal: session.stopping })
    backup = await requestRecord<Backup>(server, 'GET', pathOf(cloud, backupPath(backup.id)))
  }
  if (backup.status === 'failed') refuse('BACKUP_FAILED', words.failed(plain(backup.error?.message ?? '')))
  return { json: backup, text: `${words.made(plain(backup.id))[session.language]}\n` }
}

const columns = (language: Language): TableColumn<Backup>[] => [
  { title: words.columns.id, show: ({ id }) => plain(id) },
  { title: words.columns.kind, show: ({ kind }) => words.kinds[kind]?.[language] ?? plain(kind) },
  { title: words.columns.state, show: ({ status }) => words.states[status]?.[language] ?? plain(status) },
  {
    title: words.columns.bytes,
    show: ({ bytes }) => (bytes === null ? '—' : words.count(bytes)[language]),
    numeric: true,
  },
  { title: words.columns.created, show: ({ created_at: at }) => showTime(new Date(at), language) },
  { title: words.columns.expires, show: ({ expires_at: at }) => showTime(new Date(at), language) },
]

async function list(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const backups = await requestAll<Backup>(server, pathOf(cloud, '/backups'))
  return { json: backups, text: table(backups, columns(session.language), session.language) }
}

async function remove(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const gone = await requestRecord<{ id: string }>(
    server,
    'DELETE',
    pathOf(cloud, backupPath(given.words[1]!)),
  )
  return { json: gone, text: `${words.deleted(plain(gone.id))[session.language]}\n` }
}

async function restore(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { confirm, into, package: offer } = given.options
  const { server, cloud } = await namedCloud(session, given)
  const body = {
    confirm,
    ...(into !== undefined && { into: 'new', name: into }),
    ...(offer !== undefined && { package: offer }),
  }
  const path = pathOf(cloud, backupPath(given.words[1]!, '/restore'))
  const begun = await requestRecord<Restore>(server, 'POST', path, idempotentBody(body))
  session.notify(words.restoring[session.language])
  const restored = await waitForRestore(session, server, { ...cloud, id: begun.cloud_id }, begun)
  if (restored.status === 'failed')
    refuse('RESTORE_FAILED', words.failed(plain(restored.error?.message ?? '')))
  const text = words.restored(plain(into ?? cloud.name))[session.language]
  return { json: restored, text: `${text}\n` }
}

async function waitForRestore(
  session: Session,
  server: Server,
  into: Cloud,
  begun: Restore,
): Promise<Restore> {
  for (let last: Restore = begun; ; ) {
    if (last.id !== begun.id || last.status !== 'queued') return last
    await pause(pollMs, undefined, { signal: session.stopping })
    const page = await requestRecord<Backups>(server, 'GET', pathOf(into, '/backups?limit=1'))
    last = page.restore ?? last
  }
}
