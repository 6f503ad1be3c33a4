/** `kherad cloud users …`: the people who sign in to an app. */
import type { Language } from '#platform/errors'
import { isUuid } from '#platform/ids'
import {
  type Command,
  misused,
  type Outcome,
  type ParsedArguments,
  refuse,
  type Session,
} from '../command.ts'
import { type Column, showTime, table } from '../output.ts'
import { plain, type Server, serverOf } from '../server.ts'
import { ask, type Cloud, pathOf, requireCloud } from './api.ts'
import { usersOptions, usersPhrases as words } from './users-phrases.ts'

const connection = ['url', 'key', 'key-file']
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

interface Page {
  data: User[]
  has_more: boolean
  last_id: string | null
}

const columns = (language: Language): Column<User>[] => [
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

async function list(session: Session, given: ParsedArguments): Promise<Outcome> {
  const server = await serverOf(session, given)
  const cloud = await requireCloud(server, given.words[0]!)
  const users: User[] = []
  for (let after = ''; ; ) {
    const page = await ask<Page>(server, 'GET', pathOf(cloud, `/users?limit=100${after}`))
    users.push(...page.data)
    if (!page.has_more || page.last_id === null) break
    after = `&after_id=${encodeURIComponent(page.last_id)}`
  }
  return { json: users, text: table(users, columns(session.language), session.language) }
}

/** The one that is meant by an id or an address. */
async function pathOfUser(server: Server, cloud: Cloud, typed: string): Promise<string> {
  const below = (id: string) => pathOf(cloud, `/users/${encodeURIComponent(id)}`)
  if (isUuid(typed)) return below(typed)
  if (!typed.includes('@')) return refuse('NOT_FOUND', words.unknown(typed))
  const path = pathOf(cloud, `/users?email=${encodeURIComponent(typed)}`)
  const [found] = (await ask<Page>(server, 'GET', path)).data
  return found ? below(found.id) : refuse('NOT_FOUND', words.unknown(typed))
}

async function act(
  session: Session,
  given: ParsedArguments,
  method: 'POST' | 'DELETE',
  below: string,
  said: (typeof words)['gone'],
): Promise<Outcome> {
  const server = await serverOf(session, given)
  const cloud = await requireCloud(server, given.words[0]!)
  const path = await pathOfUser(server, cloud, given.words[1]!)
  return { json: await ask<object>(server, method, path + below), text: `${said[session.language]}\n` }
}

const types = ['recovery', 'magiclink', 'signup']

async function link(session: Session, given: ParsedArguments): Promise<Outcome> {
  const { type = 'recovery', to } = given.options
  if (!types.includes(type)) misused(words.badType(type))
  const server = await serverOf(session, given)
  const cloud = await requireCloud(server, given.words[0]!)
  const path = await pathOfUser(server, cloud, given.words[1]!)
  const body = { type, ...(to !== undefined && { redirect_to: to }) }
  const made = await ask<{ url: string }>(server, 'POST', `${path}/links`, { body })
  session.notify(words.secret[session.language])
  return { json: made, text: `${plain(made.url)}\n` }
}
