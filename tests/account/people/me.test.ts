import { describe, expect, test } from 'vitest'
import { openSession, setMember } from '#account/people'
import { newBrowser, newMember, newPerson } from '../../harness/session.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'
import { codeOf, endDays, leave, patch, remove, stepDown } from './people.ts'

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

/** Signs the person in a second time, in another browser. */
async function secondBrowser(world: World, personId: string) {
  const now = new Date(world.app.clock.nowMs())
  const options = { personId, method: 'code', userAgent: chrome, openedFrom: '192.0.2.7' } as const
  const { token, sessionId } = await world.app.db.tx((tx) => openSession(tx, options, now))
  const browser = newBrowser(world)
  browser.cookies.set(browser.nameOf('session'), token)
  return Object.assign(browser, { personId, sessionId })
}

describe('a person', () => {
  test('sees and changes name, language and time zone, and nothing of these is taken for what it is not', async () => {
    await using world = await sharedWorld()
    const person = await newPerson(world, { email: `me-${Date.now()}@example.org` })
    const seen = await person.get('/v1/me')
    expect(seen.body).toMatchObject({
      ...{ id: person.personId, display_name: 'Sara', locale: 'en', time_zone: 'Asia/Tehran' },
      ...{ email_proven: true, is_operator: false, has_password: false },
      session: { id: person.sessionId, stepped_up_until: expect.any(String) },
    })
    const changed = await patch(person, '/v1/me', {
      display_name: ' سارا <b>x</b> ',
      locale: 'fa',
      time_zone: 'asia/dubai',
    })
    expect(changed.body).toMatchObject({
      display_name: 'سارا <b>x</b>',
      locale: 'fa',
      time_zone: 'Asia/Dubai',
    })
    const [log] = await world.app.db.query<{ text: string }>(
      { text: `select string_agg(e::text, ' ') as text from audit.entries e where actor_id = $1` },
      [person.personId],
    )
    expect(log!.text).toMatch(/display_name.*changed/)
    expect(log!.text, 'a name would stay in the log for good').not.toMatch(/Sara|سارا/)
    for (const [body, param] of [
      [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
      [{ display_name: ' ' }, 'display_name'],
      [{ display_name: 'a\nb' }, 'display_name'],
      [{ locale: 'de' }, 'locale'],
    ] as const) {
      const refused = await patch(person, '/v1/me', body)
      expect([refused.status, refused.body.error.param]).toEqual([400, param])
    }
    for (const name of ['is_operator', 'email', 'person_id', 'password_hash'])
      expect(codeOf(await patch(person, '/v1/me', { [name]: true }))).toEqual([400, 'UNKNOWN_FIELD'])
    expect((await person.get('/v1/me')).body.is_operator).toBe(false)
    await stepDown(world, person)
    expect(codeOf(await newBrowser(world).get('/v1/me'))).toEqual([401, 'NOT_SIGNED_IN'])
    expect(codeOf(await (await world.key()).get('/v1/me'))).toEqual([403, 'SESSION_REQUIRED'])
  })

  test('lists sessions by device and ends one, or all others', async () => {
    await using world = await sharedWorld()
    const person = await newPerson(world)
    const other = await secondBrowser(world, person.personId)
    const third = await secondBrowser(world, person.personId)
    const stranger = await newPerson(world)
    const { body } = await person.get('/v1/me/sessions')
    const byId = Object.fromEntries(body.data.map((one: { id: string }) => [one.id, one]))
    expect(Object.keys(byId)).toHaveLength(3)
    expect(byId[person.sessionId]).toMatchObject({ is_current: true, method: 'password' })
    expect(byId[other.sessionId]).toMatchObject({
      ...{ is_current: false, device: 'Chrome, Linux', method: 'code', opened_from: '192.0.2.7' },
    })
    expect(codeOf(await remove(person, `/v1/me/sessions/${stranger.sessionId}`))).toEqual([404, 'NOT_FOUND'])
    expect((await remove(person, `/v1/me/sessions/${other.sessionId}`)).body).toEqual({
      id: other.sessionId,
      ended: true,
    })
    await until(async () => (await other.get('/v1/me')).status === 401)
    expect((await third.get('/v1/me')).status).toBe(200)
    expect((await remove(person, '/v1/me/sessions')).body).toEqual({ ended: 1 })
    await until(async () => (await third.get('/v1/me')).status === 401)
    expect((await person.get('/v1/me/sessions')).body.data).toHaveLength(1)
    expect((await stranger.get('/v1/me')).status).toBe(200)
    expect((await remove(person, `/v1/me/sessions/${person.sessionId}`)).status).toBe(200)
    expect(person.cookies.has(person.nameOf('session'))).toBe(false)
  })

  test('who is deleted leaves no name, address, session or membership behind, and the keys go on for the owner', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const email = `gone-${Date.now()}@example.org`
    const developer = await newMember(world, 'developer', { displayName: 'Reza Zamani', email })
    const key = await developer.post('/v1/keys', { name: 'left behind', scopes: ['models:read'] })
    const elsewhere = await secondBrowser(world, developer.personId)
    await stepDown(world, developer)
    expect(codeOf(await leave(developer, 'Reza Zamani'))).toEqual([403, 'STEP_UP_REQUIRED'])
    const deleted = await leave(elsewhere, 'Reza Zamani')
    expect(deleted.body, deleted.text).toMatchObject({ id: developer.personId })
    await endDays(world, developer.personId)
    for (const browser of [developer, elsewhere])
      await until(async () => (await browser.get('/v1/me')).status === 401)
    const listed = await owner.get('/v1/keys?made_by=left')
    expect(listed.body.data).toMatchObject([
      { id: key.body.id, made_by: { display_name: '—', is_member: false } },
    ])
    expect((await owner.get('/v1/members')).body.data).toHaveLength(1)
    for (const table of ['people', 'addresses', 'sessions', 'members', 'mails', 'devices']) {
      const [row] = await world.app.db.query<{ text: string }>(
        { text: `select string_agg(t::text, ' ') as text from people.${table} t where person_id = $1` },
        [developer.personId],
      )
      expect([table, /Reza|gone-/.test(row!.text ?? '')]).toEqual([table, false])
    }
    // The address is free again, for a person who is another one.
    const next = await newPerson(world, { email })
    expect(next.personId).not.toBe(developer.personId)
    expect((await next.get('/v1/me/accounts')).body.data).toEqual([])
  })

  test('is deleted without reading whole tables, for which others would wait', async () => {
    await using world = await sharedWorld()
    const unindexed = await world.app.db.query(
      {
        text: `select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
          where c.relnamespace = 'people'::regnamespace and c.relkind = 'r'
            and a.attname in ('person_id', 'invited_by', 'requested_by')
            and not exists (select from pg_index i where i.indrelid = c.oid and i.indkey[0] = a.attnum
              and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))`,
      },
      [],
    )
    expect(unindexed).toEqual([])
  })

  test('reads the accounts in pages, the oldest account first, without a gap where one is left between two pages', async () => {
    await using world = await sharedWorld()
    const person = await newMember(world, 'viewer')
    const strangers = [await world.stranger(), await world.stranger(), await world.stranger()]
    const at = new Date(world.app.clock.nowMs())
    // The newest account is joined first.
    for (const { account: accountId } of strangers.toReversed())
      await world.app.db.tx((tx) =>
        setMember(tx, { accountId, personId: person.personId, role: 'viewer', projectIds: null }, at),
      )
    const page = async (query: string) => (await person.get(`/v1/me/accounts?${query}`)).body
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
    const all = [world.account, ...strangers.map(({ account }) => account)]
    expect(await page('')).toMatchObject({ has_more: false, last_id: all[3] })
    const first = await page('limit=2')
    expect([ids(first), first.has_more]).toEqual([all.slice(0, 2), true])
    expect((await remove(person, `/v1/me/accounts/${first.last_id}`)).status).toBe(200)
    const rest = await page(`limit=2&after_id=${first.last_id}`)
    expect([ids(rest), rest.has_more]).toEqual([all.slice(2), false])
    expect(codeOf(await person.get('/v1/me/accounts?limit=101'))).toEqual([400, 'INVALID_REQUEST'])
  })

  test('leaves an account, and sees nothing of one that is not theirs', async () => {
    await using world = await sharedWorld()
    await newMember(world, 'owner')
    const viewer = await newMember(world, 'viewer')
    const other = await world.stranger()
    expect(codeOf(await remove(viewer, `/v1/me/accounts/${other.account}`))).toEqual([404, 'NOT_FOUND'])
    expect((await remove(viewer, `/v1/me/accounts/${world.account}`)).body).toEqual({
      account_id: world.account,
      left: true,
    })
    await until(async () => (await viewer.get('/v1/account')).status === 404)
    expect((await viewer.get('/v1/me/accounts')).body.data).toEqual([])
    expect(codeOf(await remove(viewer, `/v1/me/accounts/${world.account}`))).toEqual([404, 'NOT_FOUND'])
  })
})
