/** Mails to people: that they arrive, are sent once and not too late, and what is told of money and keys. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mailChannel, type NewLetter, personLink, queueLetter } from '#account/letters'
import { createPerson, type Role, setMember } from '#account/people'
import { createKey, openSessionKey } from '#platform/auth'
import { cookieName } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { platformAccount } from '#platform/jobs'
import { grant, setCaps } from '#platform/ledger'
import { sha256 } from '#platform/secrets'
import { MailServer } from '../harness/mail-server.ts'
import { type Member, newMember } from '../harness/session.ts'
import { until } from '../harness/until.ts'
import { boot, MovableClock, makePeople, type World } from '../harness/world.ts'

const stack = new AsyncDisposableStack()
const clock = new MovableClock(Date.parse('2026-11-30T06:02:00Z'))
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
let mails: MailServer
let world: World
beforeAll(async () => {
  const refuses = (address: string): boolean => address.startsWith('nobody')
  mails = stack.use(await MailServer.start({ refuses }))
  const env = { KHERAD_BASE_URL: 'https://kherad.example.org' }
  world = stack.use(await boot({ clock, env, config: mails.config }))
})
afterAll(() => stack.disposeAsync())

const query = <Row>(text: string, values: unknown[] = []) => world.app.db.query<Row>({ text }, values)
const now = (): Date => new Date(clock.nowMs())
const newAddress = (name = 'somebody'): string => `${name}-${randomUUID()}@example.org`

/** Queues letters in one transaction. */
const write = (...letters: NewLetter[]) =>
  world.app.db.tx(async (tx) => {
    const results: string[] = []
    for (const letter of letters) results.push(await queueLetter(world.app, tx, letter, now()))
    return results
  })

const codeTo = (to: string, code: string, minutes = 10): NewLetter => ({
  to,
  kind: 'sign_in_code',
  locale: 'en',
  data: { code, minutes },
})

const noticeTo = (to: string): NewLetter => ({
  to,
  kind: 'password_changed',
  locale: 'en',
  data: { at: now() },
})

const statesOf = async (address: string): Promise<string[]> => {
  const rows = await query<{ state: string }>(
    'select state from people.mails where address = $1 order by mail_id',
    [address],
  )
  return rows.map(({ state }) => state)
}

/** Resolves when every letter that waits was tried at least once since it was queued. */
const tried = () =>
  until(async () => {
    const [row] = await query<{ untried: bigint }>(
      `select count(*) as untried from jobs.queue
       where name = 'letters.send' and (process_id is not null or run_at < created_at + interval '0.5 s')`,
    )
    return row!.untried === 0n
  })

/** Has letters that wait sent now. */
async function sendAgain(): Promise<void> {
  await query(`update jobs.queue set run_at = now() where name = 'letters.send'`)
  await query(`notify jobs, 'letters.send'`)
}

/** Runs a job, and resolves when it and the letters that it queued are over. */
async function run(name: string, account = platformAccount, data: unknown = null): Promise<void> {
  const id = randomUUID()
  const text = `insert into jobs.queue (account_id, job_id, name, data, run_at) values ($1, $2, $3, $4, now())`
  await query(text, [account, id, name, JSON.stringify(data)])
  await query(`notify jobs, '${name}'`)
  await until(async () => (await query('select from jobs.queue where job_id = $1', [id])).length === 0)
}

const lettersEnded = () =>
  until(
    async () =>
      (await query(`select from jobs.queue where name in ('letters.send', 'notices.threshold')`)).length ===
      0,
  )

/** The headers of a page of the configured address, with the session of this person. */
function ownHeaders(person: Member): Record<string, string> {
  const origin = 'https://kherad.example.org'
  const token = person.cookies.get(person.nameOf('session'))
  const cookie = `${cookieName(origin, world.app.sessions.installation, 'session')}=${token}`
  return { origin, cookie }
}

describe('a letter', () => {
  test('is sent once its transaction has committed, in the language and the time zone of the person', async () => {
    const email = newAddress('sara')
    const person = await world.app.db.tx((tx) =>
      createPerson(
        tx,
        { displayName: 'Sara', locale: 'fa', timeZone: 'Europe/Berlin', email, isOperator: false },
        now(),
      ),
    )
    const data = { device: 'Firefox, Linux', at: now(), from: '203.0.113.7' }
    await write({ to: email, personId: person.personId, kind: 'new_device', locale: 'fa', data })
    const mail = await mails.mailTo(email)
    const plain = mail.text.replaceAll('\u00a0', ' ')
    expect(plain).toMatch(/دوشنبه ۹ آذر ۱۴۰۵، ساعت \d*[۰-۹]{2}:[۰-۹]{2} \(وقت مرکز اروپا\)/)
    expect(plain).toContain('203.0.113.7')
    expect(mail.html).toContain('dir="rtl"')
    await until(async () => (await statesOf(email))[0] === 'sent')
  })

  test('of a transaction that is rolled back is not sent', async () => {
    const [gone, kept] = [newAddress('gone'), newAddress('kept')]
    const rolledBack = world.app.db.tx(async (tx) => {
      await queueLetter(world.app, tx, noticeTo(gone), now())
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    await write(noticeTo(kept))
    await mails.mailTo(kept)
    await lettersEnded()
    expect(mails.to(gone)).toEqual([])
  })

  test('has its link in the fragment of the configured address, and its secret neither in the database nor, once it is sent, in its sealed data', async () => {
    const email = newAddress()
    const link = personLink(world.app, '/recovery', 'secrettoken')
    expect(link).toBe('https://kherad.example.org/recovery#secrettoken')
    await write({ to: email, kind: 'password_reset', locale: 'fa', data: { link, minutes: 60 } })
    expect((await mails.mailTo(email)).text).toContain(link)
    await until(async () => (await statesOf(email))[0] === 'sent')
    const [row] = await query<{ mail_id: string; data_sealed: string }>(
      'select mail_id, data_sealed from people.mails where address = $1',
      [email],
    )
    expect(row!.data_sealed).toMatch(/^sealed:/)
    const opened = await world.app.secrets.open(row!.data_sealed, `people.mails ${row!.mail_id}`)
    expect(opened).not.toContain('secrettoken')
  })

  test('of a kind that strangers can cause goes to an address seven times within an hour, however many ask at once; notices always go', async () => {
    const email = newAddress()
    const asked = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        write({
          to: email,
          kind: 'password_reset',
          locale: 'en',
          isOwn: true,
          data: { link: personLink(world.app, '/recovery', `t${at}`), minutes: 60 },
        }),
      ),
    )
    expect(asked.flat().filter((result) => result === 'queued')).toHaveLength(7)
    expect(asked.flat().filter((result) => result === 'limited')).toHaveLength(3)
    expect(await write(noticeTo(email))).toEqual(['queued'])
    await mails.mailTo(email, 8)
    clock.moveMs(60 * minuteMs - 1)
    expect(await write(codeTo(email, '111111'))).toEqual(['limited'])
    clock.moveMs(1)
    expect(await write(codeTo(email, '111111'))).toEqual(['queued'])
    await lettersEnded()
  })

  test('is counted for its purpose: sign-ups and invitations of strangers keep no code from a person, and letters are kept for networks and browsers of the person', async () => {
    const to = newAddress()
    const data = { account: 'A', inviter: 'B', role: 'viewer', days: 7 } as const
    const invitation = (at: number): NewLetter => {
      const link = personLink(world.app, '/link', `i${at}`)
      return { to, kind: 'invitation', locale: 'en', data: { ...data, link } }
    }
    const six = Array.from({ length: 6 }, (_, at) => at)
    const five = ['queued', 'queued', 'queued', 'queued', 'queued', 'limited']
    expect(
      await write(...six.map((): NewLetter => ({ to, kind: 'sign_up_exists', locale: 'en', data: {} }))),
    ).toEqual(five)
    expect(await write(...six.map(invitation))).toEqual(five)
    const owner = await newMember(world, 'owner')
    const body = JSON.stringify({ email: to, role: 'viewer' })
    const invited = await owner.request('POST', '/v1/invitations', body, ownHeaders(owner))
    expect([invited.status, invited.body.delivery], 'what others wrote is not told').toEqual([201, 'mail'])
    const code = codeTo(to, '111111')
    expect(await write(code, code, code, code)).toEqual(['queued', 'queued', 'queued', 'limited'])
    for (const kept of [{ isNear: true }, { isOwn: true }]) {
      const letter = { ...code, ...kept }
      expect(await write(letter, letter, letter), JSON.stringify(kept)).toEqual([
        'queued',
        'queued',
        'limited',
      ])
    }
    await lettersEnded()
  })

  test('that waits for the mail server is sent later, unless its code or link is over: expired, used or revoked', async () => {
    const [late, again, told, used, invited] = ['late', 'again', 'told', 'used', 'invited'].map(newAddress)
    const back = await mails.leave()
    const tokens = { used: randomUUID(), revoked: randomUUID() }
    await write(codeTo(late!, '222222'))
    await write(codeTo(again!, '333333', 60))
    // Another browser asks for a code too: that of the first one is not discarded, because both are valid.
    await write(codeTo(again!, '444444', 60))
    await write(noticeTo(told!))
    await query(
      `insert into people.links (hash, purpose, created_at, expires_at, used_at) values ($1, 'test', $2, $3, $2)`,
      [sha256(tokens.used), now(), new Date(clock.nowMs() + dayMs)],
    )
    await query(
      `insert into people.invitations (account_id, invitation_id, email, role, hash, created_at, expires_at, revoked_at)
       values ($1, $2, $3, 'viewer', $4, $5, $6, $5)`,
      [world.account, uuidv7(), invited, sha256(tokens.revoked), now(), new Date(clock.nowMs() + dayMs)],
    )
    const locale = 'en'
    const link = (token: string) => personLink(world.app, '/link', token)
    await write(
      { to: used!, kind: 'password_reset', locale, data: { link: link(tokens.used), minutes: 60 } },
      {
        to: invited!,
        kind: 'invitation',
        locale,
        data: { account: 'A', inviter: 'B', role: 'viewer', link: link(tokens.revoked), days: 7 },
      },
    )
    await tried()
    clock.moveMs(10 * minuteMs)
    await back()
    await sendAgain()
    await mails.mailTo(told!)
    await mails.mailTo(again!, 2)
    await lettersEnded()
    const codes = mails.to(again!).map(({ text }) => /\b(\d{6})\b/.exec(text)?.[1])
    expect(codes.toSorted()).toEqual(['333333', '444444'])
    for (const address of [late!, used!, invited!]) {
      expect(mails.to(address), address).toEqual([])
      expect(await statesOf(address), address).toEqual(['expired'])
    }
  })

  test('that nobody takes for a day is given up, and one that is refused for good is not sent again', async () => {
    const [waiting, refused] = [newAddress('waiting'), newAddress('nobody')]
    await write(noticeTo(refused))
    await until(async () => (await statesOf(refused))[0] === 'refused')
    const back = await mails.leave()
    await write(noticeTo(waiting))
    await tried()
    clock.moveMs(dayMs + 1)
    await back()
    await sendAgain()
    await until(async () => (await statesOf(waiting))[0] === 'expired')
    expect(mails.to(waiting)).toEqual([])
  })

  test('has no channel where links have no address that the operator has named', () => {
    const { config } = world.app
    expect(mailChannel(world.app)).toBe('mail')
    expect(mailChannel({ config: { ...config, baseUrlNamed: false } })).toBe('none')
    expect(mailChannel({ config: { ...config, mail: undefined } })).toBe('none')
  })
})

describe('people of an account are told', () => {
  let account: string
  let project: string
  beforeEach(async () => {
    ;({ account, project } = await makePeople(world.kherad, 1_000))
  })

  /** A new member; returns the address. */
  async function member(role: Role, locale: 'fa' | 'en', projectIds: string[] | null = null) {
    const email = newAddress(role)
    const personId = await world.app.db.tx(async (tx) => {
      const { personId } = await createPerson(tx, { displayName: `The ${role}`, locale, email }, now())
      await setMember(tx, { accountId: account, personId, role, projectIds }, now())
      return personId
    })
    return { email, personId }
  }

  /** Writes the event of a threshold as the ledger does. */
  async function pass(scope: string, scopeId: string, percents: number[], period = 'total'): Promise<void> {
    await world.app.db.tx(async (tx) => {
      for (const percent of percents)
        await tx
          .insertInto('events.outbox' as never)
          .values({
            account_id: account,
            project_id: scope === 'account' ? null : project,
            type: 'budget.threshold',
            data: JSON.stringify({
              ...{ scope, scope_id: scopeId, period, threshold_percent: percent },
              ...{ cap_credits: 1_000, spent_credits: percent * 10 },
            }),
            once_key: `budget.threshold:${scope}:${scopeId}:${period}:1000000000:${percent}`,
            created_at: now(),
          } as never)
          .execute()
    })
    await lettersEnded()
  }

  test('of a threshold in the language of each, who manages money and sees the project; the highest alone, and once', async () => {
    const owner = await member('owner', 'fa')
    const billing = await member('billing', 'en')
    const developer = await member('developer', 'en')
    const elsewhere = await member('billing', 'en', [randomUUID()])
    await pass('project', project, [50, 80], '2026-11')
    const told = await mails.mailTo(owner.email)
    expect(told.text).toContain('۸۰٪')
    expect(told.text).toContain('سقف ماهانه')
    expect((await mails.mailTo(billing.email)).text).toContain('800 credits')
    expect(mails.to(owner.email)).toHaveLength(1)
    expect([...mails.to(developer.email), ...mails.to(elsewhere.email)]).toEqual([])
    // The same job once more, as after a crash before its end was recorded.
    const once_key = `budget.threshold:project:${project}:2026-11:1000000000:80`
    const event = { scope: 'project', scope_id: project, period: '2026-11', threshold_percent: 80 }
    const amounts = { cap_credits: 1_000, spent_credits: 800 }
    await run('notices.threshold', account, { once_key, event: { ...event, ...amounts } })
    await lettersEnded()
    expect(mails.to(owner.email)).toHaveLength(1)
  })

  test('of the cap of a member, the member too; the event of the ledger itself is told', async () => {
    const owner = await member('owner', 'en')
    const spender = await member('developer', 'en')
    const keyId = await world.app.db.tx((tx) => openSessionKey(tx, account, project, spender.personId, now()))
    await query(`update ledger.meters set spent = 9000000 where account_id = $1 and scope_id = $2`, [
      account,
      keyId,
    ])
    await world.app.db.tx((tx) => setCaps(tx, account, 'key', keyId, { cap: 10_000_000n }, { now: now() }))
    await query(`update ledger.meters set spent = 0 where account_id = $1 and scope_id = $2`, [
      account,
      keyId,
    ])
    expect((await mails.mailTo(owner.email)).text).toContain('the spending of \u2068The developer\u2069')
    expect((await mails.mailTo(spender.email)).text).toContain('80%')
    await lettersEnded()
    expect(mails.to(owner.email)).toHaveLength(1)
  })

  test('of a threshold by the list of the account, in one event and one letter, once it is reached to the credit', async () => {
    const owner = await newMember(world, 'owner', { account, project })
    const set = (body: object) =>
      owner.request('PATCH', '/v1/account/caps', JSON.stringify(body), ownHeaders(owner))
    expect((await set({ cap_credits: 10, thresholds_percent: [30, 70] })).status).toBe(200)
    const { key_id: keyId } = await world.app.db.tx((tx) =>
      createKey(
        tx,
        { accountId: account, projectId: project, name: 'spender', scopes: ['models:read'] },
        now(),
      ),
    )
    const spend = async (microcredits: bigint) => {
      const hold = await world.app.ledger.hold({
        ...{ payer: { accountId: account, projectId: project, keyId }, receiptId: randomUUID() },
        ...{ endpoint: '/test', microcredits, started: true, lifetimeMs: minuteMs },
      })
      await hold.settle({ microcredits, state: 'completed', statusCode: 200 })
      await lettersEnded()
    }
    const events = async () =>
      (
        await query<{ percent: number }>(
          `select (data->>'threshold_percent')::int as percent from events.outbox
            where account_id = $1 and type = 'budget.threshold' order by percent`,
          [account],
        )
      ).map(({ percent }) => percent)
    const letters = async () =>
      (
        await query<{ kind: string }>('select kind from people.mails where person_id = $1', [owner.personId])
      ).filter(({ kind }) => kind === 'threshold_reached').length
    await spend(2_999_999n)
    expect([await events(), await letters()]).toEqual([[], 0])
    await spend(1n)
    expect([await events(), await letters()]).toEqual([[30], 1])
    // A threshold that is new and passed already is told to nobody; the next one is.
    expect((await set({ thresholds_percent: [20, 60] })).status).toBe(200)
    await spend(2_999_999n)
    expect([await events(), await letters()]).toEqual([[30], 1])
    await spend(1n)
    expect([await events(), await letters()]).toEqual([[30, 60], 2])
    // A cap and thresholds of one request count together.
    expect((await set({ cap_credits: 8, thresholds_percent: [75, 76] })).status).toBe(200)
    await lettersEnded()
    expect([await events(), await letters()]).toEqual([[30, 60, 75], 3])
    expect((await set({ thresholds_percent: null })).status).toBe(200)
    await spend(400_000n)
    expect(await events()).toEqual([30, 60, 75, 80])
  })

  test('of a balance that is nearly spent, once until credits were added', async () => {
    const admin = await member('admin', 'en')
    const viewer = await member('viewer', 'en')
    const move = (credits: bigint) =>
      world.app.db.tx((tx) =>
        grant(
          tx,
          { accountId: account, transferId: uuidv7(), microcredits: credits * 1_000_000n, reason: 'test' },
          now(),
        ),
      )
    const look = async () => {
      await run('notices.balance')
      await lettersEnded()
      return mails.to(admin.email).length
    }
    expect(await look()).toBe(0)
    await move(-899n)
    expect(await look()).toBe(0)
    await move(-1n)
    expect(await look()).toBe(1)
    expect(mails.to(admin.email)[0]!.text).toContain('Balance: 100 credits')
    await move(-90n)
    expect(await look()).toBe(1)
    await move(490n)
    expect(await look()).toBe(1)
    await move(-450n)
    expect(await look()).toBe(2)
    expect(mails.to(viewer.email)).toEqual([])
  })

  test('of a new account that has spent most before its balance was seen for the first time, and no mark that stays is locked', async () => {
    const steady = await makePeople(world.kherad, 1_000)
    account = steady.account
    await member('viewer', 'en')
    await run('notices.balance')
    ;({ account } = await makePeople(world.kherad, 1_000))
    const owner = await member('owner', 'en')
    const spend = (microcredits: number) =>
      query(
        `update ledger.meters set balance = balance - $2, spent = spent + $2 where account_id = $1 and scope = 'account'`,
        [account, microcredits],
      )
    await spend(950_000_000)
    await world.app.db.tx(async (tx) => {
      await sql`select from people.balance_marks where account_id = ${steady.account} for update`.execute(tx)
      await run('notices.balance')
    })
    expect((await mails.mailTo(owner.email)).text).toContain('Balance: 50 credits')
    await spend(-950_000_000)
  })

  test('of a key seven days before its end, its maker too; once, and again only when the end is moved', async () => {
    const owner = await member('owner', 'fa')
    const maker = await member('developer', 'en')
    const made = async (name: string, days: number) => {
      const expiresAt = new Date(clock.nowMs() + days * dayMs)
      const key = {
        accountId: account,
        projectId: project,
        name,
        scopes: ['models:read'],
        expiresAt,
      } as const
      const { key_id } = await world.app.db.tx((tx) => createKey(tx, key, now()))
      await query('update auth.keys set person_id = $2, created_at = $3 where key_id = $1', [
        key_id,
        maker.personId,
        now(),
      ])
      return key_id
    }
    const keyId = await made('of production', 8)
    await made('of a day', 1)
    await run('notices.ending-keys')
    clock.moveMs(dayMs - 1)
    await run('notices.ending-keys')
    await lettersEnded()
    expect(mails.to(owner.email)).toEqual([])
    clock.moveMs(1)
    await run('notices.ending-keys')
    await run('notices.ending-keys')
    expect((await mails.mailTo(maker.email)).text).toContain('of production')
    await lettersEnded()
    expect([mails.to(owner.email).length, mails.to(maker.email).length]).toEqual([1, 1])
    await query(`update auth.keys set expires_at = expires_at - interval '1 day' where key_id = $1`, [keyId])
    await run('notices.ending-keys')
    await lettersEnded()
    expect(mails.to(owner.email)).toHaveLength(2)
  })

  test('of a new management key, owners and its maker, once; its maker that it has ended with the role', async () => {
    const at = { account, project }
    const letters = async () => {
      await lettersEnded()
      const rows = await query<{ kind: string; display_name: string }>(
        `select m.kind, p.display_name from people.mails m join people.members using (person_id) join people.people p using (person_id)
          where account_id = $1 and m.kind like 'management%' order by m.kind, display_name`,
        [account],
      )
      return rows.map(({ kind, display_name: name }) => `${kind} to ${name}`)
    }
    await newMember(world, 'owner', { ...at, displayName: 'Owner' })
    await newMember(world, 'admin', { ...at, displayName: 'Other admin' })
    const maker = await newMember(world, 'admin', { ...at, displayName: 'Maker', email: newAddress('maker') })
    const key = {
      name: 'of the shop',
      permissions: ['usage:read'],
      expires_at: new Date(clock.nowMs() + dayMs),
    }
    const headers = { ...ownHeaders(maker), 'idempotency-key': 'once' }
    for (const status of [201, 201])
      expect((await maker.post('/v1/management-keys', key, headers)).status).toBe(status)
    expect(await letters()).toEqual(['management_key_made to Maker', 'management_key_made to Owner'])
    await run('notices.ended-keys')
    expect(await letters()).toHaveLength(2)
    const setting = {
      accountId: account,
      personId: maker.personId,
      role: 'viewer',
      projectIds: null,
    } as const
    await world.app.db.tx((tx) => setMember(tx, setting, now()))
    for (const _ of [1, 2]) await run('notices.ended-keys')
    expect(await letters()).toEqual([
      'management_key_ended to Maker',
      'management_key_made to Maker',
      'management_key_made to Owner',
    ])
  })
})

test('what is over of people is deleted, and nothing before', async () => {
  const { personId } = await world.app.db.tx((tx) =>
    createPerson(tx, { displayName: 'Old', locale: 'en', email: newAddress() }, now()),
  )
  const begun = now()
  const hash = (): Buffer => sha256(randomUUID())
  const [person, invited] = [
    { person_id: personId },
    { account_id: world.account, email: 'x', role: 'viewer' },
  ]
  const session = { ...person, hash: hash(), method: 'code', created_at: begun, last_used_at: begun }
  const factor = { ...person, kind: 'totp', name: 'x', secret_sealed: 'x' }
  const mail = { address: newAddress(), kind: 'x', locale: 'en', data_sealed: 'x', state: 'unsent' }
  const code = { purpose: 'x', browser_hash: hash(), code_hash: hash(), created_at: begun }
  const ceremony = { purpose: 'x', browser_hash: hash(), data: {}, created_at: begun }
  const far = new Date(clock.nowMs() + 999 * dayMs)
  /** The table with its key, the other columns, the column that ages, and the days until the row is deleted. */
  type OldRow = [table: string, key: Record<string, unknown>, more: object, column: string, days: number]
  const rows: OldRow[] = [
    ['attempts', { subject_hash: hash() }, { attempts: 1 }, 'window_ends_at', 0],
    ['challenges', { hash: hash() }, { ...person, method: 'code', created_at: begun }, 'expires_at', 0],
    ['ceremonies', { hash: hash() }, ceremony, 'expires_at', 0],
    ['codes', { email: newAddress() }, code, 'expires_at', 0],
    ['links', { hash: hash() }, { purpose: 'x', created_at: begun }, 'expires_at', 1],
    ['sessions', { session_id: uuidv7() }, session, 'expires_at', 1],
    ['sessions', { session_id: uuidv7() }, { ...session, hash: hash(), expires_at: far }, 'ended_at', 1],
    ['factors', { factor_id: uuidv7() }, factor, 'created_at', 1],
    ['mails', { mail_id: uuidv7() }, mail, 'created_at', 30],
    [
      'invitations',
      { invitation_id: uuidv7() },
      { ...invited, hash: hash(), created_at: begun },
      'expires_at',
      30,
    ],
    ['notices', { once_key: randomUUID() }, { account_id: world.account }, 'created_at', 90],
    ['devices', { hash: hash() }, { ...person, first_used_at: begun }, 'last_used_at', 365],
  ]
  for (const [table, key, more, column, days] of rows) {
    // A second is missing until the row is old enough.
    const row = { ...key, ...more, [column]: new Date(clock.nowMs() - days * dayMs + 1_000) }
    const places = Object.keys(row).map((_, place) => `$${place + 1}`)
    await query(`insert into people.${table} (${Object.keys(row)}) values (${places})`, Object.values(row))
  }
  const left = async () => {
    const found: string[] = []
    for (const [table, key] of rows)
      for (const [name, value] of Object.entries(key))
        if ((await query(`select from people.${table} where ${name} = $1`, [value])).length > 0)
          found.push(table)
    return found
  }
  await run('people.sweep')
  expect(await left()).toEqual(rows.map(([table]) => table))
  clock.moveMs(1_001)
  await run('people.sweep')
  expect(await left()).toEqual([])
})
