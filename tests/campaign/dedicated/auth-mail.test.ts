/** Mails to users of dedicated clouds: queued on the platform before the database of the cloud has committed, and sent when it has. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { ask, newAddress, newClient, password } from '../../cloud/users/app.ts'
import { MailServer } from '../../harness/mail-server.ts'
import { until } from '../../harness/until.ts'
import { boot, dedicatedConfig, MovableClock, type TestCloud, type World } from '../../harness/world.ts'

const canRun = await hasJail()
const it = test.runIf(canRun)
const clock = new MovableClock()
let mails: MailServer
let world: World
let cloud: TestCloud
beforeAll(async () => {
  if (!canRun) return
  mails = await MailServer.start()
  const env = { KHERAD_BASE_URL: 'http://api.example.org' }
  world = await boot({ clock, config: dedicatedConfig + mails.config, env })
  cloud = await world.dedicatedCloud()
  await cloud.changeAuth({ anonymous_sign_ins: true })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await mails?.[Symbol.asyncDispose]()
})

const sql = (text: string) =>
  world.app.databases.use({ accountId: world.account, cloudId: cloud.id }, async (open) =>
    open.pool('postgres').query(text),
  )
const waiting = async (name: string) =>
  (await world.app.db.query({ text: 'select from jobs.queue where name = $1' }, [name])).length
/** Of an address, once there is one. */
const linkTo = async (address: string) =>
  /http:\/\/api\.example\.org(\/app-links\/\S+)/.exec((await mails.mailTo(address)).text)![1]!
const press = (link: string) =>
  fetch(`${world.url}${link}`, { method: 'POST', body: new FormData(), redirect: 'manual' })

it('confirmation, recovery, a sign-in by mail and another address work by their links, each once', async () => {
  const [client, email] = [newClient(cloud), newAddress()]
  expect((await client.auth.signUp({ email, password })).data.session).toBeNull()
  expect((await client.auth.signInWithPassword({ email, password })).error?.code).toBe('email_not_confirmed')
  const link = await linkTo(email)
  expect((await press(link)).status).toBe(303)
  expect((await press(link)).status).toBe(404)
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  await client.auth.resetPasswordForEmail(email)
  const received = () => mails.received.filter(({ to }) => to.includes(email))
  await until(() => received().length === 2)
  const code = /کد: (\d{6})/.exec(received().at(-1)!.text)![1]!
  const verified = await client.auth.verifyOtp({ email, token: code, type: 'recovery' })
  expect(verified.data.user?.email).toBe(email)
  const another = newAddress()
  await client.auth.updateUser({ email: another })
  expect((await press(await linkTo(another))).status).toBe(303)
  expect(
    (await ask(cloud, 'POST', '/token?grant_type=password', { body: { email: another, password } })).status,
  ).toBe(200)
})

it('a mail about what the database did not commit is not sent, and its job ends', async () => {
  // Those of other tests have left.
  await until(async () => (await waiting('app-users.mail')) === 0)
  await sql(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not today'; end $$;
    create constraint trigger refuse after insert on auth.users deferrable initially deferred for each row execute function refuse()`)
  const email = newAddress()
  expect((await newClient(cloud).auth.signUp({ email, password })).error).toMatchObject({
    code: 'unexpected_failure',
  })
  expect(await waiting('app-users.mail')).toBe(1)
  clock.moveMs(61_000)
  await until(async () => (await waiting('app-users.mail')) === 0)
  expect(mails.received.some(({ to }) => to.includes(email))).toBe(false)
  await sql('drop function refuse() cascade')
  await newClient(cloud).auth.signUp({ email, password })
  expect((await mails.mailTo(email)).to).toEqual([email])
})

it('what has expired is deleted while the database is awake anyway: tokens, sign-ups that nobody confirmed, users whom nobody can be', async () => {
  const signUps = [newAddress(), newAddress()]
  for (const email of signUps) await newClient(cloud).auth.signUp({ email, password })
  const anonymous = newClient(cloud)
  const { data } = await anonymous.auth.signInAnonymously()
  await anonymous.auth.signOut()
  // A row of the app refers to one of them: that one stays, the others go.
  await sql(`create table kept (who uuid references auth.users);
    insert into kept select id from auth.users where email = '${signUps[0]}'`)
  const ids = async () => (await sql(`select id from auth.users`)).rows.map(({ id }) => id as string)
  expect(await ids()).toContain(data.user!.id)
  clock.moveMs(31 * 24 * 60 * 60 * 1000)
  await newClient(cloud).auth.signUp({ email: 'late@example.com', password })
  await until(async () => !(await ids()).includes(data.user!.id))
  const { rows } = await sql('select email from auth.users where email_confirmed_at is null order by email')
  expect(rows).toEqual([{ email: 'late@example.com' }, { email: signUps[0] }])
  // The platform counts once the database has committed.
  const used = async () => (await cloud.client.get(`/v1/cloud/${cloud.id}/auth`)).body.users.used
  await until(async () => (await used()) === (await ids()).length)
})
