/** `kherad cloud …`: the app back-ends of a project, on a running server. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Language } from '#platform/errors'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { card, showTime, type TableColumn, table } from '../output.ts'
import { connection } from '../server/phrases.ts'
import { idempotentBody, requestRecord } from '../server/records.ts'
import { plain, type Server, ServerRefused, serverOf } from '../server.ts'
import { allClouds, type Cloud, type CloudDetail, namedCloud, pathOf } from './api.ts'
import { authCommand } from './auth.ts'
import { backupCommands } from './backups.ts'
import { collectionCommands } from './collections.ts'
import { functionCommands } from './functions.ts'
import { keysCommand } from './keys.ts'
import { cloudOptions, cloudPhrases as words } from './phrases.ts'
import { secretCommands } from './secrets.ts'
import { sqlCommands } from './sql.ts'
import { transferCommands } from './transfer.ts'

const common = { options: connection, needs: [], help: cloudOptions }

export const cloudCommands: Command[] = [
  {
    ...common,
    name: 'cloud create',
    about: words.create,
    takes: ['NAME'],
    options: ['plan', 'package', ...connection],
    run: create,
  },
  { ...common, name: 'cloud list', about: words.list, takes: [], run: list },
  { ...common, name: 'cloud show', about: words.show, takes: ['CLOUD'], run: show },
  { ...common, name: 'cloud connection', about: words.connection, takes: ['CLOUD'], run: connect },
  keysCommand,
  authCommand,
  ...transferCommands,
  ...backupCommands,
  ...collectionCommands,
  ...sqlCommands,
  {
    ...common,
    name: 'cloud move',
    about: words.move,
    takes: ['CLOUD'],
    options: ['package', ...connection],
    run: move,
  },
  { ...common, name: 'cloud retry', about: words.retry, takes: ['CLOUD'], run: retry },
  {
    ...common,
    name: 'cloud delete',
    about: words.delete,
    takes: ['CLOUD'],
    options: ['confirm', ...connection],
    needs: ['confirm'],
    run: remove,
  },
  ...functionCommands,
  ...secretCommands,
]

const pollMs = 500

async function create(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const server = await serverOf(session, given)
  const { plan, package: offer } = given.options
  const body = {
    name: given.words[0]!,
    plan: plan ?? (offer === undefined ? 'starter' : 'dedicated'),
    ...(offer !== undefined && { package: offer }),
  }
  return answerWhenReady(session, server, await createCloud(server, body))
}

/** Creates a cloud. The request may be repeated where its answer is lost. */
const createCloud = (server: Server, body: object): Promise<Cloud> =>
  requestRecord<Cloud>(server, 'POST', '/v1/cloud', idempotentBody(body))

/** Moves a cloud, and waits until it has a database of its own. */
async function move(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud: found } = await namedCloud(session, given)
  const { package: offer } = given.options
  const body = offer === undefined ? {} : { package: offer }
  await requestRecord<Cloud>(server, 'POST', pathOf(found, '/move'), idempotentBody(body))
  session.notify(words.moving[session.language])
  for (;;) {
    const cloud = await requestRecord<CloudDetail>(server, 'GET', pathOf(found))
    if (cloud.move === 'failed') refuse('CLOUD_MOVE_FAILED', words.moveFailed)
    if (cloud.plan === 'dedicated')
      return { json: cloud, text: `${words.moved(plain(cloud.name))[session.language]}\n` }
    await pause(pollMs, undefined, { signal: session.stopping })
  }
}

async function retry(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud: found } = await namedCloud(session, given)
  const cloud = await requestRecord<Cloud>(server, 'POST', pathOf(found, '/retry'), idempotentBody({}))
  return answerWhenReady(session, server, cloud)
}

async function answerWhenReady(session: Session, server: Server, made: Cloud): Promise<CommandResult> {
  let cloud = made
  if (cloud.status === 'provisioning') session.notify(words.provisioning[session.language])
  while (cloud.status === 'provisioning') {
    await pause(pollMs, undefined, { signal: session.stopping })
    cloud = await requestRecord<Cloud>(server, 'GET', pathOf(cloud))
  }
  if (cloud.status === 'failed') refuse('CLOUD_FAILED', words.failed(plain(cloud.error?.message ?? '')))
  session.notify(words.ready(plain(cloud.name))[session.language])
  return { json: cloud, text: `${plain(cloud.cloud_url)}\n` }
}

const columns = (language: Language): TableColumn<Cloud>[] => [
  { title: words.columns.id, show: ({ id }) => plain(id) },
  { title: words.columns.ref, show: ({ ref }) => plain(ref) },
  { title: words.columns.name, show: ({ name }) => plain(name) },
  { title: words.columns.plan, show: ({ plan }) => words.plans[plan]?.[language] ?? plain(plan) },
  { title: words.columns.state, show: ({ status }) => words.states[status]?.[language] ?? plain(status) },
  { title: words.columns.url, show: ({ cloud_url: url }) => plain(url) },
]

async function list(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const clouds = await allClouds(await serverOf(session, given))
  return { json: clouds, text: table(clouds, columns(session.language), session.language) }
}

async function show(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const { server, cloud: found } = await namedCloud(session, given)
  const cloud = await requestRecord<CloudDetail>(server, 'GET', pathOf(found))
  const why = cloud.error?.message ?? cloud.suspended_reason
  const { read_only: readOnly, paid_until: paid } = cloud
  const head: TableColumn<Cloud>[] = [
    ...columns(language),
    ...(readOnly ? [{ title: words.columns.readOnly, show: () => words.readOnly[readOnly][language] }] : []),
    ...(paid ? [{ title: words.columns.paid, show: () => showTime(new Date(paid), language) }] : []),
    { title: words.columns.created, show: ({ created_at: at }) => showTime(new Date(at), language) },
    ...(why ? [{ title: words.columns.error, show: () => plain(why) }] : []),
  ]
  const used = Object.entries(cloud.usage).filter(([, one]) => typeof one === 'object')
  const usage = table(used as [string, { used: number; max?: number }][], usageColumns(language), language)
  return { json: cloud, text: `${card(cloud as Cloud, head, language)}\n${usage}` }
}

const usageColumns = (language: Language): TableColumn<[string, { used: number; max?: number }]>[] => [
  { title: words.columns.what, show: ([name]) => words.used[name]?.[language] ?? plain(name) },
  { title: words.columns.used, show: ([, { used }]) => words.count(used)[language], numeric: true },
  {
    title: words.columns.max,
    show: ([, { max }]) => (max === undefined ? '—' : words.count(max)[language]),
    numeric: true,
  },
]

/** Prints a name and a value in each line, for people and for `.env` files alike. */
async function connect(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const answer = await requestRecord<Record<string, string | null>>(
    server,
    'GET',
    pathOf(cloud, '/connection'),
  )
  const lines = Object.entries(answer)
    .filter(([name]) => name.endsWith('_url') || name === 'public_key')
    .map(([name, value]) => `${name.toUpperCase()}=${plain(value ?? '')}\n`)
  return { json: answer, text: lines.join('') }
}

async function remove(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const { server, cloud } = await namedCloud(session, given)
  const body = { confirm: given.options['confirm'] }
  // If the cloud is being deleted already, the command waits all the same: the answer to an earlier try may have been lost.
  const gone = await requestRecord<object>(server, 'DELETE', pathOf(cloud), { body }).catch(
    (error: unknown) =>
      error instanceof ServerRefused && error.code === 'CLOUD_DELETING'
        ? { id: cloud.id }
        : Promise.reject(error),
  )
  session.notify(words.deleting[language])
  while (await isThere(server, cloud)) await pause(pollMs, undefined, { signal: session.stopping })
  return { json: gone, text: `${words.gone(plain(cloud.name))[language]}\n` }
}

const isThere = (server: Server, cloud: Cloud): Promise<boolean> =>
  requestRecord(server, 'GET', pathOf(cloud)).then(
    () => true,
    (error: unknown) =>
      error instanceof ServerRefused && error.status === 404 ? false : Promise.reject(error),
  )
