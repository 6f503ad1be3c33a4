/** A process that is killed while the database of a cloud commits a sign-up: whatever it committed, its mail is sent. */
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givePackage } from '#cloud/clouds'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { openSite, type Site, severalStartsMs } from '../../crash/site.ts'
import { MailServer } from '../../harness/mail-server.ts'
import { startMs, until } from '../../harness/until.ts'
import { dedicatedConfig } from '../../harness/world.ts'

const canRun = await hasJail()
let site: Site
let mails: MailServer
beforeAll(async () => {
  if (!canRun) return
  mails = await MailServer.start()
  site = await openSite({ settings: dedicatedConfig + mails.config })
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await mails?.[Symbol.asyncDispose]()
})

/** Commits of sign-ups wait in the database of the cloud, until they go on; `goOn` resolves when the first has committed. */
async function heldCommits(root: string, ref: string): Promise<{ goOn(): Promise<void> }> {
  const socket = path.join(root, ref, 's')
  const client = new pg.Client({ host: socket, port: 5432, user: 'postgres', database: 'postgres' })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select pg_advisory_lock(18)')
  return {
    async goOn() {
      await client.query('select pg_advisory_unlock(18)')
      await until(async () => (await client.query('select from auth.users')).rowCount === 1)
      await client.end()
    },
  }
}

test.runIf(canRun)(
  'killed between its queueing and the commit that it is about, a mail is sent once, after the commit',
  { timeout: severalStartsMs },
  async () => {
    const person = await site.person()
    await site.start()
    const clock = { nowMs: () => Date.now() }
    const given = { accountId: person.account, packageId: undefined, offer: 'small', paidUntil: null }
    await givePackage({ db: site.db, clock } as never, given)
    const client = () => site.client(site.newest, person)
    const { id, ref } = (await client().post('/v1/cloud', { name: 'killed', plan: 'dedicated' })).body
    await until(async () => (await client().get(`/v1/cloud/${id}`)).body.status === 'ready', startMs)
    const { public_key: key } = (await client().get(`/v1/cloud/${id}/connection`)).body
    const query = `create function slowly() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(18); return new; end $$;
    create constraint trigger slowly after insert on auth.users deferrable initially deferred for each row execute function slowly();`
    const written = await client().post(`/v1/cloud/${id}/database`, {
      query,
      read_only: false,
      confirm_write: true,
    })
    expect(written.status, written.text).toBe(200)
    const auth = (path: string, body: object) =>
      fetch(`${site.newest.appsUrl}/_cloud/${ref}/auth/v1${path}`, {
        method: 'POST',
        headers: { apikey: key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const commits = await heldCommits(path.join(site.dataDir, 'databases'), ref)
    const account = { email: 'killed@example.com', password: 'a-long-password' }
    const call = expect(auth('/signup', account)).rejects.toThrow()
    await until(
      async () =>
        (await site.db.query({ text: `select from jobs.queue where name = 'app-users.mail'` }, [])).length ===
        1,
    )
    // Stopped, it learns nothing of the commit, and is there for the database, which ends what a client that is gone has begun.
    site.newest.child.kill('SIGSTOP')
    await commits.goOn()
    await site.newest.kill()
    await call
    expect(mails.received).toEqual([])
    await site.successor()
    const mail = await mails.mailTo(account.email)
    const code = /کد: (\d{6})/.exec(mail.text)![1]!
    const reply = await auth('/verify', { type: 'signup', email: account.email, token: code })
    expect(reply.status).toBe(200)
    await until(
      async () =>
        (await site.db.query({ text: `select from jobs.queue where name = 'app-users.mail'` }, [])).length ===
        0,
    )
    expect(mails.received).toHaveLength(1)
  },
)
