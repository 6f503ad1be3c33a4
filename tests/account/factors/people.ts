/** People with second factors, as tests use them: a browser at localhost, where passkeys work, and an authenticator beside it. */
import { expect } from 'vitest'
import type { Role } from '#account/people'
import { uuidv7 } from '#platform/ids'
import { SoftAuthenticator } from '../../harness/authenticator.ts'
import type { Seen } from '../../harness/client.ts'
import { Browser, type Member, newMember } from '../../harness/session.ts'
import { totpOf } from '../../harness/totp.ts'
import type { World } from '../../harness/world.ts'

/** The world's address by the name of this machine. */
export const localhost = (world: Pick<World, 'url'>): string => {
  const url = new URL(world.url)
  url.hostname = 'localhost'
  return url.origin
}

/** A browser of somebody who is not signed in. */
export const strangeBrowser = (world: World): Browser =>
  new Browser(localhost(world), world.app.sessions.installation)

export type Holder = Browser &
  Pick<Member, 'personId' | 'sessionId'> & { authenticator: SoftAuthenticator; email: string }

const password = 'correct horse battery'

let passwordHash: string | undefined

/** A member with a password who signed in a moment ago. */
export async function newHolder(world: World, role: Role = 'developer'): Promise<Holder> {
  const email = `${uuidv7()}@example.org`
  passwordHash ??= await world.app.passwords.hash('test', password)
  const { personId, sessionId, cookies } = await newMember(world, role, { email, passwordHash })
  const browser = strangeBrowser(world)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  browser.project = world.project
  const authenticator = new SoftAuthenticator(localhost(world))
  return Object.assign(browser, { personId, sessionId, authenticator, email })
}

/** A new passkey of the person in the person's authenticator. */
export async function addPasskey(
  holder: Holder,
  authenticator: SoftAuthenticator = holder.authenticator,
): Promise<Seen> {
  const options = await holder.post('/v1/me/passkeys/options', {})
  expect(options.status, options.text).toBe(200)
  return holder.post('/v1/me/passkeys', { name: 'Laptop', response: authenticator.create(options.body) })
}

/** Signs in in this browser by the passkey of the authenticator. */
export async function signInByPasskey(browser: Browser, authenticator: SoftAuthenticator): Promise<Seen> {
  const options = await browser.post('/v1/sign-in/passkey/options', {})
  expect(options.status, options.text).toBe(200)
  return browser.post('/v1/sign-in/passkey', { response: authenticator.get(options.body) })
}

/** Gives the password of the person in this browser. */
export const beginSignIn = (browser: Browser, { email }: Holder): Promise<Seen> =>
  browser.post('/v1/sign-in/password', { email, password })

/** The code that an authenticator app shows (RFC 6238); `steps` later, or earlier. */
export const codeOf = (world: World, secret: string, steps = 0): string =>
  totpOf(secret, world.app.clock.nowMs() + steps * 30_000)

/** An authenticator app of the person, confirmed by the code of this step; with its secret. The next code that it can give is that of one step later. */
export async function addApp(world: World, holder: Holder): Promise<{ secret: string; reply: Seen }> {
  const begun = await holder.post('/v1/me/factors/totp', { name: 'Phone' })
  expect(begun.status, begun.text).toBe(201)
  const { id, secret } = begun.body
  const reply = await holder.post(`/v1/me/factors/${id}/confirm`, { code: codeOf(world, secret) })
  return { secret, reply }
}

/** The kinds of the letters to a person, in the order of the alphabet. */
export async function lettersTo(world: World, personId: string): Promise<string[]> {
  const rows = await world.app.db.query<{ kind: string }>(
    { text: 'select kind from people.mails where person_id = $1 order by kind' },
    [personId],
  )
  return rows.map(({ kind }) => kind)
}

/** The operations of the rows of the audit log about a target. */
export async function auditOf(world: World, targetId: string): Promise<string[]> {
  const rows = await world.app.db.query<{ operation: string }>(
    { text: 'select operation from audit.entries where target_id = $1 order by entry_id' },
    [targetId],
  )
  return rows.map(({ operation }) => operation)
}
