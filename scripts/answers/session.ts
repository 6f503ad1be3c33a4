/** Browsers at the pages of the console, for routes that no key may use. */
import { hash, randomUUID } from 'node:crypto'
import type { Role } from '#account/people'
import { newKeySecret } from '#platform/secrets'
import type { RequestOptions } from './recorder.ts'
import { addresses, type Site } from './site.ts'

/** How a page of the console in one browser asks. */
export interface Page extends RequestOptions {
  secret: null
  headers: Record<string, string>
  cookies: Map<string, string>
}

/** A page in a browser in which nobody is signed in. */
export function openPage(): Page {
  const { origin } = new URL(addresses.KHERAD_BASE_URL)
  return { secret: null, headers: { origin, 'sec-fetch-site': 'same-origin' }, cookies: new Map() }
}

export interface SignedIn extends Page {
  personId: string
  sessionId: string
}

export interface SignInOptions {
  /** In the account of the first key. */
  role?: Role
  isOperator?: boolean
  email?: string
  /** Whether the last factor was given too long ago for what asks for a recent one. */
  isStale?: boolean
}

/** A page in a browser in which a new member of the account of the first key is signed in; by default an operator who owns the account. */
export async function signIn(
  { db, secret }: Pick<Site, 'db' | 'secret'>,
  { role = 'owner', isOperator = role === 'owner', email, isStale = false }: SignInOptions = {},
): Promise<SignedIn> {
  const token = newKeySecret('session')
  const [personId, sessionId] = [randomUUID(), randomUUID()]
  const { rows } = await db.query<{ installation: string; account_id: string; project_id: string }>(
    `select (select id from platform.installation) as installation, account_id, project_id
      from auth.keys where hash = $1`,
    [sha256(secret)],
  )
  const { installation, account_id: account, project_id: project } = rows[0]!
  await db.query(
    `insert into people.people (person_id, display_name, is_operator, created_at) values ($1, 'سارا', $2, now())`,
    [personId, isOperator],
  )
  if (email !== undefined)
    await db.query(
      'insert into people.addresses (email, person_id, is_primary, proven_at) values ($1, $2, true, now())',
      [email, personId],
    )
  await db.query(
    `insert into people.members (account_id, person_id, role, joined_at) values ($1, $2, $3, now())`,
    [account, personId, role],
  )
  await db.query(
    `insert into people.sessions (session_id, person_id, hash, method, stepped_up_at, created_at, last_used_at, expires_at)
      values ($1, $2, $3, 'password', now() - $4::interval, now(), now(), now() + interval '1 day')`,
    [sessionId, personId, sha256(token), isStale ? '1 hour' : '0'],
  )
  const { port } = new URL(addresses.KHERAD_BASE_URL)
  const page = openPage()
  page.cookies.set(`kherad-${port || '80'}-${installation.replaceAll('-', '').slice(0, 8)}`, token)
  page.headers['x-kherad-project'] = project
  return { ...page, personId, sessionId }
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
