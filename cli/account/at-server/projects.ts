/** The projects of an account, by a management key. */
import type { Language } from '#platform/errors'
import { readId, readKeepDays, readName } from '../../amounts.ts'
import type { CommandResult, ParsedArguments, Session } from '../../command.ts'
import { card, showTime, type TableColumn, table } from '../../output.ts'
import { phrases, titles } from '../../phrases.ts'
import { idempotentBody, requestRecord } from '../../server/records.ts'
import { plain, type Server } from '../../server.ts'
import { showCount } from '../money.ts'
import { type Limits, limitColumns, limitsBody } from './limits.ts'

interface Project extends Limits {
  id: string
  name: string
  keep_days: number | null
  created_at: string
}

export async function createProject(
  server: Server,
  { language }: Session,
  { options }: ParsedArguments,
): Promise<CommandResult> {
  const body = { name: readName('--name', options['name'] ?? ''), ...limitsBody(options) }
  const project = await requestRecord<Project>(server, 'POST', '/v1/projects', idempotentBody(body))
  return {
    json: project,
    text: `${phrases.projectCreated()[language]}\n${card(project, projectColumns(language), language)}`,
  }
}

export async function listProjects(server: Server, { language }: Session): Promise<CommandResult> {
  const { data } = await requestRecord<{ data: Project[] }>(server, 'GET', '/v1/projects')
  const text =
    data.length === 0
      ? `${phrases.noProjectYet()[language]}\n`
      : table(data, projectColumns(language), language)
  return { json: { data }, text }
}

export async function setProject(
  server: Server,
  { language }: Session,
  { words: [typed = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const keepDays = readKeepDays(options['keep-days'])
  const body = { ...limitsBody(options), ...(keepDays !== undefined && { keep_days: keepDays }) }
  const path = `/v1/projects/${readId('PROJECT', typed)}`
  const project = await requestRecord<Project>(server, 'PATCH', path, { body })
  return {
    json: project,
    text: `${phrases.projectChanged()[language]}\n${card(project, projectColumns(language), language)}`,
  }
}

const projectColumns = (language: Language): TableColumn<Project>[] => [
  { title: titles.id, show: ({ id }) => plain(id) },
  { title: titles.name, show: ({ name }) => plain(name) },
  ...limitColumns<Project>(language),
  { title: titles.keepDays, show: ({ keep_days: days }) => showCount(days, language), numeric: true },
  { title: titles.created, show: ({ created_at: at }) => showTime(new Date(at), language) },
]
