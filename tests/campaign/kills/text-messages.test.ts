/** A process that is killed after the gateway took its text messages and before it wrote so: none is paid for twice, and those not begun go out. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { createPerson } from '#account/people'
import { openSite, severalStartsMs } from '../../crash/site.ts'
import { SmsGateway } from '../../harness/sms-gateway.ts'
import { until } from '../../harness/until.ts'

const origin = 'http://localhost:9'
const env = { KHERAD_BASE_URL: origin }
/** As many messages as one process sends at once. */
const atOnce = 4

test('a sender of text messages that is killed between the answer of the gateway and its record leaves none to be sent twice, and none that was not begun unsent', {
  timeout: severalStartsMs,
}, async () => {
  await using gateway = await SmsGateway.start()
  await using site = await openSite({ settings: `${gateway.config()}net: { allow_cidrs: [127.0.0.0/8] }\n` })
  const numbers = Array.from({ length: atOnce + 3 }, (_, at) => `0912000000${at}`)
  await site.db.tx(async (tx) => {
    for (const number of numbers) {
      const person = { displayName: 'Sara', locale: 'en' as const, email: null }
      const { personId } = await createPerson(tx, person, new Date())
      const row = { number: `+98${number.slice(1)}`, person_id: personId, proven_at: new Date() }
      await tx
        .insertInto('people.phones' as never)
        .values(row as never)
        .execute()
    }
  })
  const first = await site.start(undefined, env)
  // What a sender records waits in the database, and is undone with the sender.
  const holder = new pg.Client({ connectionString: site.databaseUrl })
  await holder.connect()
  await holder.query(`create function people.slowly() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(18); return new; end $$`)
  await holder.query(`create trigger slowly before update on people.text_messages for each row
    when (new.state = 'sent') execute function people.slowly()`)
  await holder.query('select pg_advisory_lock(18)')
  for (const phone of numbers) {
    const reply = await fetch(`${first.url}/v1/sign-in/phone`, {
      method: 'POST',
      headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      body: JSON.stringify({ phone }),
    })
    expect(reply.status).toBe(202)
  }
  const waiting = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event = 'advisory' and query like '%people.text_messages%'`
  const held = `select 1 from pg_locks where locktype = 'advisory' and not granted and database =
    (select oid from pg_database where datname = current_database())`
  await until(async () => (await holder.query(held)).rowCount === atOnce)
  expect(gateway.received).toHaveLength(atOnce)
  await first.kill()
  await holder.query(waiting)
  await until(async () => (await holder.query(held)).rowCount === 0)
  await holder.query('select pg_advisory_unlock(18)')
  await holder.end()
  await using _next = await site.successor(undefined, env)
  const states = async (): Promise<string[]> => {
    const rows = await site.db.query<{ state: string }>(
      { text: 'select state from people.text_messages' },
      [],
    )
    return rows.map(({ state }) => state).sort()
  }
  await until(async () => (await states()).every((state) => state === 'sent' || state === 'unknown'))
  expect(await states()).toEqual([
    ...Array(numbers.length - atOnce).fill('sent'),
    ...Array(atOnce).fill('unknown'),
  ])
  const sent = gateway.received.map(({ body }) => JSON.parse(body).to)
  expect(sent.sort()).toEqual(numbers)
})
