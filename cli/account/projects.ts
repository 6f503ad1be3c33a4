import { auditedCaps } from '#account/audit'
import { type ProjectRow, projectRows } from '#account/identity'
import { createProject, setProjectKeepDays } from '#platform/auth'
import type { Language } from '#platform/errors'
import { readCaps, readId, readKeepDays, readName } from '../amounts.ts'
import { auditCommand } from '../audit.ts'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuse,
  refuseUsage,
  type Session,
} from '../command.ts'
import { card, showTime, type TableColumn, table } from '../output.ts'
import { phrases, titles } from '../phrases.ts'
import { accountOf } from './accounts.ts'
import { alsoAtServer } from './at-server/at-server.ts'
import * as atServer from './at-server/projects.ts'
import { changeCaps } from './caps.ts'
import { showCount, spendingColumns, spendingJson } from './money.ts'

export const projectCommands: Command[] = [
  alsoAtServer(
    {
      name: 'project create',
      about: { fa: 'در حسابی پروژه‌ای می‌سازد.', en: 'Makes a project of an account.' },
      takes: [],
      options: ['account', 'name', 'cap', 'monthly-cap', 'rate', 'concurrency'],
      needs: ['name'],
      run: create,
    },
    atServer.createProject,
  ),
  alsoAtServer(
    {
      name: 'project list',
      about: { fa: 'همهٔ پروژه‌ها، یا پروژه‌های یک حساب.', en: 'All projects, or those of an account.' },
      takes: [],
      options: ['account'],
      needs: [],
      run: listAll,
    },
    atServer.listProjects,
  ),
  alsoAtServer(
    {
      name: 'project set',
      about: {
        fa: 'سقف‌های پروژه و روزهای نگهداری ساخته‌هایش را تغییر می‌دهد؛ آنچه ننویسید همان می‌ماند.',
        en: 'Changes the caps of a project and how long its creations are kept; what is left out stays as it is.',
      },
      takes: ['PROJECT'],
      options: ['cap', 'monthly-cap', 'rate', 'concurrency', 'keep-days'],
      needs: [],
      changes: true,
      run: change,
    },
    atServer.setProject,
  ),
]

async function create(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { language, clock } = session
  const name = readName('--name', options.name ?? '')
  const caps = readCaps(options)
  const account = await accountOf(session, options.account)
  const db = await session.db()
  const made = await db.tx(async (tx) => {
    const { account_id: accountId } = account
    const project = await createProject(tx, { accountId, name, caps }, new Date(clock.nowMs()))
    await auditCommand(tx, session, {
      ...{ accountId, projectId: project.project_id, operation: 'projects.create' },
      target: { kind: 'project', id: project.project_id },
      after: { name, ...auditedCaps(caps) },
    })
    return project
  })
  const row = await projectOf(session, made.project_id)
  return {
    json: jsonOf(row),
    text: `${phrases.projectCreated()[language]}\n${card(row, columns(language), language)}`,
  }
}

async function listAll(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const account = options.account === undefined ? undefined : await accountOf(session, options.account)
  const rows = await projectRows(await session.db(), new Date(session.clock.nowMs()), account?.account_id)
  const text =
    rows.length === 0 ? `${phrases.noProjectYet()[language]}\n` : table(rows, columns(language), language)
  return { json: { data: rows.map(jsonOf) }, text }
}

async function change(
  session: Session,
  { words: [typed = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const caps = readCaps(options)
  const keepDays = readKeepDays(options['keep-days'])
  const { account_id, project_id, keep_days } = await projectOf(session, typed, 'PROJECT')
  const db = await session.db()
  await db.tx(async (tx) => {
    if (keepDays !== undefined) await setProjectKeepDays(tx, project_id, keepDays)
    await changeCaps(tx, session, {
      ...{ accountId: account_id, projectId: project_id, scope: 'project', scopeId: project_id },
      ...{ operation: 'projects.change', caps },
      ...(keepDays !== undefined && { before: { keep_days }, after: { keep_days: keepDays } }),
    })
  })
  const row = await projectOf(session, project_id)
  return {
    json: jsonOf(row),
    text: `${phrases.projectChanged()[session.language]}\n${card(row, columns(session.language), session.language)}`,
  }
}

/** The project that is named, or the only one there is. */
export async function projectOf(
  session: Session,
  typed: string | undefined,
  what = '--project',
): Promise<ProjectRow> {
  const id = typed === undefined ? undefined : readId(what, typed)
  const all = await projectRows(await session.db(), new Date(session.clock.nowMs()))
  const [found, another] = id === undefined ? all : all.filter(({ project_id }) => project_id === id)
  if (!found) refuse('PROJECT_NOT_FOUND', id === undefined ? phrases.noProjectYet() : phrases.noProject(id))
  if (another) refuseUsage(phrases.whichProject())
  return found
}

const columns = (language: Language): TableColumn<ProjectRow>[] => [
  { title: titles.id, show: (row) => row.project_id },
  { title: titles.name, show: (row) => row.name },
  { title: titles.account, show: (row) => row.account_id },
  ...spendingColumns<ProjectRow>(language),
  {
    title: titles.keepDays,
    show: ({ keep_days: days }) => showCount(days, language),
    numeric: true,
  },
  { title: titles.created, show: (row) => showTime(row.created_at, language) },
]

const jsonOf = (row: ProjectRow) => ({
  id: row.project_id,
  account_id: row.account_id,
  name: row.name,
  keep_days: row.keep_days,
  ...spendingJson(row),
  created_at: row.created_at.toISOString(),
})
