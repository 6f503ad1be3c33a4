/** What operators see of mails that could not be sent; the shared server has no mail server. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mailChannel, type NewLetter, personLink, queueLetter } from '#account/letters'
import { uuidv7 } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { done, kherad, refused } from '../cli/command-line.ts'
import { type Member, newMember, newPerson } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import type { World } from '../harness/world.ts'

let world: World
let operator: Member
beforeAll(async () => {
  world = await sharedWorld()
  operator = await newPerson(world, { isOperator: true })
})
afterAll(() => world[Symbol.asyncDispose]())

const path = '/v1/operator/mails'
const now = (): Date => new Date(world.app.clock.nowMs())
const query = <Row>(text: string, values: unknown[] = []) => world.app.db.query<Row>({ text }, values)

/** Queues a letter, and returns its id once it is known that it cannot be sent. */
async function write(letter: NewLetter): Promise<string> {
  await world.app.db.tx((tx) => queueLetter(world.app, tx, letter, now()))
  return until(async () => {
    const text = `select mail_id from people.mails where address = $1 and state = 'unsent' order by mail_id desc`
    return (await query<{ mail_id: string }>(text, [letter.to]))[0]?.mail_id
  })
}

/** Invites somebody; returns the mail, the token and the id of the invitation. */
async function invite(): Promise<{ mailId: string; link: string; invitationId: string }> {
  const token = randomUUID()
  const [invitationId, to] = [uuidv7(), `${randomUUID()}@example.org`]
  await query(
    `insert into people.invitations (account_id, invitation_id, email, role, hash, created_at, expires_at)
     values ($1, $2, $3, 'viewer', $4, $5, $6)`,
    [world.account, invitationId, to, sha256(token), now(), new Date(now().getTime() + 86_400_000)],
  )
  const link = personLink(world.app, '/invitation', token)
  const data = { account: 'Acme', inviter: 'Sara', role: 'viewer', link, days: 7 } as const
  return { mailId: await write({ to, kind: 'invitation', locale: 'en', data }), link, invitationId }
}

/** A mail as the operator's list shows it, and the whole answer. */
async function listed(mailId: string): Promise<{ mail: Record<string, unknown>; text: string }> {
  const { body, text } = await operator.get(`${path}?state=unsent&limit=100`)
  return { mail: body.data.find(({ id }: { id: string }) => id === mailId), text }
}

const entriesOf = (mailId: string) =>
  query<Record<string, unknown>>(`select * from audit.entries where after ->> 'mail_id' = $1`, [mailId])

test('a mail that cannot be sent is shown to operators with its code masked, and to nobody else', async () => {
  expect(mailChannel(world.app)).toBe('none')
  const to = `${randomUUID()}@example.org`
  const mailId = await write({
    to,
    kind: 'sign_in_code',
    locale: 'fa',
    data: { code: '406218', minutes: 10 },
  })
  const { mail, text } = await listed(mailId)
  expect(mail).toMatchObject({ address: to, kind: 'sign_in_code', can_reveal: false })
  expect(mail['subject']).toBe('کد ورود به خرد')
  expect(mail['text']).toContain('••••••')
  expect(text).not.toContain('406218')
  const older = await operator.get(`${path}?after_id=${mailId}`)
  expect(older.body.data.map(({ id }: { id: string }) => id)).not.toContain(mailId)
  const owner = await newMember(world, 'owner')
  expect((await owner.get(path)).body.error.code).toBe('OPERATOR_REQUIRED')
  expect((await owner.post(`${path}/${mailId}/reveal`, {})).body.error.code).toBe('OPERATOR_REQUIRED')
  const key = await world.key()
  expect((await key.get(path)).body.error.code).toBe('SESSION_REQUIRED')
  const refused = await operator.post(`${path}/${mailId}/reveal`, {})
  expect([refused.status, refused.body.error.code]).toEqual([409, 'MAIL_NOT_REVEALABLE'])
  expect(refused.text).not.toContain('406218')
  expect(await entriesOf(mailId)).toEqual([])
  const missing = await operator.post(`${path}/${randomUUID()}/reveal`, {})
  expect(missing.status).toBe(404)
})

test('the link of an open invitation is shown to an operator, and each time the audit log of its account says so', async () => {
  const { mailId, link, invitationId } = await invite()
  const { mail, text } = await listed(mailId)
  expect(mail['can_reveal']).toBe(true)
  expect(text).not.toContain(link.slice(link.indexOf('#') + 1))
  const shown = await operator.post(`${path}/${mailId}/reveal`, {})
  expect(shown.status).toBe(200)
  expect(shown.body).toMatchObject({ id: mailId, link })
  const [entry, ...others] = await entriesOf(mailId)
  expect(others).toEqual([])
  expect(entry).toMatchObject({
    ...{ account_id: world.account, actor_kind: 'person', actor_id: operator.personId },
    ...{ operation: 'operator.revealMail', target_kind: 'invitation', target_id: invitationId },
  })
  expect(JSON.stringify(entry)).not.toContain(link)
  expect(JSON.stringify(entry)).not.toContain(shown.body.address)
  await query('update people.invitations set revoked_at = $2 where invitation_id = $1', [invitationId, now()])
  const closed = await operator.post(`${path}/${mailId}/reveal`, {})
  expect(closed.body.error.code).toBe('MAIL_NOT_REVEALABLE')
  expect((await listed(mailId)).mail['can_reveal'], 'nothing is offered that is refused').toBe(false)
  expect(await entriesOf(mailId)).toHaveLength(1)
})

test('a link is shown only after a recent factor', async () => {
  const { mailId } = await invite()
  const stale = await newPerson(world, { isOperator: true })
  await query('update people.sessions set stepped_up_at = null where session_id = $1', [stale.sessionId])
  const refused = await until(async () => {
    const reply = await stale.post(`${path}/${mailId}/reveal`, {})
    return reply.status === 403 ? reply : undefined
  })
  expect(refused.body.error.code).toBe('STEP_UP_REQUIRED')
})

test('the command line shows the same to whoever operates the machine, and reveals the same, as the audit log says', async () => {
  const { mailId, link } = await invite()
  const codeId = await write({
    ...{ to: `${randomUUID()}@example.org`, kind: 'email_change_code', locale: 'en' },
    data: { code: '406218', minutes: 10 },
  })
  const { databaseUrl = '', dataDir, secret } = world.app.config
  const env = {
    ...{ DATABASE_URL: databaseUrl, KHERAD_DATA: dataDir, KHERAD_LOCALE: 'en' },
    ...(secret !== undefined && { KHERAD_SECRET: secret }),
  }
  const { out } = await kherad(env, 'mail', 'list')
  expect(out).toContain(mailId)
  expect(out).toContain('Your code to confirm your new address')
  const { data } = await done(env, 'mail', 'list', '--state', 'all')
  const code = data.find(({ id }: { id: string }) => id === codeId)
  expect(code.text).toContain('••••••')
  expect(JSON.stringify(data)).not.toMatch(/406218|#[0-9a-f]{8}-/)
  expect(await done(env, 'mail', 'reveal', mailId)).toMatchObject({ id: mailId, link })
  const [entry] = await entriesOf(mailId)
  expect(entry).toMatchObject({ account_id: world.account, actor_kind: 'operator', actor_id: null })
  expect(await refused(env, 'mail', 'reveal', codeId)).toMatchObject({ code: 'MAIL_NOT_REVEALABLE' })
  expect(await refused(env, 'mail', 'reveal', randomUUID())).toMatchObject({ code: 'MAIL_NOT_FOUND' })
})
