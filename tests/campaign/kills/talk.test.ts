/** Answers in Talk, under kill -9 and at a stop: each message ends with the text that was flushed, and the ledger agrees with it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPerson, openSession, setMember } from '#account/people'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { openSite, type Person, type Site, severalStartsMs } from '../../crash/site.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { Browser } from '../../harness/session.ts'
import { until } from '../../harness/until.ts'
import { chunk, done, stream } from '../../harness/upstream.ts'
import { events, message, path, send, storedText, textOf } from '../../work/talk/talk-world.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site[Symbol.asyncDispose]())

/** Somebody who is signed in; the browser is the same at every server. */
async function signedIn(person: Person): Promise<(server: ServerProcess) => Promise<Browser>> {
  const now = new Date()
  const token = await site.db.tx(async (tx) => {
    const { personId } = await createPerson(tx, { displayName: 'Sara', locale: 'fa', email: null }, now)
    await setMember(tx, { accountId: person.account, personId, role: 'developer', projectIds: null }, now)
    return (await openSession(tx, { personId, method: 'password' }, now)).token
  })
  return async (server) => {
    const [row] = await site.db.query<{ id: string }>({ text: 'select id from platform.installation' }, [])
    const browser = new Browser(server.url, row!.id.replaceAll('-', '').slice(0, 8), person.project)
    browser.cookies.set(browser.nameOf('session'), token)
    return browser
  }
}

/** The model writes half an answer, and the rest once it is released. */
function halfAnswers(): { release: () => void } {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  site.upstream.reply(() =>
    stream([
      chunk({ role: 'assistant', content: '' }),
      ...[...half].map((content) => chunk({ content })),
      promise,
      chunk({ content: ' and the rest.' }),
      chunk({}, 'stop', { usage: { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 } }),
      done,
    ]),
  )
  return { release }
}
const half = 'half of the answer'
const ask = (text: string) => message(text, { model: 'test/model' })

interface StoredAnswer {
  message_id: string
  state: string
  error_code: string | null
  microcredits: bigint | null
  receipt_id: string
  body: string | null
}

const answersOf = ({ account }: Person): Promise<StoredAnswer[]> =>
  site.db.query(
    {
      text: `select m.message_id, m.state, m.error_code, m.microcredits, m.receipt_id, string_agg(p.body, '' order by p.ordinal) as body
        from talk.messages m left join talk.parts p using (account_id, message_id)
        where m.account_id = $1 and m.role = 'assistant' group by m.account_id, m.message_id`,
    },
    [account],
  )

const flushed = (person: Person, many: number) =>
  until(async () => {
    const answers = await answersOf(person)
    return answers.length === many && answers.every(({ body }) => body === half)
  })

/** Every message shows what its receipt has charged, and together they are what has left the balance. */
async function expectAgreement(person: Person): Promise<StoredAnswer[]> {
  await site.over(person)
  const answers = await answersOf(person)
  const charged = new Map((await site.receipts(person)).map((one) => [one.receipt_id, one.charged]))
  for (const { receipt_id: id, microcredits } of answers) expect(microcredits).toBe(charged.get(id))
  const sum = [...charged.values()].reduce((one, other) => one + other, 0n)
  expect((await site.balances(person)).balance).toBe(1_000_000_000n - sum)
  expect(await site.violations()).toEqual([])
  return answers
}

test('killed in the middle of many answers: each ends as failed with the text that was flushed, and costs nothing', {
  timeout: severalStartsMs,
}, async () => {
  const person = await site.person()
  const browsers = [await signedIn(person), await signedIn(person), await signedIn(person)]
  const server = await site.start()
  halfAnswers()
  const begun: string[] = []
  for (const at of browsers)
    for (let many = 0; many < 3; many++)
      begun.push((await send(await at(server), ask(`question ${many}`))).body.answer.id)
  await flushed(person, 9)
  await server.kill()
  const next = await site.successor()
  await until(async () => (await answersOf(person)).every(({ state }) => state !== 'streaming'))
  for (const one of await expectAgreement(person))
    expect(one).toMatchObject({ state: 'failed', error_code: 'ANSWER_LOST', microcredits: 0n, body: half })
  const seen = await events(await browsers[0]!(next), begun[0]!)
  expect(textOf(seen)).toBe(half)
  expect(seen.at(-1)!.data).toMatchObject({ state: 'failed', credits: 0 })
  await site.killAll()
})

test('killed while the end of an answer is settled: the message and the charge are undone together, and it ends as failed', {
  timeout: severalStartsMs,
}, async () => {
  const person = await site.person()
  const at = await signedIn(person)
  const server = await site.start()
  const { release } = halfAnswers()
  await send(await at(server), ask('question'))
  await flushed(person, 1)
  {
    await using _lock = await site.lock(person)
    release()
    const backend = await site.settling(person)
    await server.kill()
    await site.terminate(backend)
  }
  await site.successor()
  await until(async () => (await answersOf(person)).every(({ state }) => state !== 'streaming'))
  const [answer] = await expectAgreement(person)
  // All of it was stored before its charge was taken.
  expect(answer).toMatchObject({ state: 'failed', microcredits: 0n, body: `${half} and the rest.` })
  await site.killAll()
})

test('the commit that ends an answer is made sure of where its reply is lost: it is charged once', {
  timeout: severalStartsMs,
}, async () => {
  const person = await site.person()
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  const server = await site.start(proxy.url)
  const browser = await (await signedIn(person))(server)
  const { release } = halfAnswers()
  await send(browser, ask('question'))
  await flushed(person, 1)
  const lost = proxy.loseReply(/\bcommit\b/)
  release()
  await lost
  await until(async () => (await answersOf(person))[0]!.state !== 'streaming')
  const [answer] = await expectAgreement(person)
  expect(answer!.state).toBe('complete')
  expect(answer!.microcredits! > 0n).toBe(true)
  await site.killAll()
})

test('a server that is told to stop lets answers end, and stops those that do not with what came', {
  timeout: severalStartsMs,
}, async () => {
  const [ending, endless] = [await site.person(), await site.person()]
  const server = await site.start()
  const first = halfAnswers()
  await send(await (await signedIn(ending))(server), ask('question'))
  await flushed(ending, 1)
  halfAnswers()
  const { answer } = (await send(await (await signedIn(endless))(server), ask('question'))).body
  await flushed(endless, 1)
  const stopped = server.stop()
  first.release()
  expect(await stopped).toBe(0)
  const [ended] = await expectAgreement(ending)
  expect(ended).toMatchObject({ state: 'complete', body: `${half} and the rest.` })
  const [cut] = await expectAgreement(endless)
  expect(cut).toMatchObject({ message_id: answer.id, state: 'stopped', body: half })
  expect(cut!.microcredits! > 0n).toBe(true)
})

test('a database that is away at the end of an answer gets all of it when it is back, and its charge once', {
  timeout: severalStartsMs,
}, async () => {
  const person = await site.person()
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  const server = await site.start(proxy.url)
  const browser = await (await signedIn(person))(server)
  const { release } = halfAnswers()
  const { answer } = (await send(browser, ask('question'))).body
  await flushed(person, 1)
  proxy.away()
  release()
  proxy.back()
  await until(async () => (await answersOf(person))[0]!.state !== 'streaming')
  const [ended] = await expectAgreement(person)
  expect(ended).toMatchObject({ message_id: answer.id, state: 'complete', body: `${half} and the rest.` })
  await until(async () => (await browser.get(`${path}/${answer.id}/events`)).status === 200)
  expect(storedText((await events(browser, answer.id)).at(-1)!.data)).toBe(`${half} and the rest.`)
  await site.killAll()
})
