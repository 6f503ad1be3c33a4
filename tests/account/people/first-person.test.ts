import { describe, expect, test } from 'vitest'
import { invitationLink, offerFirstLink } from '#account/invitations'
import { platformAccount } from '#platform/jobs'
import { done, kherad, refused } from '../../cli/command-line.ts'
import { newBrowser, newMember, newPerson } from '../../harness/session.ts'
import { boot, MovableClock, type World } from '../../harness/world.ts'
import { codeOf, leave } from './people.ts'

const password = 'چهار واژهٔ نامربوط به هم'
const tokenIn = (link: string) => link.slice(link.indexOf('#') + 1)
const person = (email: string, name = 'Mina') => ({ display_name: name, locale: 'fa', email })

const redeem = (world: World, token: string, body: object) =>
  newBrowser(world).post('/v1/links/redeem', { token, ...body })

/** The rows of the audit log of the installation, oldest first. */
const installationRows = async (world: World) =>
  (
    await world.app.db.query<{ operation: string; actor_kind: string }>(
      {
        text: `select operation, actor_kind from audit.entries where account_id = '${platformAccount}' and operation like 'operators.%' order by entry_id`,
      },
      [],
    )
  ).map(({ operation, actor_kind: kind }) => `${operation} ${kind}`)

describe('the first person', () => {
  test('comes in by the printed link, once, and owns the account that is there; then operators and owners are invited', async () => {
    const clock = new MovableClock()
    await using world = await boot({ clock })
    const { app, kherad: server } = world
    const env = {
      DATABASE_URL: app.config.databaseUrl!,
      KHERAD_DATA: app.config.dataDir,
      KHERAD_LOCALE: 'en',
    }
    // The clock of commands is that of the machine, and the server's is moved.
    const extend = () =>
      app.db.query({ text: `update people.links set expires_at = expires_at + interval '2 days'` }, [])
    const printed = server.firstLink!
    expect(printed).toMatch(/^http:\/\/localhost:\d+\/link#khl_[0-9A-Za-z]{43}$/)
    expect(await offerFirstLink(app), 'another process that starts now').toBe('recent')
    const [stored] = await app.db.query<{ text: string }>(
      { text: 'select l::text as text from people.links l' },
      [],
    )
    expect(stored!.text).not.toContain(tokenIn(printed))

    // A later start prints another link, and the one before it is worth nothing.
    clock.moveMs(61_000)
    const second = (await offerFirstLink(app))!
    const body = { password, person: person('mina@example.org') }
    expect(codeOf(await redeem(world, tokenIn(printed), body))).toEqual([404, 'LINK_INVALID'])
    clock.moveMs(86_400_000)
    expect(codeOf(await redeem(world, tokenIn(second), body))).toEqual([404, 'LINK_INVALID'])

    // Of several who have the link, one is the first.
    const { link } = await done(env, 'operator', 'link')
    await extend()
    const emails = ['mina@example.org', 'b@example.org', 'c@example.org']
    const seen = await Promise.all(
      emails.map((email) => redeem(world, tokenIn(link), { password, person: person(email) })),
    )
    expect(seen.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect(codeOf(await redeem(world, tokenIn(link), body))).toEqual([404, 'LINK_INVALID'])
    expect(await offerFirstLink(app)).toBeUndefined()
    expect((await refused(env, 'operator', 'link')).code).toBe('OPERATOR_EXISTS')
    const { data } = await done(env, 'person', 'list')
    expect(data).toMatchObject([{ is_operator: true, has_password: true }])
    const [first] = await app.db.query<{ account_id: string; role: string }>(
      {
        text: `select m.account_id, m.role from people.members m
          where account_id = (select account_id from auth.accounts order by created_at, account_id limit 1)`,
      },
      [],
    )
    expect(first?.role).toBe('owner')
    expect(await installationRows(world)).toEqual(['operators.link operator', 'operators.accept person'])

    // Others become operators by the command line, and every operator hears of it.
    const sara = await newMember(world, 'viewer', { email: 'sara@example.org' })
    expect(await done(env, 'operator', 'add', 'Sara@Example.org')).toMatchObject({
      outcome: 'added',
      person_id: sara.personId,
    })
    expect(await done(env, 'operator', 'add', 'sara@example.org')).toMatchObject({ outcome: 'already' })
    const told = await app.db.query<{ address: string }>(
      { text: `select address from people.mails where kind = 'operator_added' order by address` },
      [],
    )
    expect(told.map(({ address }) => address)).toEqual([data[0].email, 'sara@example.org'].sort())
    const added = await done(env, 'operator', 'add', 'new@example.org')
    expect(added).toMatchObject({ outcome: 'invited', delivery: 'operator' })
    const newcomer = await redeem(world, tokenIn(added.link), {
      password,
      person: { display_name: 'N', locale: 'en' },
    })
    expect(newcomer.body, newcomer.text).toMatchObject({
      status: 'signed_in',
      person: { is_operator: true, email: 'new@example.org' },
    })
    expect(
      codeOf(
        await redeem(world, tokenIn(added.link), { password, person: { display_name: 'N', locale: 'en' } }),
      ),
    ).toEqual([404, 'LINK_INVALID'])
    expect((await done(env, 'operator', 'remove', 'sara@example.org')).is_operator).toBe(false)
    expect((await refused(env, 'operator', 'remove', 'sara@example.org')).code).toBe('NOT_AN_OPERATOR')
    const toldOfLess = async () => {
      const rows = await app.db.query<{ address: string }>(
        {
          text: `select address from people.mails where kind = 'operator_removed' order by mail_id, address`,
        },
        [],
      )
      return rows.map(({ address }) => address)
    }
    expect((await toldOfLess()).sort()).toEqual([data[0].email, 'new@example.org', 'sara@example.org'].sort())
    expect((await refused(env, 'operator', 'add', 'nobody')).exit).toBe(2)

    // Another account gets its owner, as long as it has nobody; where there is no mail the operator hands the link over.
    const account = await done(env, 'account', 'create', '--name', 'Acme')
    const given = await done(env, 'account', 'invite', account.id, 'boss@example.org')
    expect(given.delivery).toBe('operator')
    const view = await newBrowser(world).post('/v1/links/read', { token: tokenIn(given.link) })
    expect(view.body, view.text).toMatchObject({
      purpose: 'invitation',
      needs: 'named_person',
      invitation: { account_name: 'Acme', inviter_name: null, role: 'owner' },
    })
    expect(view.text).not.toContain('boss@example.org')
    const boss = newBrowser(world)
    boss.project = undefined
    const entered = await boss.post('/v1/links/redeem', {
      token: tokenIn(given.link),
      password,
      person: { display_name: 'Boss', locale: 'en' },
    })
    expect(entered.body, entered.text).toMatchObject({ status: 'signed_in' })
    expect((await boss.get('/v1/me')).body).toMatchObject({ email: 'boss@example.org', email_proven: false })
    // An account of the command line had no project: without one nobody could work in it.
    const mine = await boss.get('/v1/me/accounts')
    expect(mine.body.data).toMatchObject([
      { id: account.id, role: 'owner', projects: [{ name: 'پروژهٔ نخست' }] },
    ])
    expect((await boss.get('/v1/account')).body.id).toBe(account.id)
    expect((await refused(env, 'account', 'invite', account.id, 'two@example.org')).code).toBe(
      'ACCOUNT_HAS_MEMBERS',
    )

    // A forgotten password, where no mail can help.
    const reset = await done(env, 'person', 'reset', 'boss@example.org')
    await extend()
    expect((await boss.get('/v1/me')).status).toBe(200)
    const other = 'گذرواژه‌ای دیگر و درازتر'
    const again = await redeem(world, tokenIn(reset.link), { password: other })
    expect(again.body, again.text).toMatchObject({ status: 'signed_in' })
    await expect.poll(async () => (await boss.get('/v1/me')).status).toBe(401)
    expect(codeOf(await redeem(world, tokenIn(reset.link), { password: other }))).toEqual([
      404,
      'LINK_INVALID',
    ])
    const signIn = (text: string) =>
      newBrowser(world).post('/v1/sign-in/password', { email: 'boss@example.org', password: text })
    expect((await signIn(password)).status).toBe(401)
    expect((await signIn(other)).status).toBe(200)
    expect((await refused(env, 'person', 'reset-factors', 'boss@example.org')).code).toBe('NO_SECOND_FACTOR')
    expect((await refused(env, 'person', 'reset', 'nobody@example.org')).code).toBe('PERSON_NOT_FOUND')

    // A row of the log outlives whom it names, so that it has no address in full.
    const [log] = await app.db.query<{ text: string }>(
      { text: `select string_agg(e::text, ' ') as text from audit.entries e` },
      [],
    )
    expect(log!.text).toContain('operators.add')
    expect(log!.text).not.toMatch(/(mina|sara|new|boss)@/)

    // Of two operators who delete themselves at once one stays.
    const two = [
      await newPerson(world, { isOperator: true }),
      await newMember(world, 'viewer', { isOperator: true }),
    ]
    const ids = two.map(({ personId }) => personId)
    await app.db.query({ text: 'update people.people set is_operator = false where person_id <> all($1)' }, [
      ids,
    ])
    const gone = await Promise.all(two.map((one) => leave(one)))
    expect(gone.map((one) => codeOf(one).join()).sort()).toEqual(['200,', '409,LAST_OPERATOR'])
    const deleted = await app.db.query<{ before: object; target_id: string }>(
      {
        text: `select before, target_id from audit.entries where operation = 'me.delete' and account_id = '${platformAccount}'`,
      },
      [],
    )
    const left = ids[gone.findIndex(({ status }) => status === 200)]
    expect(deleted).toEqual([{ before: { is_operator: true }, target_id: left }])
    const listed = await done(env, 'person', 'list')
    const [stays] = listed.data.filter((one: { is_operator: boolean }) => one.is_operator)
    expect((await toldOfLess()).slice(3), 'whoever deletes themselves is told to the others').toEqual([
      stays.email,
    ])
    const persian = await kherad({ ...env, KHERAD_LOCALE: 'fa' }, 'person', 'list')
    expect(persian.out).toContain('گرداننده')

    const people = listed.data
    const page = await done(env, 'person', 'list', '--limit', '1')
    expect(page).toEqual({ data: people.slice(0, 1), has_more: true, last_id: people[0].id })
    const rest = await done(env, 'person', 'list', '--after', page.last_id)
    expect([rest.data, rest.has_more]).toEqual([people.slice(1), false])
  })
})

test('the first link names localhost where only this machine is meant, and KHERAD_BASE_URL where there is one', () => {
  const at = (baseUrl: string, baseUrlNamed: boolean) =>
    invitationLink({ config: { baseUrl, baseUrlNamed, mail: undefined } as never }, 'khl_x')
  expect(at('http://127.0.0.1:8080', false)).toBe('http://localhost:8080/link#khl_x')
  expect(at('http://[::1]:8080', false)).toBe('http://localhost:8080/link#khl_x')
  expect(at('http://127.0.0.1:8080', true)).toBe('http://127.0.0.1:8080/link#khl_x')
  expect(at('https://ai.example.org', true)).toBe('https://ai.example.org/link#khl_x')
  expect(at('http://10.0.0.5:8080', false)).toBe('http://10.0.0.5:8080/link#khl_x')
})
