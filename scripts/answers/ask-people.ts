/** People: their sessions, members, invitations, keys, projects and the account. */
import type { Recorder } from './recorder.ts'
import { openPage, type Page, type SignedIn, signIn } from './session.ts'
import type { Site } from './site.ts'

const missing = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'

export async function askPeople(recorder: Recorder, site: Site): Promise<void> {
  const owner = await signIn(site, { email: 'owner@example.org' })
  await askMe(recorder, owner)
  await askKeys(recorder, owner)
  await askManagementKeys(recorder, owner)
  await askAccount(recorder, owner)
  await askMembers(recorder, site, owner)
  await askInvitations(recorder, site, owner)
  await askEnds(recorder, site)
}

async function askMe(recorder: Recorder, owner: SignedIn): Promise<void> {
  await recorder.ask('me', 'GET', '/v1/me', owner)
  await recorder.ask('me: another language', 'PATCH', '/v1/me', { ...owner, json: { locale: 'en' } })
  const elsewhere = { ...owner, json: { time_zone: 'Mars/Olympus' } }
  await recorder.ask('me: a time zone that there is not', 'PATCH', '/v1/me', elsewhere)
  await recorder.ask('me: accounts', 'GET', '/v1/me/accounts', owner)
  await recorder.ask('me: sessions', 'GET', '/v1/me/sessions', owner)
  await recorder.ask('me: end the other sessions', 'DELETE', '/v1/me/sessions', owner)
  const foreign = { ...owner, headers: { ...owner.headers, origin: 'https://elsewhere.example' } }
  await recorder.ask('me: from a page of another site', 'PATCH', '/v1/me', { ...foreign, json: {} })
}

async function askKeys(recorder: Recorder, owner: Page): Promise<void> {
  const path = '/v1/keys'
  const json = { name: 'ci', scopes: ['models:read'], month_cap_credits: 5 }
  const { id } = await recorder.ask('keys: make', 'POST', path, { ...owner, json })
  const ask = (name: string, method: string, target: string, more?: object) =>
    recorder.ask(`keys: ${name}`, method, target, { ...owner, ...(more && { json: more }) })
  await ask('of a model that there is not', 'POST', path, { ...json, models: ['house/none'] })
  await ask('of a scope that there is not', 'POST', path, { ...json, scopes: ['members:write'] })
  await ask('of a page that is none', 'POST', path, { ...json, origins: ['shop.example'] })
  await ask('of a past end', 'POST', path, { ...json, expires_at: '2020-01-01T00:00:00Z' })
  await ask('list', 'GET', `${path}?limit=1&state=active`)
  await ask('list of nobody', 'GET', `${path}?made_by=nobody`)
  await ask('read', 'GET', `${path}/${id}`)
  await ask('change', 'PATCH', `${path}/${id}`, { month_cap_credits: null })
  await ask('revoke', 'DELETE', `${path}/${id}`)
  await ask('change one that is revoked', 'PATCH', `${path}/${id}`, { name: 'ci' })
}

async function askManagementKeys(recorder: Recorder, owner: Page): Promise<void> {
  const path = '/v1/management-keys'
  const expires = new Date(Date.now() + 30 * 86_400_000).toISOString()
  const json = { name: 'shop', permissions: ['keys:write'], key_scopes: ['models:read'], expires_at: expires }
  const ask = (name: string, method: string, target: string, more?: object) =>
    recorder.ask(`management keys: ${name}`, method, target, { ...owner, ...(more && { json: more }) })
  const { id, secret } = await ask('make', 'POST', path, json)
  await ask('of a permission that is closed', 'POST', path, { ...json, permissions: ['members:write'] })
  await ask('from everywhere in one network', 'POST', path, { ...json, addresses: ['0.0.0.0/0'] })
  await ask('for longer than a year', 'POST', path, { ...json, expires_at: '2099-01-01T00:00:00Z' })
  await ask('list', 'GET', `${path}?limit=1&state=active`)
  await ask('read', 'GET', `${path}/${id}`)
  await ask('rename', 'PATCH', `${path}/${id}`, { name: 'books' })
  const asKey = { secret: String(secret) }
  const beyond = { ...asKey, json: { name: 'ci', scopes: ['studio:write'] } }
  await recorder.ask('management key: a scope beyond its own', 'POST', '/v1/keys', beyond)
  await recorder.ask('management key: the account', 'GET', '/v1/account', asKey)
  await recorder.ask('management key: members', 'GET', '/v1/members', asKey)
  await recorder.ask('management key: a paid call', 'POST', '/v1/embeddings', { ...asKey, json: {} })
  await ask('revoke', 'DELETE', `${path}/${id}?made_keys=revoke`)
  await ask('rename one that has ended', 'PATCH', `${path}/${id}`, { name: 'shop' })
}

async function askAccount(recorder: Recorder, owner: Page): Promise<void> {
  const ask = (name: string, method: string, target: string, more?: object) =>
    recorder.ask(name, method, target, { ...owner, ...(more && { json: more }) })
  await ask('account', 'GET', '/v1/account')
  await ask('account: rename', 'PATCH', '/v1/account', { name: 'دفتر ما' })
  await ask('account: rename to blanks', 'PATCH', '/v1/account', { name: '  ' })
  await ask('account: a time zone', 'PATCH', '/v1/account', { time_zone: 'Asia/Kathmandu' })
  await ask('account: no time zone', 'PATCH', '/v1/account', { time_zone: 'Kathmandu' })
  await ask('account: usage', 'GET', '/v1/account/usage?group_by=model')
  await ask('account: usage of no month', 'GET', '/v1/account/usage?from=2026-13-01')
  await ask('account: usage as a table', 'GET', '/v1/account/usage/export?format=csv')
  await ask('account: usage as no table', 'GET', '/v1/account/usage/export?format=pdf')
  await ask('account: caps', 'PATCH', '/v1/account/caps', { month_cap_credits: 900_000 })
  await ask('account: a cap below nothing', 'PATCH', '/v1/account/caps', { month_cap_credits: -1 })
  const { id } = await ask('projects: make', 'POST', '/v1/projects', { name: 'shop' })
  await ask('projects: list', 'GET', '/v1/projects')
  await ask('projects: change', 'PATCH', `/v1/projects/${id}`, { keep_days: 3 })
}

async function askMembers(recorder: Recorder, site: Site, owner: SignedIn): Promise<void> {
  const path = '/v1/members'
  const member = await signIn(site, { role: 'developer', email: 'member@example.org' })
  const ask = (name: string, method: string, of: string, more?: object) =>
    recorder.ask(`members: ${name}`, method, `${path}/${of}`, { ...owner, ...(more && { json: more }) })
  await recorder.ask('members', 'GET', path, owner)
  await recorder.ask('members: of a name', 'GET', `${path}?q=nobody&limit=1`, owner)
  await ask('one', 'GET', member.personId)
  await ask('change', 'PATCH', member.personId, { role: 'viewer' })
  await ask('of a project that there is not', 'PATCH', member.personId, { project_ids: [missing] })
  await ask('reset of factors that there are not', 'POST', `${member.personId}/factor-reset`)
  await site.db.query(
    `insert into people.factors (person_id, factor_id, kind, name, secret_sealed, created_at, confirmed_at)
      values ($1, gen_random_uuid(), 'totp', 'Phone', 'lost', now(), now())`,
    [member.personId],
  )
  await ask('reset of factors', 'POST', `${member.personId}/factor-reset`)
  await ask('reset of factors again', 'POST', `${member.personId}/factor-reset`)
  await ask('cancelled reset', 'DELETE', `${member.personId}/factor-reset`)
  await ask('remove', 'DELETE', member.personId)
  await recorder.ask('members: asked by one who was removed', 'GET', path, member)
}

async function askInvitations(recorder: Recorder, site: Site, owner: Page): Promise<void> {
  const path = '/v1/invitations'
  const guest = await signIn(site, { role: 'viewer', email: 'guest@example.org' })
  const json = { email: 'guest-to-be@example.org', role: 'developer' }
  const { id } = await recorder.ask('invitations: make', 'POST', path, { ...owner, json })
  await recorder.ask('invitations: make, of no address', 'POST', path, {
    ...owner,
    json: { ...json, email: 'nobody' },
  })
  await recorder.ask('invitations: list', 'GET', `${path}?limit=1`, owner)
  await recorder.ask('invitations: send again', 'POST', `${path}/${id}/resend`, owner)
  const token = linkIn((await site.mails.mailTo(json.email, 2)).text)
  const accept = (name: string, given: string) =>
    recorder.ask(`invitations: ${name}`, 'POST', `${path}/accept`, { ...guest, json: { token: given } })
  await accept('accept that of another', token)
  await accept('accept none', token.replace(/.{4}$/, 'none'))
  await site.db.query('update people.addresses set email = $2 where email = $1', [
    'guest@example.org',
    json.email,
  ])
  await accept('accept', token)
  await accept('accept twice', token)
  const other = { ...owner, json: { ...json, email: 'nobody@example.org' } }
  const { id: revoked } = await recorder.ask('invitations: make another', 'POST', path, other)
  await recorder.ask('invitations: revoke', 'DELETE', `${path}/${revoked}`, owner)
  await recorder.ask('invitations: send one that is revoked', 'POST', `${path}/${revoked}/resend`, owner)
}

/** The token in the link of a mail. */
export const linkIn = (text: string): string => /#([\w-]+)/.exec(text)![1]!

/** What ends sessions, memberships and people. */
async function askEnds(recorder: Recorder, site: Site): Promise<void> {
  const viewer = await signIn(site, { role: 'viewer' })
  await recorder.ask('a role that may not', 'GET', '/v1/audit', viewer)
  await recorder.ask('a session that is open', 'DELETE', `/v1/me/sessions/${viewer.sessionId}`, viewer)
  await recorder.ask('a session that is over', 'GET', '/v1/me', viewer)
  const leaving = await signIn(site, { role: 'billing' })
  const { data } = await recorder.ask('accounts of one who leaves', 'GET', '/v1/me/accounts', leaving)
  await recorder.ask('leave', 'DELETE', `/v1/me/accounts/${data[0].id}`, leaving)
  await recorder.ask('sign-out', 'POST', '/v1/sign-out', leaving)
  await recorder.ask('sign-out of nobody', 'POST', '/v1/sign-out', openPage())
  const deleted = await signIn(site, { role: 'developer', email: 'deleted@example.org' })
  await recorder.ask('delete oneself by another name', 'DELETE', '/v1/me', {
    ...deleted,
    json: { confirm: 'x' },
  })
  await recorder.ask('delete oneself', 'DELETE', '/v1/me', { ...deleted, json: { confirm: 'سارا' } })
  await askOwnData(recorder, site)
}

/** Exports, and deletions that wait. */
async function askOwnData(recorder: Recorder, site: Site): Promise<void> {
  const owner = await signIn(site, { email: 'own-data@example.org' })
  const { id } = await recorder.ask('exports: ask', 'POST', '/v1/me/exports', owner)
  await recorder.ask('exports: ask again', 'POST', '/v1/me/exports', owner)
  await recorder.until(`/v1/me/exports/${id}`, ({ state }) => state === 'ready', owner)
  await recorder.ask('exports', 'GET', '/v1/me/exports', owner)
  await recorder.ask('export', 'GET', `/v1/me/exports/${id}`, owner)
  const first = { ...owner, headers: { ...owner.headers, range: 'bytes=0-3' } }
  await recorder.ask('export: its first bytes', 'GET', `/v1/me/exports/${id}/content`, first)
  await recorder.ask('export: none', 'GET', `/v1/me/exports/${missing}`, owner)
  await recorder.ask('my deletion', 'GET', '/v1/me/deletion', owner)
  await recorder.ask('my deletion: none to undo', 'POST', '/v1/me/deletion/undo', owner)
  const account = '/v1/account/deletion'
  await recorder.ask('account deletion', 'GET', account, owner)
  await recorder.ask('account deletion: another name', 'POST', account, { ...owner, json: { confirm: 'x' } })
  await recorder.ask('account deletion: none to undo', 'DELETE', account, owner)
  const { rows } = await site.db.query<{ name: string }>(
    'select a.name from auth.accounts a join people.members m using (account_id) where m.person_id = $1',
    [owner.personId],
  )
  await recorder.ask('account deletion: begin', 'POST', account, {
    ...owner,
    json: { confirm: rows[0]!.name },
  })
  await recorder.ask('account deletion: undo', 'DELETE', account, owner)
  const undecided = await signIn(site, { role: 'viewer', email: 'undecided@example.org' })
  await site.db.query(
    `update people.people set deletion_requested_at = now(), deletion_due_at = now() + interval '30 days' where person_id = $1`,
    [undecided.personId],
  )
  await recorder.ask('my deletion: undo', 'POST', '/v1/me/deletion/undo', undecided)
}
