/** Mail servers as operators have them: with TLS and a login, away, hanging, refusing; and what is known of it here. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { type Letter, MailDeferred, type Mailer, MailRefused, openMailer } from '#platform/mail'
import { openMetrics } from '#platform/metrics'
import { openOutbound } from '#platform/proxy'
import { loadConfig } from '#settings'
import { checkMail } from '../../../cli/doctor/mail.ts'
import { makeSeries } from '../../../src/metrics.ts'
import { selfSigned } from '../../harness/certificate.ts'
import { MailServer, type MailServerOptions } from '../../harness/mail-server.ts'
import { until } from '../../harness/until.ts'
import { boot, MovableClock } from '../../harness/world.ts'
import { temporaryFolder } from '../../platform/db/cluster-world.ts'
import { ask, newAddress } from './app.ts'

const certified = selfSigned('localhost')
const login = { user: 'kherad', password: 'secret-of-the-mail-server' }
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let root: string
beforeAll(async () => {
  folder = await temporaryFolder('mail-')
  root = path.join(folder.path, 'root.pem')
  await writeFile(root, certified.cert)
})
afterAll(() => folder[Symbol.asyncDispose]())

const trusting = (server: MailServer): string => `${server.config}  tls: { ca_file: ${root} }\n`

interface Sending extends AsyncDisposable {
  server: MailServer
  mailer: Mailer
  logged: string[]
  metrics: ReturnType<typeof openMetrics>
}

/** A mailer beside its server. */
async function sending(options: MailServerOptions = {}, isTrusted = true): Promise<Sending> {
  const server = await MailServer.start(options)
  const config = loadConfig(readEnv({}), options.tls && isTrusted ? trusting(server) : server.config)
  const logged: string[] = []
  const quiet = () => undefined
  const warn = (fields: unknown, text?: string): void => void logged.push(`${JSON.stringify(fields)} ${text}`)
  const log = { trace: quiet, debug: quiet, info: quiet, warn, error: warn, fatal: warn }
  const metrics = openMetrics(makeSeries)
  const mailer = openMailer({ config: config.mail!, outbound: openOutbound(config), log, metrics })
  return { server, mailer, logged, metrics, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const letter = (to: string): Letter => ({ to, subject: 'نامه', text: 'متن', html: '<p>متن</p>', id: 'one' })
const never = new AbortController().signal
const send = ({ mailer }: Sending, to = newAddress()) =>
  mailer.send(letter(to), never).catch((error: unknown) => error)

test.each(['start', 'starttls'] as const)(
  'with TLS from %s a mail arrives, and the password never leaves in plain text',
  async (from) => {
    await using all = await sending({ tls: { ...certified, from }, login })
    expect(await send(all, 'mina@example.com')).toBeUndefined()
    expect(all.server.to('mina@example.com')).toHaveLength(1)
    expect(all.server.readable).toEqual([])
    expect(await all.metrics.text()).toContain('kherad_mails_total{result="sent"} 1')
    expect(all.logged).toEqual([])
  },
)

test.each(['start', 'starttls'] as const)(
  'to a server whose certificate nobody vouches for neither mail nor password is sent, with TLS from %s',
  async (from) => {
    await using all = await sending({ tls: { ...certified, from }, login }, false)
    const failure = (await send(all)) as MailDeferred
    expect(failure).toBeInstanceOf(MailDeferred)
    expect(failure.why.en).toMatch(/certificate .* not trusted \(.*SELF_SIGNED.*\): .*mail\.tls\.ca_file/)
    expect(failure.why.fa).toContain('mail.tls.ca_file')
    expect([all.server.received, all.server.readable]).toEqual([[], []])
  },
)

test('a password that has expired is reported in one sentence, without it, once for all mails that wait', async () => {
  await using all = await sending({ tls: { ...certified, from: 'start' }, login: { ...login } })
  all.server.options.login!.password = 'another-one'
  for (let mails = 0; mails < 3; mails++) expect(await send(all)).toBeInstanceOf(MailDeferred)
  expect(all.logged).toEqual([
    expect.stringMatching(
      /^\{\} a mail was not taken and is sent again: .*refuses the login \(535 5\.7\.8 Error: authentication failed\): correct mail\.user and mail\.password$/,
    ),
  ])
  expect(await all.metrics.text()).toContain('kherad_mails_total{result="deferred"} 3')
})

test('the doctor logs in without sending anything, and says why mails would not leave', async () => {
  await using server = await MailServer.start({
    tls: { ...certified, from: 'starttls' },
    login: { ...login },
  })
  const config = loadConfig(readEnv({ KHERAD_BASE_URL: 'https://kherad.example.org' }), trusting(server))
  const look = async () => (await checkMail(config, openOutbound(config)))[0]!
  expect(await look()).toMatchObject({ name: 'mail', state: 'ok' })
  const [unnamed] = await checkMail({ ...config, baseUrlNamed: false }, openOutbound(config))
  expect(unnamed!.state).toBe('warning')
  expect(unnamed!.message.en).toMatch(/mails to people .* do not leave: set KHERAD_BASE_URL/)
  server.options.login!.password = 'another-one'
  const { state, message } = await look()
  expect(state).toBe('broken')
  expect(message.en).toMatch(
    /^No mail leaves: .*refuses the login \(535 .*correct mail\.user and mail\.password\.$/,
  )
  expect(message.fa).toMatch(/mail\.user و mail\.password را درست کنید\.$/)
  const back = await server.leave()
  expect((await look()).message.en).toMatch(/cannot be used \(ECONNREFUSED\)/)
  await back()
  expect([server.received, server.readable]).toEqual([[], []])
  expect(await checkMail({ ...config, mail: undefined }, openOutbound(config))).toEqual([])
})

test('an address that is refused for good is told from one that is refused for now, and neither is logged', async () => {
  await using all = await sending({ refuses: (address) => address === 'gone@example.com' })
  expect(await send(all, 'gone@example.com')).toBeInstanceOf(MailRefused)
  all.server.failures.push('450 4.2.1 <Busy@example.com> is busy', '554 5.7.1 the text is refused')
  const busy = (await send(all, 'busy@example.com')) as MailDeferred
  expect(busy).toBeInstanceOf(MailDeferred)
  expect(busy.why.en).toMatch(/answered: 450 4\.2\.1 <…> is busy$/)
  expect(await send(all)).toBeInstanceOf(MailRefused)
  expect(all.logged.join()).not.toMatch(/example\.com/i)
})

test.each([
  ['a greeting of a megabyte', `220-${'x'.repeat(1024 * 1024)}`],
  ['a greeting of a megabyte in short lines', `220-${'x'.repeat(60)}\r\n`.repeat(16_000)],
  ['a refusal of half a megabyte', `554 ${'x'.repeat(512 * 1024)}`],
  ['an answer that is none', 'HTTP/1.1 400 Bad Request'],
])('%s delays mails, and its report stays short', async (_what, greeting) => {
  await using all = await sending()
  all.server.greeting = greeting
  const failure = (await send(all)) as MailDeferred
  expect(failure).toBeInstanceOf(MailDeferred)
  expect(failure.why.en.length).toBeLessThan(400)
  all.server.greeting = '220 test'
  expect(await send(all)).toBeUndefined()
})

test('while a server is away or refuses the login apps go on, and each mail arrives once it is back; after a day it is given up', async () => {
  await using server = await MailServer.start({ tls: { ...certified, from: 'start' }, login: { ...login } })
  const clock = new MovableClock()
  await using world = await boot({ clock, config: trusting(server) })
  const cloud = await world.cloud()
  const metric = async (result: string): Promise<number> =>
    Number(
      new RegExp(`kherad_mails_total\\{result="${result}"\\} (\\d+)`).exec(
        await world.app.metrics.text(),
      )?.[1] ?? 0,
    )
  const waiting = () =>
    world.app.db.query<{ failures: number; parked: boolean }>(
      {
        text: `select failures, parked_at is not null as parked from jobs.queue where name = 'app-users.mail'`,
      },
      [],
    )
  const signUp = async (email: string): Promise<void> => {
    const { status } = await ask(cloud, 'POST', '/signup', { body: { email, password: 'a-long-password' } })
    expect(status).toBe(200)
  }
  const tried = async (times: number): Promise<void> => {
    const before = await metric('deferred')
    await until(async () => (await metric('deferred')) >= before + times)
  }
  const [first, second, third] = [newAddress(), newAddress(), newAddress()]
  server.options.login!.password = 'another-one'
  await signUp(first)
  // Jobs that fail are parked after some minutes: waiting for a mail server is none.
  await tried(2)
  expect(await waiting()).toEqual([{ failures: 0, parked: false }])
  server.options.login!.password = login.password
  await server.mailTo(first)
  const back = await server.leave()
  await signUp(second)
  await tried(1)
  expect(await waiting()).toEqual([{ failures: 0, parked: false }])
  await back()
  await server.mailTo(second)
  await server.leave()
  await signUp(third)
  await tried(1)
  clock.moveMs(24 * 60 * 60 * 1_000 + 1)
  await until(async () => (await metric('expired')) === 1)
  await until(async () => (await waiting()).length === 0)
  expect([await metric('sent'), await metric('refused')]).toEqual([2, 0])
})
