/** The keys of an account, by a management key. */
import type { Language } from '#platform/errors'
import { list, readCount, readExpiry, readId, readKeepDays, readName } from '../../amounts.ts'
import { type CommandResult, type ParsedArguments, refuseUsage, type Session } from '../../command.ts'
import { card, showTime, type TableColumn, table } from '../../output.ts'
import { phrases, titles } from '../../phrases.ts'
import { idempotentBody, requestAll, requestRecord } from '../../server/records.ts'
import { plain, type Server } from '../../server.ts'
import { inProject } from './at-server.ts'
import { type Limits, limitColumns, limitsBody } from './limits.ts'
import { columns, serverWords as words } from './phrases.ts'

/** The most output tokens of one answer (contract section 8). */
const maxOutput = 32_768

interface Key extends Limits {
  id: string
  project_id: string
  name: string
  hint: string
  state: 'active' | 'expired' | 'revoked'
  scopes: string[]
  expires_at: string | null
  revoked_at: string | null
  made_by: { display_name: string } | null
  made_by_management_key: { name: string } | null
}

export async function createKey(
  server: Server,
  session: Session,
  { options }: ParsedArguments,
): Promise<CommandResult> {
  const { language } = session
  if (options['scopes'] === undefined) refuseUsage(words.scopesNeeded())
  const body = {
    name: readName('--name', options['name'] ?? ''),
    scopes: list(options['scopes']),
    ...settings(session, options),
  }
  const { headers, ...once } = idempotentBody(body)
  const made = await requestRecord<Key & { secret: string }>(server, 'POST', '/v1/keys', {
    ...once,
    headers: { ...headers, ...inProject(options['project']) },
  })
  const text = `${phrases.keyCreated()[language]}\n\n  ${plain(made.secret)}\n\n${card(made, keyColumns(language), language)}`
  return { json: made, text }
}

export async function listKeys(
  server: Server,
  { language }: Session,
  { options }: ParsedArguments,
): Promise<CommandResult> {
  const all = await requestAll<Key>(server, '/v1/keys')
  const project = options['project'] === undefined ? undefined : readId('--project', options['project'])
  const data = all.filter(({ project_id: id }) => project === undefined || id === project)
  const text =
    data.length === 0 ? `${phrases.noKeyYet()[language]}\n` : table(data, keyColumns(language), language)
  return { json: { data }, text }
}

export async function setKey(
  server: Server,
  session: Session,
  { words: [typed = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const { language } = session
  const path = `/v1/keys/${readId('KEY', typed)}`
  const key = await requestRecord<Key>(server, 'PATCH', path, { body: settings(session, options) })
  return {
    json: key,
    text: `${phrases.keyChanged()[language]}\n${card(key, keyColumns(language), language)}`,
  }
}

export async function revokeKey(
  server: Server,
  { language }: Session,
  { words: [typed = ''] }: ParsedArguments,
): Promise<CommandResult> {
  const key = await requestRecord<Key>(server, 'DELETE', `/v1/keys/${readId('KEY', typed)}`)
  const at = new Date(key.revoked_at ?? Date.now())
  const message = phrases.revoked(plain(key.name), { fa: showTime(at, 'fa'), en: showTime(at, 'en') })
  return { json: key, text: `${message[language]}\n` }
}

/** What is typed of a key beside its name and scopes, for a body. */
function settings(session: Session, options: Readonly<Record<string, string>>): object {
  const { models, origins, expires, 'responses-max-output-tokens': output, 'keep-days': keepDays } = options
  const end = expires === undefined ? undefined : readExpiry('--expires', expires, session.clock.nowMs())
  return {
    ...limitsBody(options),
    ...(models !== undefined && { models: models.trim() === 'all' ? null : list(models) }),
    ...(origins !== undefined && { origins: origins.trim() === 'none' ? null : list(origins) }),
    ...(end !== undefined && { expires_at: end === null ? null : end.toISOString() }),
    ...(output !== undefined && {
      responses_max_output_tokens: readCount('--responses-max-output-tokens', output, maxOutput),
    }),
    ...(keepDays !== undefined && { keep_days: readKeepDays(keepDays) }),
  }
}

const keyColumns = (language: Language): TableColumn<Key>[] => [
  { title: titles.id, show: ({ id }) => plain(id) },
  { title: titles.name, show: ({ name }) => plain(name) },
  { title: titles.hint, show: ({ hint }) => `…${plain(hint)}` },
  { title: titles.state, show: ({ state }) => phrases.state[state]?.[language] ?? plain(state) },
  { title: titles.project, show: ({ project_id: id }) => plain(id) },
  ...limitColumns<Key>(language),
  {
    title: titles.expires,
    show: ({ expires_at: end }) =>
      end === null ? phrases.none()[language] : showTime(new Date(end), language),
  },
  {
    title: columns.maker,
    show: ({ made_by: person, made_by_management_key: key }) =>
      plain(person?.display_name ?? key?.name ?? phrases.none()[language]),
  },
  { title: titles.scopes, show: ({ scopes }) => plain(scopes.join(',')) },
]
