/** Codes by SMS that are asked for at two processes at once: the day, and each number, get as many as they may, to the message. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Kherad, startKherad } from '../../../src/server.ts'
import { answeredAcross } from '../../account/people/people.ts'
import { Scene } from '../../account/sign-in/scene.ts'
import type { Seen } from '../../harness/client.ts'
import { SmsGateway } from '../../harness/sms-gateway.ts'
import { until } from '../../harness/until.ts'
import { silent } from '../../harness/world.ts'

const daily = 7
let gateway: SmsGateway
let scene: Scene
let other: Kherad
beforeAll(async () => {
  gateway = await SmsGateway.start()
  const net = 'net: { allow_cidrs: [127.0.0.0/8] }\n'
  scene = await Scene.open({ people: gateway.config(`daily_messages: ${daily}`) + net })
  const config = { ...scene.world.app.config, port: 0, roles: { api: true, worker: false, voice: false } }
  other = await startKherad({ config, clock: scene.clock, log: silent })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await scene[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})

const query = <Row>(text: string, values: unknown[] = []) => scene.world.app.db.query<Row>({ text }, values)

async function withPhone(number: string): Promise<void> {
  const { personId } = await scene.known()
  const text = 'insert into people.phones (number, person_id, proven_at) values ($1, $2, now())'
  await query(text, [`+98${number.slice(1)}`, personId])
}

/** Asks at both processes at once, each time in a browser and a network of its own, and returns the statuses. */
async function askAtOnce(numbers: readonly string[]): Promise<number[]> {
  const replies = await Promise.all(
    numbers.map((phone, at) =>
      scene
        .browser(undefined, at % 2 === 0 ? scene.world : other.server)
        .post('/v1/sign-in/phone', { phone }),
    ),
  )
  await until(async () => (await query(`select from jobs.queue where name = 'phones.send'`)).length === 0)
  return replies.map(({ status }) => status)
}

test('a number that many ask for at once gets one code', async () => {
  scene.clock.moveMs(24 * 60 * 60_000)
  const number = '09120000000'
  await withPhone(number)
  expect(new Set(await askAtOnce(Array(24).fill(number)))).toEqual(new Set([202]))
  expect(await gateway.sentTo(number)).toHaveLength(1)
})

test('a day gives away exactly as many messages as it has, and operators are told once', async () => {
  scene.clock.moveMs(24 * 60 * 60_000)
  const operator = await scene.known()
  await query('update people.people set is_operator = true where person_id = $1', [operator.personId])
  const numbers = Array.from({ length: 40 }, (_, at) => `0935${String(at).padStart(7, '0')}`)
  for (const number of numbers) await withPhone(number)
  gateway.received.length = 0
  const statuses = await askAtOnce(numbers)
  // Who came after the last message was refused aloud, or got none in silence.
  expect(statuses.every((status) => status === 202 || status === 503)).toBe(true)
  expect(gateway.received).toHaveLength(daily)
  const days = await query<{ messages: number }>(
    'select messages from people.text_message_days order by day desc',
  )
  expect(days[0]!.messages).toBe(daily)
  expect(await query(`select from people.mails where kind = 'sms_spent'`)).toHaveLength(1)
})

/** A browser of somebody with a number, which was asked for another one at both processes by the same browser. */
async function changing(number: string) {
  const { email, personId } = await scene.known()
  const text = 'insert into people.phones (number, person_id, proven_at) values ($1, $2, now())'
  await query(text, [`+98915${number.slice(4)}`, personId])
  const here = scene.browser()
  expect((await here.signIn(email)).status).toBe(200)
  expect((await here.post('/v1/me/phone', { phone: number })).status).toBe(202)
  const there = scene.browser(undefined, other.server)
  for (const [name, value] of here.cookies) there.cookies.set(name, value)
  return { here, there, code: await gateway.codeTo(number) }
}

test('a number that is confirmed at one process while another sends a code to it waits for no lock in a circle', async () => {
  scene.clock.moveMs(24 * 60 * 60_000)
  const number = '09190000001'
  const { here, there, code } = await changing(number)
  scene.clock.moveMs(60_000)
  let confirmed: Promise<Seen> | undefined
  const waiting = async (count: number) => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => (await query(text)).length >= count)
  }
  // The code is asked for first, and waits for the count of the day; the confirmation comes meanwhile.
  const asked = await answeredAcross(
    scene.world,
    (tx) => sql`select from people.text_message_days for update`.execute(tx),
    () => here.post('/v1/me/phone', { phone: number }),
    async () => {
      confirmed = there.post('/v1/me/phone/confirm', { phone: number, code })
      await waiting(2)
    },
  )
  expect(asked.status).toBe(202)
  // The new code has taken the place of the one that was given.
  expect((await confirmed!).body.error.code).toBe('WRONG_CODE')
})

test('numbers are asked for and confirmed at two processes at once, and every request is answered', async () => {
  scene.clock.moveMs(24 * 60 * 60_000)
  const people = []
  for (let at = 0; at < 3; at++) people.push(await changing(`0919000001${at}`))
  scene.clock.moveMs(60_000)
  const replies = await Promise.all(
    people.flatMap(({ here, there, code }, at) => {
      const phone = `0919000001${at}`
      return [
        here.post('/v1/me/phone', { phone }),
        there.post('/v1/me/phone/confirm', { phone, code }),
        there.post('/v1/me/phone', { phone }),
      ]
    }),
  )
  for (const { status, text } of replies) expect([200, 202, 400, 503], text).toContain(status)
})
