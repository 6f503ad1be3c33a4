/** Sign-in with a code by SMS, and the own number: sent at most once, bounded to the message, alike for known and unknown numbers. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deletion } from '#account/deletion'
import type { Person } from '#account/people'
import { phoneOf, queueCode } from '#account/phones'
import type { Seen } from '../../harness/client.ts'
import { SmsGateway } from '../../harness/sms-gateway.ts'
import { until } from '../../harness/until.ts'
import { newEmail, password, Scene, type Visitor } from './scene.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const max = 20
let gateway: SmsGateway
let scene: Scene
beforeAll(async () => {
  gateway = await SmsGateway.start()
  const net = 'net: { allow_cidrs: [127.0.0.0/8] }\n'
  scene = await Scene.open({ people: gateway.config(`daily_messages: ${max}`) + net })
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})
// Each test has a day of its own, and no counts of the others.
beforeEach(() => scene.clock.moveMs(24 * hourMs))

let numbers = 0
/** A number in its national form, which nobody has. */
const newNumber = (): string => `0912${String(++numbers).padStart(7, '0')}`
const e164 = (number: string): string => `+98${number.slice(1)}`
const refusal = (seen: Seen): string => seen.body.error.code
const shown = ({ status, headers, text }: Seen) => ({ status, headers: [...headers.keys()].sort(), text })
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const query = <Row>(text: string, values: unknown[] = []) => scene.world.app.db.query<Row>({ text }, values)

const request = (browser: Visitor, phone: string): Promise<Seen> =>
  browser.post('/v1/sign-in/phone', { phone })
const confirm = (browser: Visitor, phone: string, code: string): Promise<Seen> =>
  browser.post('/v1/sign-in/phone/confirm', { phone, code })
const sentTo = (number: string): number => gateway.received.filter(({ body }) => body.includes(number)).length
const ended = () =>
  until(async () => (await query(`select from jobs.queue where name = 'phones.send'`)).length === 0)

/** A person with a proven number. */
async function withPhone(number = newNumber()): Promise<Person & { email: string; phone: string }> {
  const person = await scene.known()
  await query('insert into people.phones (number, person_id, proven_at) values ($1, $2, $3)', [
    ...[e164(number), person.personId, new Date(scene.clock.nowMs())],
  ])
  return { ...person, phone: number }
}

/** A browser in which the person has signed in by password, and is stepped up. */
async function signedIn(email: string): Promise<Visitor> {
  const browser = scene.browser()
  expect((await browser.signIn(email)).status).toBe(200)
  return browser
}

describe('a code by SMS', () => {
  test('signs in once, in the browser that asked for it, however number and code are typed', async () => {
    const sara = await withPhone()
    const browser = scene.browser()
    expect((await request(browser, `+98 ${sara.phone}`)).body).toEqual({ status: 'accepted', minutes: 5 })
    const code = await gateway.codeTo(sara.phone)
    expect(refusal(await confirm(scene.browser(), sara.phone, code))).toBe('WRONG_CODE')
    const persian = (text: string): string => text.replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)]!)
    const spaced = `\u2066${persian(sara.phone).slice(0, 4)} ${persian(sara.phone).slice(4)}\u2069`
    const reply = await confirm(browser, spaced, ` ${persian(code)}\u200f`)
    expect(reply.body).toMatchObject({ status: 'signed_in', person: { id: sara.personId } })
    expect(refusal(await confirm(browser, sara.phone, code))).toBe('WRONG_CODE')
    expect((await browser.get('/v1/me/sessions')).body.data[0].method).toBe('sms')
  })

  test('steps nobody up: what changes access needs another factor', async () => {
    const sara = await withPhone()
    const browser = scene.browser()
    await request(browser, sara.phone)
    expect((await confirm(browser, sara.phone, await gateway.codeTo(sara.phone))).status).toBe(200)
    expect((await browser.get('/v1/me')).body).toMatchObject({
      phone: e164(sara.phone),
      session: { stepped_up_until: null },
    })
    for (const [path, body] of [
      ['/v1/me/email', { email: newEmail() }],
      ['/v1/me/phone', { phone: newNumber() }],
      ['/v1/me/factors/totp', { name: 'x' }],
    ] as const)
      expect(refusal(await browser.post(path, body)), path).toBe('STEP_UP_REQUIRED')
  })

  test('is followed by the second factor, and is none itself', async () => {
    const sara = await withPhone()
    await scene.addTotp(sara)
    const browser = scene.browser()
    await request(browser, sara.phone)
    const reply = await confirm(browser, sara.phone, await gateway.codeTo(sara.phone))
    expect(reply.body).toMatchObject({ status: 'second_factor', factors: ['totp', 'recovery_code'] })
    expect(browser.session).toBeUndefined()
    scene.clock.moveMs(minuteMs)
    await request(browser, sara.phone)
    const code = await gateway.codeTo(sara.phone, 2)
    expect(refusal(await browser.post('/v1/sign-in/second-factor', { code }))).toBe('WRONG_CODE')
  })

  test('allows five tries and five minutes', async () => {
    const sara = await withPhone()
    const browser = scene.browser()
    await request(browser, sara.phone)
    const code = await gateway.codeTo(sara.phone)
    for (let tries = 0; tries < 5; tries++)
      expect((await confirm(browser, sara.phone, wrong(code))).status).toBe(401)
    expect(refusal(await confirm(browser, sara.phone, code))).toBe('WRONG_CODE')
    scene.clock.moveMs(minuteMs)
    await request(browser, sara.phone)
    const next = await gateway.codeTo(sara.phone, 2)
    scene.clock.moveMs(5 * minuteMs)
    expect(refusal(await confirm(browser, sara.phone, next))).toBe('WRONG_CODE')
  })

  test('is asked for and given alike at a number that nobody has, to which nothing is sent', async () => {
    const sara = await withPhone()
    const stranger = newNumber()
    const [one, two] = [scene.browser(), scene.browser()]
    expect(shown(await request(two, stranger))).toEqual(shown(await request(one, sara.phone)))
    await gateway.codeTo(sara.phone)
    const [known, unknown] = [await confirm(one, sara.phone, 'x'), await confirm(two, stranger, 'x')]
    expect(refusal(known)).toBe('WRONG_CODE')
    expect({ ...unknown.body.error, request_id: '' }).toEqual({ ...known.body.error, request_id: '' })
    // Asking again too soon is refused alike, too.
    expect(refusal(await request(two, stranger))).toBe('TOO_MANY_ATTEMPTS')
    expect(refusal(await request(one, sara.phone))).toBe('TOO_MANY_ATTEMPTS')
    expect(sentTo(stranger)).toBe(0)
    expect(await scene.count('select from people.text_messages where number = $1', [e164(stranger)])).toBe(0)
  })

  test('goes to no number that is none, or that the configuration does not permit', async () => {
    for (const phone of ['02112345678', 'sara@example.org', '٫', '1'.repeat(100), '+98912'])
      expect((await request(scene.browser(), phone)).body.error).toMatchObject({
        code: 'PHONE_INVALID',
        param: 'phone',
      })
    expect((await request(scene.browser(), '+4915123456789')).body.error.message).toContain('country')
    expect((await request(scene.browser(), '')).status).toBe(400)
  })
})

describe('the bounds', () => {
  test('are a minute between two codes of a network to a number, to the millisecond', async () => {
    const sara = await withPhone()
    const browser = scene.browser()
    expect((await request(browser, sara.phone)).status).toBe(202)
    scene.clock.moveMs(minuteMs - 1)
    const refused = await request(browser, sara.phone)
    expect(refusal(refused)).toBe('TOO_MANY_ATTEMPTS')
    expect(refused.headers.get('retry-after')).toBe('1')
    // Another network is answered as always, and gets nothing sent.
    expect((await request(scene.browser(), sara.phone)).status).toBe(202)
    await ended()
    expect(sentTo(sara.phone)).toBe(1)
    scene.clock.moveMs(1)
    expect((await request(browser, sara.phone)).status).toBe(202)
    await gateway.codeTo(sara.phone, 2)
  })

  test('are five codes an hour to a number, two of which are kept for browsers of its person', async () => {
    const sara = await withPhone()
    const own = await signedIn(sara.email)
    const startedMs = scene.clock.nowMs()
    for (let times = 0; times < 5; times++) {
      expect((await request(scene.browser(), sara.phone)).status).toBe(202)
      scene.clock.moveMs(minuteMs)
    }
    await ended()
    expect(sentTo(sara.phone)).toBe(3)
    for (let times = 0; times < 3; times++) {
      expect((await request(own, sara.phone)).status).toBe(202)
      scene.clock.moveMs(minuteMs)
    }
    await ended()
    expect(sentTo(sara.phone)).toBe(5)
    // A code of the hour goes on once the first one is an hour old.
    scene.clock.moveMs(startedMs + hourMs - scene.clock.nowMs() - 1)
    await request(own, sara.phone)
    await ended()
    expect(sentTo(sara.phone)).toBe(5)
    scene.clock.moveMs(minuteMs)
    await request(own, sara.phone)
    await ended()
    expect(sentTo(sara.phone)).toBe(6)
  })

  test('are twenty requests an hour of a network, whatever numbers it names', async () => {
    const network = '10.200.0.7'
    for (let times = 0; times < 20; times++)
      expect((await request(scene.browser(network), newNumber())).status).toBe(202)
    expect(refusal(await request(scene.browser(network), newNumber()))).toBe('TOO_MANY_ATTEMPTS')
    expect((await request(scene.browser(), newNumber())).status).toBe(202)
    scene.clock.moveMs(hourMs)
    expect((await request(scene.browser(network), newNumber())).status).toBe(202)
  })

  test('are the messages of a day: new numbers get half of them, operators hear of the last, and then everybody is refused alike', async () => {
    const operator = await scene.known()
    await query('update people.people set is_operator = true where person_id = $1', [operator.personId])
    const { app } = scene.world
    const now = () => new Date(scene.clock.nowMs())
    const send = async (isNewNumber: boolean): Promise<string> =>
      app.db.tx((tx) => {
        const expiresAt = new Date(scene.clock.nowMs() + minuteMs)
        const message = {
          number: e164(newNumber()),
          personId: operator.personId,
          code: '000000',
          expiresAt,
          isNewNumber,
        }
        return queueCode(app, tx, message, now())
      })
    for (let sent = 0; sent < max / 2; sent++) expect(await send(true)).toBe('queued')
    expect(await send(true)).toBe('limited')
    const browser = await signedIn(operator.email)
    expect(refusal(await browser.post('/v1/me/phone', { phone: newNumber() }))).toBe('SMS_UNAVAILABLE')
    for (let sent = 0; sent < max / 2 - 1; sent++) expect(await send(false)).toBe('queued')
    const sara = await withPhone()
    expect((await request(scene.browser(), sara.phone)).status).toBe(202)
    await gateway.codeTo(sara.phone)
    const spent = async () => (await query(`select from people.mails where kind = 'sms_spent'`)).length
    expect(await spent()).toBe(1)
    for (const phone of [sara.phone, newNumber()])
      expect(refusal(await request(scene.browser(), phone))).toBe('SMS_UNAVAILABLE')
    expect(await send(false)).toBe('limited')
    await ended()
    expect(await spent()).toBe(1)
    // The next day begins anew.
    scene.clock.moveMs(24 * hourMs)
    expect((await request(scene.browser(), sara.phone)).status).toBe(202)
    await gateway.codeTo(sara.phone, 2)
    await query('update people.people set is_operator = false where person_id = $1', [operator.personId])
  })
})

describe('the own number', () => {
  const ask = (browser: Visitor, phone: string): Promise<Seen> => browser.post('/v1/me/phone', { phone })
  const give = (browser: Visitor, phone: string, code: string): Promise<Seen> =>
    browser.post('/v1/me/phone/confirm', { phone, code })
  const phone = ({ personId }: Person): Promise<string | null> => phoneOf(scene.world.app.db, personId)
  const noticesTo = async (number: string): Promise<unknown[]> => {
    await ended()
    return (await gateway.sentTo(number, 0)).filter(({ text }) => text === 'changed')
  }

  test('counts once its code is given; the number before and the address hear of a change and of the end', async () => {
    const sara = await scene.known()
    const browser = await signedIn(sara.email)
    const [first, second] = [newNumber(), newNumber()]
    expect((await ask(browser, first)).body).toEqual({ status: 'accepted', minutes: 5 })
    const code = await gateway.codeTo(first)
    expect(await phone(sara)).toBeNull()
    expect(refusal(await give(browser, first, wrong(code)))).toBe('WRONG_CODE')
    expect(refusal(await give(browser, second, code))).toBe('WRONG_CODE')
    expect((await give(browser, first, code)).body).toEqual({ phone: e164(first) })
    await scene.mails.mailTo(sara.email)
    expect((await ask(browser, second)).status).toBe(202)
    expect((await give(browser, second, await gateway.codeTo(second))).body).toEqual({ phone: e164(second) })
    expect(await noticesTo(first)).toHaveLength(1)
    await scene.mails.mailTo(sara.email, 2)
    // The number before signs nobody in.
    const other = scene.browser()
    await request(other, first)
    await ended()
    expect(sentTo(first)).toBe(2)
    expect((await browser.request('DELETE', '/v1/me/phone')).body).toEqual({ phone: null })
    expect(await noticesTo(second)).toHaveLength(1)
    expect(scene.mails.to(sara.email).at(-1)!.text).not.toContain(second)
    await scene.mails.mailTo(sara.email, 3)
    expect((await browser.request('DELETE', '/v1/me/phone')).status).toBe(404)
    const rows = await query<{ operation: string }>(
      `select operation from audit.entries where target_id = $1 and operation like 'me.%Phone'`,
      [sara.personId],
    )
    expect(rows.map(({ operation }) => operation).sort()).toEqual([
      ...['me.confirmPhone', 'me.confirmPhone', 'me.removePhone', 'me.requestPhone', 'me.requestPhone'],
    ])
  })

  test('that another person has proven comes to whoever proves it now, is asked for alike, and the other person hears of it', async () => {
    const former = await withPhone()
    const sara = await scene.known()
    const [stranger, browser] = [scene.browser(), await signedIn(sara.email)]
    await request(stranger, former.phone)
    const old = await gateway.codeTo(former.phone)
    scene.clock.moveMs(minuteMs)
    expect(shown(await ask(browser, former.phone))).toEqual(shown(await ask(browser, newNumber())))
    const code = await gateway.codeTo(former.phone, 2)
    expect((await give(browser, former.phone, code)).status).toBe(200)
    expect([await phone(former), await phone(sara)]).toEqual([null, e164(former.phone)])
    expect(refusal(await confirm(stranger, former.phone, old))).toBe('WRONG_CODE')
    await scene.mails.mailTo(former.email)
    expect(await noticesTo(former.phone)).toHaveLength(0)
  })

  test('has one owner where two prove it at once', async () => {
    const number = newNumber()
    const people = [await scene.known(), await scene.known()]
    const browsers = await Promise.all(people.map(({ email }) => signedIn(email)))
    const codes: string[] = []
    for (const [at, browser] of browsers.entries()) {
      await ask(browser, number)
      codes.push(await gateway.codeTo(number, at + 1))
      scene.clock.moveMs(minuteMs)
    }
    const replies = await Promise.all(browsers.map((browser, at) => give(browser, number, codes[at]!)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    const owners = await Promise.all(people.map(phone))
    expect(owners.filter((one) => one !== null)).toEqual([e164(number)])
  })

  test('is asked for ten times a day by a person, and five times an hour', async () => {
    const sara = await scene.known()
    const browser = await signedIn(sara.email)
    for (let times = 0; times < 5; times++) expect((await ask(browser, newNumber())).status).toBe(202)
    expect(refusal(await ask(browser, newNumber()))).toBe('TOO_MANY_ATTEMPTS')
    scene.clock.moveMs(hourMs)
    await browser.post('/v1/step-up/password', { password })
    // The refused request was counted too.
    for (let times = 0; times < 4; times++) expect((await ask(browser, newNumber())).status).toBe(202)
    expect(refusal(await ask(browser, newNumber()))).toBe('TOO_MANY_ATTEMPTS')
  })

  test('goes with what was set since a change of address that is undone, and with the person', async () => {
    const sara = await scene.known()
    const browser = await signedIn(sara.email)
    const next = newEmail()
    await browser.post('/v1/me/email', { email: next })
    await browser.post('/v1/me/email/confirm', { email: next, code: await scene.codeTo(next) })
    const number = newNumber()
    await ask(browser, number)
    await give(browser, number, await gateway.codeTo(number))
    const token = await scene.tokenTo(sara.email)
    expect((await scene.browser().post('/v1/links/redeem', { token })).status).toBe(200)
    expect(await phone(sara)).toBeNull()
    const nima = await withPhone()
    const leaving = await signedIn(nima.email)
    const asked = await leaving.request('DELETE', '/v1/me', JSON.stringify({ confirm: 'سارا' }))
    expect(asked.status, asked.text).toBe(200)
    // Until then it can be taken back, with the number.
    expect(await phone(nima)).toBe(e164(nima.phone))
    scene.clock.moveMs(Date.parse(asked.body.deletion.due_at) - scene.clock.nowMs())
    const stop = new AbortController().signal
    const sweep = deletion.jobs.find(({ name }) => name === 'deletion.sweep')!
    await sweep.handle({ app: scene.world.app, signal: stop, stopping: stop } as never)
    expect(await phone(nima)).toBeNull()
    expect(refusal(await confirm(scene.browser(), nima.phone, '000000'))).toBe('WRONG_CODE')
  })
})

describe('a message', () => {
  test('is asked for once, whatever the gateway answers, and loses its code at the end', async () => {
    const sara = await withPhone()
    const ways = { refused: 400, unknown: 503, sent: 200 } as const
    for (const [state, status] of Object.entries(ways)) {
      gateway.answers.push((response) => response.writeHead(status).end('{"status":1}'))
      await request(await signedIn(sara.email), sara.phone)
      await ended()
      const [row] = await query<{ state: string; code_sealed: string | null }>(
        'select state, code_sealed from people.text_messages where number = $1 order by created_at desc limit 1',
        [e164(sara.phone)],
      )
      expect(row).toEqual({ state, code_sealed: null })
      scene.clock.moveMs(minuteMs)
    }
    expect(sentTo(sara.phone)).toBe(3)
  })

  test('that a process had begun when it died is not sent again', async () => {
    const sara = await withPhone()
    const { app } = scene.world
    const now = new Date(scene.clock.nowMs())
    const expiresAt = new Date(now.getTime() + minuteMs)
    await app.db.tx(async (tx) => {
      await queueCode(
        app,
        tx,
        { number: e164(sara.phone), personId: sara.personId, code: '000000', expiresAt },
        now,
      )
      await tx
        .updateTable('people.text_messages' as never)
        .set({ state: 'begun' } as never)
        .execute()
    })
    await ended()
    expect(sentTo(sara.phone)).toBe(0)
    const [row] = await query<{ state: string }>('select state from people.text_messages where number = $1', [
      e164(sara.phone),
    ])
    expect(row!.state).toBe('unknown')
  })
})
