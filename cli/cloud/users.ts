/** `kherad cloud users …`: the people who sign in to an app. */
import type { Language } from '#platform/errors'
import { isUuid } from '#platform/ids'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuse,
  refuseUsage,
  type Session,
} from '../command.ts'
import { showTime, type TableColumn, table } from '../output.ts'
import { connection } from '../server/phrases.ts'
import { requestAll, requestRecord } from '../server/records.ts'
import { plain, type Server } from '../server.ts'
import { type Cloud, namedCloud, pathOf } from './api.ts'
import { usersOptions, usersPhrases as words } from './users-phrases.ts'

const common = { options: connection, needs: [], help: usersOptions }

export const usersCommands: Command[] = [
  { ...common, name: 'cloud users list', about: words.list, takes: ['CLOUD'], run: list },
  {
    ...common,
    name: 'cloud users block',
    about: words.block,
    takes: ['CLOUD', 'USER'],
    run: (session, given) => act(session, given, 'POST', '/block', words.blocked),
  },
  {
    ...common,
    name: 'cloud users unblock',
    about: words.unblock,
    takes: ['CLOUD', 'USER'],
    run: (session, given) => act(session, given, 'POST', '/unblock', words.unblocked),
  },
  {
    ...common,
    name: 'cloud users delete',
    about: words.delete,
    takes: ['CLOUD', 'USER'],
    run: (session, given) => act(session, given, 'DELETE', '', words.gone),
  },
  {
    ...common,
    name: 'cloud users link',
    about: words.link,
    takes: ['CLOUD', 'USER'],
    options: ['type', 'to', ...connection],
    run: link,
  },
]

interface User {
  id: string
  email: string | null
  is_anonymous: boolean
  email_confirmed_at: string | null
  blocked: boolean
  last_sign_in_at: string | null
  created_at: string
}

const columns = (language: Language): TableColumn<User>[] => [
  { title: words.columns.id, show: ({ id }) => plain(id) },
  { title: words.columns.email, show: ({ email }) => plain(email ?? '—') },
  { title: words.columns.state, show: (user) => words.states[stateOf(user)][language] },
  { title: words.columns.created, show: ({ created_at: at }) => showTime(new Date(at), language) },
  {
    title: words.columns.lastSignIn,
    show: ({ last_sign_in_at: at }) => (at === null ? '—' : showTime(new Date(at), language)),
  },
]

const stateOf = (user: User): keyof typeof words.states => {
  if (user.blocked) return 'blocked'
  if (user.is_anonymous) return 'anonymous'
  return user.email_confirmed_at === null ? 'unconfirmed' : 'confirmed'
}

async function list(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const users = await requestAll<User>(server, pathOf(cloud, '/users'))
  return { json: users, text: table(users, columns(session.language), session.language) }
}

/** The path of a user, who is found by an id or an address. */
async function pathOfUser(server: Server, cloud: Cloud, typed: string): Promise<string> {
  const below = (id: string) => pathOf(cloud, `/users/${encodeURIComponent(id)}`)
  if (isUuid(typed)) return below(typed)
  if (!typed.includes('@')) return refuse('NOT_FOUND', words.unknown(typed))
  const path = pathOf(cloud, `/users?email=${encodeURIComponent(typed)}`)
  const [found] = (await requestRecord<{ data: User[] }>(server, 'GET', path)).data
  return found ? below(found.id) : refuse('NOT_FOUND', words.unknown(typed))
}

async function act(
  session: Session,
  given: ParsedArguments,
  method: 'POST' | 'DELETE',
  below: string,
  said: (typeof words)['gone'],
): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const path = await pathOfUser(server, cloud, given.words[1]!)
  return {
    json: await requestRecord<object>(server, method, path + below),
    text: `${said[session.language]}\n`,
  }
}

const types = ['recovery', 'magiclink', 'signup']

async function link(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { type = 'recovery', to } = given.options
  if (!types.includes(type)) refuseUsage(words.badType(type))
  const { server, cloud } = await namedCloud(session, given)
  const path = await pathOfUser(server, cloud, given.words[1]!)
  const body = { type, ...(to !== undefined && { redirect_to: to }) }
  const made = await requestRecord<{ url: string }>(server, 'POST', `${path}/links`, { body })
  session.notify(words.secret[session.language])
  return { json: made, text: `${plain(made.url)}\n` }
}
