/** `kherad cloud functions …`: deploys the functions of an app, and shows what they write. */
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
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
import { readBounded, utf8 } from '../read-bounded.ts'
import { eventsOf } from '../server/events.ts'
import { connection } from '../server/phrases.ts'
import { idempotentBody, requestRecord } from '../server/records.ts'
import { plain, requestReply, type Server } from '../server.ts'
import { type Cloud, namedCloud, pathOf } from './api.ts'
import { functionOptions, functionPhrases as words } from './function-phrases.ts'
import { withFilePosition } from './place.ts'

const common = { options: connection, needs: [], help: functionOptions }

export const functionCommands: Command[] = [
  {
    ...common,
    name: 'cloud functions deploy',
    about: words.deploy,
    takes: ['CLOUD', 'FILE'],
    options: ['name', ...connection],
    flags: ['public'],
    run: deploy,
  },
  { ...common, name: 'cloud functions list', about: words.list, takes: ['CLOUD'], run: list },
  {
    ...common,
    name: 'cloud functions logs',
    about: words.logs,
    takes: ['CLOUD', 'NAME'],
    options: ['level', 'limit', ...connection],
    flags: ['follow'],
    run: logs,
  },
  {
    ...common,
    name: 'cloud functions rollback',
    about: words.rollback,
    takes: ['CLOUD', 'NAME'],
    options: ['to', ...connection],
    run: rollback,
  },
  { ...common, name: 'cloud functions delete', about: words.delete, takes: ['CLOUD', 'NAME'], run: remove },
]

interface CloudFunction {
  name: string
  version: number
  verify_jwt: boolean
  url: string
  packages: { name: string; version: string }[]
  updated_at: string
}

interface LogLine {
  id: string
  level: string
  message: string
  at: string
}

/** The size of 128,000 characters of any kind. */
const maxCodeBytes = 4 * 128_000

const functionPath = (cloud: Cloud, name: string, more = ''): string =>
  pathOf(cloud, `/functions/${encodeURIComponent(name)}${more}`)

async function deploy(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const file = given.words[1]!
  const code = utf8(await readBounded(file, maxCodeBytes)) ?? refuseUsage(words.notText(file))
  const name = given.options['name'] ?? path.basename(file).replace(/\.(?:m?js|m?ts)$/, '')
  const { server, cloud } = await namedCloud(session, given)
  session.notify(words.deploying(name)[language])
  const sent = idempotentBody({ name, code, verify_jwt: !given.flags.includes('public') })
  const made = await requestRecord<CloudFunction>(server, 'POST', pathOf(cloud, '/functions'), sent).catch(
    (error: unknown) => {
      throw withFilePosition(error, file)
    },
  )
  for (const one of made.packages) session.notify(plain(`  ${one.name} ${one.version}`))
  session.notify(words.deployed(plain(made.name), made.version)[language])
  return { json: made, text: `${plain(made.url)}\n` }
}

const columns = (language: Language): TableColumn<CloudFunction>[] => [
  { title: words.columns.name, show: ({ name }) => plain(name) },
  { title: words.columns.version, show: ({ version }) => words.count(version)[language], numeric: true },
  {
    title: words.columns.access,
    show: ({ verify_jwt: verify }) => words.access[verify ? 'members' : 'public'][language],
  },
  { title: words.columns.updated, show: ({ updated_at: at }) => showTime(new Date(at), language) },
  { title: words.columns.url, show: ({ url }) => plain(url) },
]

async function list(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const { data, runtime } = await requestRecord<{
    data: CloudFunction[]
    runtime: { status: string; reason: string | null }
  }>(server, 'GET', pathOf(cloud, '/functions'))
  if (runtime.reason !== null) session.notify(plain(runtime.reason))
  return { json: data, text: table(data, columns(session.language), session.language) }
}

async function rollback(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { to } = given.options
  const version = to === undefined ? undefined : wholeNumber('--to', to, 1, 2_147_483_647)
  const { server, cloud } = await namedCloud(session, given)
  const at = functionPath(cloud, given.words[1]!, '/rollback')
  const made = await requestRecord<CloudFunction>(server, 'POST', at, idempotentBody({ version }))
  return { json: made, text: `${words.deployed(plain(made.name), made.version)[session.language]}\n` }
}

async function remove(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const gone = await requestRecord<{ name: string }>(server, 'DELETE', functionPath(cloud, given.words[1]!))
  return { json: gone, text: `${words.gone(plain(gone.name))[session.language]}\n` }
}

const levels = ['debug', 'info', 'warn', 'error']

async function logs(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { level, limit } = given.options
  if (level !== undefined && !levels.includes(level)) refuseUsage(words.badLevel(level))
  const query = new URLSearchParams({
    ...(level !== undefined && { level }),
    limit: String(limit === undefined ? 100 : wholeNumber('--limit', limit, 1, 1_000)),
  })
  const { server, cloud } = await namedCloud(session, given)
  const at = `${functionPath(cloud, given.words[1]!, '/logs')}?${query}`
  if (given.flags.includes('follow')) return followResult(session, server, at)
  const { data } = await requestRecord<{ data: LogLine[] }>(server, 'GET', at)
  return { json: data, text: data.map((line) => logText(line, session.language)).join('') }
}

const logText = ({ level, message, at }: LogLine, language: Language): string =>
  `${showTime(new Date(at), language)} ${level.toUpperCase().padEnd(5)} ${message.split('\n').map(plain).join('\n  ')}\n`

const againMs = 500

const followResult = (session: Session, server: Server, at: string): CommandResult => ({
  json: undefined,
  text: '',
  async *pieces(asJson) {
    for await (const line of follow(session, server, at))
      yield asJson ? `${JSON.stringify(line)}\n` : logText(line, session.language)
  },
})

/**
 * The lines that functions write. A broken connection is opened again after the last line that was seen; the lines end when the function is deleted.
 */
async function* follow({ stopping }: Session, server: Server, at: string): AsyncGenerator<LogLine> {
  for (let seen: string | undefined; !stopping.aborted; ) {
    const headers = { accept: 'text/event-stream', ...(seen !== undefined && { 'last-event-id': seen }) }
    try {
      const reply = await requestReply(server, 'GET', at, { headers })
      for await (const data of eventsOf(reply)) {
        const line = JSON.parse(data) as LogLine
        seen = line.id
        yield line
      }
    } catch (error) {
      if (stopping.aborted) return
      // undici throws a TypeError when a connection breaks.
      if (!(error instanceof TypeError)) throw error
    }
    await pause(againMs, undefined, { signal: stopping }).catch(() => undefined)
  }
}
