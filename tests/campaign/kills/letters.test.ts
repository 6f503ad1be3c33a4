/** A process that is killed after the mail server took its letters and before it wrote so: none is lost, and each comes at most once more. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { createPerson } from '#account/people'
import { openSite, severalStartsMs } from '../../crash/site.ts'
import { MailServer } from '../../harness/mail-server.ts'
import { until } from '../../harness/until.ts'

const origin = 'http://localhost:9'
const env = { KHERAD_BASE_URL: origin }
/** As many letters as one process sends at once. */
const atOnce = 4

test('a sender of letters that is killed between the answer of the mail server and its record sends none in vain, and its successor each once more at most', {
  timeout: severalStartsMs,
}, async () => {
  await using mails = await MailServer.start()
  await using site = await openSite({ settings: mails.config })
  const emails = Array.from({ length: atOnce + 3 }, (_, at) => `person-${at}@example.org`)
  await site.db.tx(async (tx) => {
    for (const email of emails)
      await createPerson(tx, { displayName: 'Sara', locale: 'en', email }, new Date())
  })
  const first = await site.start(undefined, env)
  // What a sender records waits in the database, and is undone with the sender.
  const holder = new pg.Client({ connectionString: site.databaseUrl })
  await holder.connect()
  await holder.query(`create function people.slowly() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(18); return new; end $$`)
  await holder.query(
    'create trigger slowly before update on people.mails for each row execute function people.slowly()',
  )
  await holder.query('select pg_advisory_lock(18)')
  const cookies = new Map<string, string>()
  const post = (url: string, email: string, path: string, body: object) =>
    fetch(`${url}/v1/sign-in/code${path}`, {
      method: 'POST',
      headers: {
        ...{ origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        cookie: cookies.get(email) ?? '',
      },
      body: JSON.stringify({ email, ...body }),
    })
  for (const email of emails) {
    const reply = await post(first.url, email, '', {})
    expect(reply.status).toBe(202)
    cookies.set(email, reply.headers.getSetCookie()[0]!.split(';')[0]!)
  }
  const waiting = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event = 'advisory' and query like '%people.mails%'`
  const held = `select 1 from pg_locks where locktype = 'advisory' and not granted and database =
    (select oid from pg_database where datname = current_database())`
  await until(async () => (await holder.query(held)).rowCount === atOnce)
  expect(mails.received).toHaveLength(atOnce)
  await first.kill()
  await holder.query(waiting)
  await until(async () => (await holder.query(held)).rowCount === 0)
  await holder.query('select pg_advisory_unlock(18)')
  await holder.end()
  const sentBefore = new Set(mails.received.flatMap(({ to }) => to))
  const next = await site.successor(undefined, env)
  await until(
    async () =>
      (await site.db.query({ text: `select 1 from people.mails where state <> 'sent'` }, [])).length === 0,
  )
  for (const email of emails) {
    const copies = mails.to(email)
    expect(copies.length, email).toBe(sentBefore.has(email) ? 2 : 1)
    expect(new Set(copies.map(({ headers }) => headers.get('message-id'))).size, email).toBe(1)
    const code = /\b\d{6}\b/.exec(copies[0]!.text)![0]
    expect(
      copies.every(({ text }) => text.includes(code)),
      'the copies say the same',
    ).toBe(true)
    expect((await post(next.url, email, '/confirm', { code })).status, email).toBe(200)
  }
})
