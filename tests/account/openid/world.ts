/** A server with two providers: a real one beside the test, and one that answers as a test says. */
import { sql } from 'kysely'
import { memberships } from '#account/people'
import { createProject } from '#platform/auth'
import { uuidv7 } from '#platform/ids'
import type { Seen } from '../../harness/client.ts'
import { freePort } from '../../harness/free-port.ts'
import { type OpenIdProvider, ProviderBrowser, startOpenIdProvider } from '../../harness/openid-provider.ts'
import { type ScriptedIssuer, startScriptedIssuer } from '../../harness/scripted-issuer.ts'
import { type Browser, newBrowser } from '../../harness/session.ts'
import { boot, MovableClock, type World } from '../../harness/world.ts'

export interface OpenIdWorld extends AsyncDisposable {
  world: World
  clock: MovableClock
  real: OpenIdProvider
  scripted: ScriptedIssuer
  /** The account whose members the claim `groups` makes: `eng` a developer, `ops` an admin; and its project. */
  account: string
  project: string
}

const secret = 'the secret of the client'

/** Entries: `real` and `scripted` let nobody new in, `open` and `scripted-open` (the same issuers) let everybody in, and nobody answers at `away`. */
export async function openIdWorld(): Promise<OpenIdWorld> {
  const stack = new AsyncDisposableStack()
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const client = (id: string) => ({
    client_id: id,
    client_secret: secret,
    redirect_uris: [`${baseUrl}/sign-in/openid/${id}`],
  })
  const real = stack.use(await startOpenIdProvider({ clients: [client('real'), client('open')] }))
  const scripted = stack.use(await startScriptedIssuer({ secret }))
  const clock = new MovableClock()
  // The account exists once the server does; until then nobody signs in. Another one never does.
  const account = uuidv7()
  const rules = `[${rule('eng', account, 'developer')}, ${rule('ops', account, 'admin')}, ${rule('eng', uuidv7(), 'viewer')}]`
  const entry = (id: string, issuer: string, create: boolean) => `
  - id: ${id}
    name: The ${id} one
    issuer: ${issuer}
    client_id: ${id}
    client_secret: ${secret}
    scopes: [email, profile, groups]
    create: ${create}
    memberships: ${rules}`
  const config = `openid:${entry('real', real.issuer, false)}${entry('open', real.issuer, true)}${entry('scripted', scripted.issuer, false)}${entry('scripted-open', scripted.issuer, true)}${entry('away', `http://127.0.0.1:${await freePort()}`, true)}\n`
  const world = stack.use(
    await boot({ env: { KHERAD_PORT: String(port), KHERAD_BASE_URL: baseUrl }, clock, config }),
  )
  await sql`insert into auth.accounts select (jsonb_populate_record(a, jsonb_build_object('account_id', ${account}::text, 'name', 'Claimed'))).*
    from auth.accounts a where account_id = ${world.account}`.execute(world.app.db.kysely)
  const project = await world.app.db.tx(
    async (tx) =>
      (await createProject(tx, { accountId: account, name: 'Claimed' }, new Date(clock.nowMs()))).project_id,
  )
  return { world, clock, real, scripted, account, project, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const rule = (value: string, account: string, role: string) =>
  `{ claim: groups, value: ${value}, account: ${account}, role: ${role} }`

export const unique = (name: string): string => `${name}-${uuidv7().slice(-12)}`

/** Begins a sign-in and returns the address of the provider. */
export async function begin(browser: Browser, provider: string, body: object = {}): Promise<string> {
  const reply = await browser.post(`/v1/sign-in/openid/${provider}`, body)
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`)
  return reply.body.url
}

export const finish = (browser: Browser, url: string): Promise<Seen> =>
  browser.post('/v1/sign-in/openid/finish', { url })

/** A whole sign-in at the real provider, in a new browser. */
export async function signIn(
  { world }: OpenIdWorld,
  login: string,
  {
    provider = 'open',
    body = {},
    browser = newBrowser(world),
  }: { provider?: string; body?: object; browser?: Browser } = {},
): Promise<{ browser: Browser; reply: Seen }> {
  const url = await begin(browser, provider, body)
  const back = await new ProviderBrowser().signIn(url, login)
  return { browser, reply: await finish(browser, back) }
}

/** Comes back from the scripted issuer, which says this about the person. */
export async function answerOf(
  { world, scripted }: OpenIdWorld,
  claims: Record<string, unknown>,
  { provider = 'scripted-open', browser = newBrowser(world) }: { provider?: string; browser?: Browser } = {},
): Promise<{ browser: Browser; reply: Seen }> {
  const url = await begin(browser, provider)
  scripted.claims = claims
  scripted.userInfo = { sub: claims['sub'] }
  return { browser, reply: await finish(browser, scripted.answer(url)) }
}

/** Links the account of the real provider to whoever is signed in in the browser. */
export async function link(browser: Browser, provider: string, login: string): Promise<Seen> {
  const begun = await browser.post(`/v1/me/identities/${provider}`, {})
  if (begun.status !== 200) return begun
  return finish(browser, await new ProviderBrowser().signIn(begun.body.url, login))
}

/** The roles of a person in all accounts, by the id of the account. */
export async function rolesOf({ world }: OpenIdWorld, personId: string): Promise<Record<string, string>> {
  const all = await memberships(world.app.db, personId)
  return Object.fromEntries(all.map(({ accountId, role }) => [accountId, role]))
}
