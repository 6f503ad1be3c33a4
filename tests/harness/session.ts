/** People in tests: their sessions, as a browser with its cookies sends requests. */

import { request as send } from 'undici'
import { createPerson, openSession, type Role, setMember } from '#account/people'
import {
  createManagementKey,
  type ManagementRight,
  managementRights,
  type Scope,
  scopes,
} from '#platform/auth'
import type { Tx } from '#platform/db'
import { cookieName } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { Client, type Seen } from './client.ts'
import type { World } from './world.ts'

/** A browser: keeps cookies, and names its origin and project as a page of the console does. */
export class Browser extends Client {
  /** Values by the names of cookies. */
  readonly cookies = new Map<string, string>()
  /** The project that its requests name; undefined: none. */
  project: string | undefined
  readonly #installation: string

  constructor(url: string, installation: string, project?: string) {
    super(url, '', '')
    this.#installation = installation
    this.project = project
  }

  /** The name of one of the server's cookies. */
  nameOf(kind: 'session' | 'browser' | 'challenge'): string {
    return cookieName(new URL(this.url).origin, this.#installation, kind)
  }

  /** The headers that a page of the server's own origin sends with a request; `more` comes last, and an empty text leaves a header out. */
  headersOf(method: string, more: Record<string, string> = {}): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const isSafe = method === 'GET' || method === 'HEAD'
    const all = {
      'sec-fetch-site': 'same-origin',
      ...(isSafe ? {} : { origin: new URL(this.url).origin, 'content-type': 'application/json' }),
      ...(this.project === undefined ? {} : { 'x-kherad-project': this.project }),
      cookie,
      ...more,
    }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
  }

  override async request(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    const reply = await send(this.url + path, {
      method,
      headers: this.headersOf(method, headers),
      ...(body !== undefined && { body }),
    })
    const text = await reply.body.text()
    this.#keep(reply.headers['set-cookie'])
    const seen = new Headers(
      Object.entries(reply.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      ),
    )
    const isJson = seen.get('content-type')?.startsWith('application/json')
    return { status: reply.statusCode, headers: seen, text, body: isJson ? JSON.parse(text) : undefined }
  }

  override raw(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: this.headersOf(method, headers),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
  }

  #keep(header: string | string[] | undefined): void {
    for (const text of [header ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(text) ?? []
      if (/;\s*max-age=0(;|$)/i.test(text)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

/** A browser without cookies at the world's server. */
export const newBrowser = (world: World): Browser =>
  new Browser(world.url, world.app.sessions.installation, world.project)

export interface Member extends Browser {
  readonly personId: string
  readonly sessionId: string
}

export interface MemberOptions {
  /** The account; that of the world if absent. */
  account?: string
  /** The projects that the member may use; null: all. */
  projects?: string[] | null
  /** The project that requests name; that of the world if absent. */
  project?: string | undefined
  isOperator?: boolean
  displayName?: string
  email?: string | null
  passwordHash?: string
}

/** The browser of a new person without an account, who signed in a moment ago. */
export const newPerson = (world: World, options: MemberOptions = {}): Promise<Member> =>
  signedInPerson(world, options, async () => {})

/** Joins accounts before the session begins, so that its token is newer than the rights of its person. */
async function signedInPerson(
  world: World,
  options: MemberOptions,
  join: (tx: Tx, personId: string, now: Date) => Promise<void>,
): Promise<Member> {
  const { displayName = 'Sara', email = `${uuidv7()}@example.org`, passwordHash, isOperator } = options
  const now = new Date(world.app.clock.nowMs())
  const { personId, sessionId, token } = await world.app.db.tx(async (tx) => {
    const person = { displayName, locale: 'en', email, passwordHash, isOperator } as const
    const { personId } = await createPerson(tx, person, now)
    await join(tx, personId, now)
    return { personId, ...(await openSession(tx, { personId, method: 'password' }, now)) }
  })
  const browser = new Browser(world.url, world.app.sessions.installation)
  browser.cookies.set(browser.nameOf('session'), token)
  return Object.assign(browser, { personId, sessionId })
}

/** The browser of a new member of the account, who signed in a moment ago. */
export async function newMember(world: World, role: Role, options: MemberOptions = {}): Promise<Member> {
  const { account: accountId = world.account, projects: projectIds = null } = options
  const member = await signedInPerson(world, options, (tx, personId, now) =>
    setMember(tx, { accountId, personId, role, projectIds }, now),
  )
  member.project = 'project' in options ? options.project : world.project
  return member
}

export interface ManagementOptions {
  /** All when absent. */
  permissions?: readonly ManagementRight[]
  keyScopes?: readonly Scope[]
  addresses?: readonly string[]
  expiresAt?: Date
  name?: string
  /** Its maker; a new owner of the world's account when absent. */
  maker?: Member
  account?: string
}

/** A client with a new management key of the world's account. */
export async function newManagementKey(world: World, options: ManagementOptions = {}): Promise<Client> {
  const { account: accountId = world.account, maker = await newMember(world, 'owner') } = options
  const now = new Date(world.app.clock.nowMs())
  const made = await world.app.db.tx((tx) =>
    createManagementKey(
      tx,
      {
        ...{ accountId, personId: maker.personId, name: options.name ?? 'program' },
        permissions: options.permissions ?? managementRights,
        keyScopes: options.keyScopes ?? scopes,
        addresses: options.addresses ?? [],
        expiresAt: options.expiresAt ?? new Date(now.getTime() + 86_400_000),
      },
      now,
    ),
  )
  return new Client(world.url, made.secret, made.key_id)
}
