/**
 * kill -9 within an answer to a recording that is composed of three calls (transcription, text, speech): each of them is made at most once, and
 * all is stored and charged, or nothing is and the hold is the platform's loss.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import { breaksOff, expectLost, filesOf, reservationsOf } from '../../crash/lost.ts'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { formIn } from '../../harness/transcription-upstream.ts'
import { until } from '../../harness/until.ts'
import { chunk, done, json, type Script, silence, stream, type UpstreamCall } from '../../harness/upstream.ts'

const stack = new AsyncDisposableStack()
const credits = 1_000_000_000n
const headers = { 'idempotency-key': 'order-1' }
const path = '/v1/studio/audio'
const never = new Promise<never>(() => undefined)
let site: Site
let sound: Buffer

/** One who asks, known to the upstream by the bytes of the recording, and then by the text that each call hands on. */
interface Asker {
  person: Person
  body: Record<string, unknown>
}
const accounts = new Map<string, string>()
/** What the upstream does for whom, by the place of the call: transcription, text, speech. */
const scripts = new Map<string, (place: number, good: Script) => Script | Promise<Script>>()

beforeAll(async () => {
  sound = await tone(24_000, 1, 0.3)
  site = stack.use(await openSite())
  site.upstream.reply((call) => {
    const account = accountIn(call)
    return scripts.get(account)?.(placeOf(call), goodFor(call)) ?? goodFor(call)
  })
})
afterAll(() => stack.disposeAsync())

async function tone(rate: number, seconds: number, level: number): Promise<Buffer> {
  const samples = Float32Array.from({ length: seconds * rate }, (_, at) => level * Math.sin(at / 9))
  const { bytes } = await encodeWhole([{ rate, samples }], { format: 'wav', maxBytes: 1e6 })
  return Buffer.from(bytes)
}

async function asker(at: Site): Promise<Asker> {
  const person = await at.person({ credits })
  const recording = (await tone(16_000, 1.5, 0.1 + accounts.size / 100)).toString('base64')
  accounts.set(recording, person.account)
  const audioInput = { audioBase64: recording, mediaType: 'audio/wav' }
  return { person, body: { model: 'test/voice', format: 'wav', audioInput } }
}

const places = ['/audio/transcriptions', '/chat/completions', '/audio/speech']
const placeOf = ({ path }: UpstreamCall): number => places.findIndex((end) => path.endsWith(end))
const accountPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/
function accountIn(call: UpstreamCall): string {
  if (placeOf(call) === 0) return accounts.get(formIn(call).file.bytes.toString('base64')) ?? 'nobody'
  const { messages, input } = call.body!
  return accountPattern.exec(JSON.stringify(messages ?? input))?.[0] ?? 'nobody'
}

const answerTo = (account: string): string => `${account} درود بر شما.`
function goodFor(call: UpstreamCall): Script {
  const account = accountIn(call)
  if (placeOf(call) === 0)
    return json(200, { text: `${account} سلام`, usage: { type: 'duration', seconds: 2 } })
  if (placeOf(call) === 1) {
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
    return stream([chunk({ content: answerTo(account) }), chunk({}, 'stop', { usage }), done])
  }
  return stream([sound], { 'content-type': 'audio/wav' })
}
/** Two seconds of a credit, 100 and 10 tokens of 1 and 2 credits a thousand, and characters of 15 credits a thousand. */
const priceOf = ({ account }: Person): bigint =>
  2_000_000n + 120_000n + 15_000n * BigInt([...answerTo(account)].length)

const callsOf = ({ upstream }: Site, { account }: Person): UpstreamCall[] =>
  upstream.calls.filter((call) => accountIn(call) === account)

/** Nothing of it is charged or stored, its hold is the platform's loss, and a repeat with the key calls nobody. */
async function expectAllLost({ person, body }: Asker, { held, maxCalls, restarted }: Killed): Promise<void> {
  expect(held).toBeGreaterThan(priceOf(person))
  const made = callsOf(site, person).map(placeOf)
  // In this order, and none of them twice.
  expect(made).toEqual([0, 1, 2].slice(0, made.length))
  expect(made.length).toBeLessThanOrEqual(maxCalls)
  await expectLost(site, person, {
    path,
    body,
    price: held,
    headers,
    credits,
    ...(restarted && { restarted }),
  })
  expect(callsOf(site, person)).toHaveLength(made.length)
}

interface Killed {
  held: bigint
  maxCalls: number
  restarted?: ServerProcess
}

/** A place in an answer at which the server is killed. */
interface Moment {
  name: string
  calls: number
  script: (place: number, good: Script) => Script
  isReached: (calls: UpstreamCall[]) => unknown
}

function momentsOf(name: string, at: number): Moment[] {
  const isBegun = Promise.withResolvers<true>()
  const text = `data: ${JSON.stringify(chunk({ content: 'درود' }))}\n\n`
  const part = ['{"text":"سلا', text, sound.subarray(0, 10_000)][at]!
  const type = ['application/json', 'text/event-stream', 'audio/wav'][at]!
  const half = stream([part, () => isBegun.resolve(true), never], { 'content-type': type })
  return [
    {
      ...{ name: `while ${name} is made`, calls: at + 1 },
      script: (place, good) => (place < at ? good : silence),
      isReached: ({ length }) => length === at + 1,
    },
    {
      ...{ name: `in the middle of the answer of ${name}`, calls: at + 1 },
      script: (place, good) => (place < at ? good : half),
      isReached: () => isBegun.promise,
    },
  ]
}

test('killed in the middle of any of the three calls: free, the loss of the platform, and no call is made again', async () => {
  const names = ['the transcription', 'the text', 'the speech']
  const moments = names.flatMap(momentsOf)
  const askers = await Promise.all(moments.map(() => asker(site)))
  await using server = await site.start()
  const all = moments.map((moment, index) => ({ ...moment, ...askers[index]! }))
  const sent = all.map(({ person, body, script }) => {
    scripts.set(person.account, script)
    return breaksOff(site.client(server, person).post(path, body, headers))
  })
  await Promise.all(all.map(({ person, isReached }) => until(() => isReached(callsOf(site, person)))))
  const held = await Promise.all(all.map(async ({ person }) => (await site.balances(person)).held))
  await server.kill()
  await Promise.all(sent)
  await using restarted = await site.start()
  for (const [index, { name, person, body, calls }] of all.entries()) {
    expect(callsOf(site, person), name).toHaveLength(calls)
    await expectAllLost({ person, body }, { held: held[index]!, maxCalls: calls, restarted })
  }
})

describe('killed', () => {
  test.concurrent('before the hold: nothing was asked or charged, no room stays taken, and the key can be used again', async () => {
    const { person, body } = await asker(site)
    await using server = await site.start()
    {
      await using _lock = await site.lock(person)
      const call = breaksOff(site.client(server, person).post(path, body, headers))
      const backend = await site.waiting(person)
      await server.kill()
      await call
      await site.terminate(backend)
    }
    expect(callsOf(site, person)).toEqual([])
    expect(await site.receipts(person)).toEqual([])
    const restarted = await site.lasting()
    // A sweep that another test has begun may be under way, which has not seen this death.
    await until(async () => {
      await site.endLeases()
      return (await reservationsOf(site, person)).length === 0
    })
    const again = await site.client(restarted, person).post(path, body, headers)
    expect(again.status, again.text.slice(0, 300)).toBe(200)
    expect(await site.balances(person)).toEqual({ balance: credits - priceOf(person), held: 0n })
    expect(callsOf(site, person)).toHaveLength(3)
  })

  test.concurrent('when the transcript is there and the text is ordered or is not yet', async () => {
    const { person, body } = await asker(site)
    scripts.set(person.account, (place, good) => (place === 0 ? good : silence))
    await using server = await site.start()
    const call = breaksOff(site.client(server, person).post(path, body, headers))
    await until(() => callsOf(site, person)[0]?.whenClosed.then(() => true))
    const { held } = await site.balances(person)
    await server.kill()
    await call
    await expectAllLost({ person, body }, { held, maxCalls: 2 })
  })

  test.concurrent('when the text is there and the speech is not ordered yet', async () => {
    const { person, body } = await asker(site)
    const release = Promise.withResolvers<void>()
    scripts.set(person.account, async (place, good) => {
      if (place === 1) await release.promise
      return good
    })
    await using server = await site.start()
    const call = breaksOff(site.client(server, person).post(path, body, headers))
    await until(() => callsOf(site, person).length === 2)
    const { held } = await site.balances(person)
    {
      await using _lock = await site.lock(person, 'holds')
      release.resolve()
      const backend = await site.renewing(person)
      await server.kill()
      await call
      await site.terminate(backend)
    }
    expect(callsOf(site, person)).toHaveLength(2)
    await expectAllLost({ person, body }, { held, maxCalls: 2 })
  })

  test.concurrent('after sound and transcript were stored and before both were committed: free, and no file is left', async () => {
    const { person, body } = await asker(site)
    const release = Promise.withResolvers<void>()
    scripts.set(person.account, async (place, good) => {
      if (place === 2) await release.promise
      return good
    })
    await using server = await site.start()
    const call = breaksOff(site.client(server, person).post(path, body, headers))
    await until(() => callsOf(site, person).length === 3)
    const { held } = await site.balances(person)
    {
      await using _lock = await site.lock(person)
      release.resolve()
      // Its transaction waits for the account with everything written.
      const backend = await site.settling(person)
      await server.kill()
      await call
      await site.terminate(backend)
    }
    await expectAllLost({ person, body }, { held, maxCalls: 3 })
  })

  test.concurrent('after the commit: charged exactly, both files are there, and a repeat calls nobody', async () => {
    const { person, body } = await asker(site)
    await using server = await site.start()
    // Whether the answer still leaves is chance; what was committed is not.
    const call = site.sent(site.client(server, person), path, body, headers)
    await call.until(async () => (await filesOf(site, person)).length === 2)
    await server.kill()
    await call.over
    const restarted = await site.lasting()
    const client = site.client(restarted, person)
    const charged = { balance: credits - priceOf(person), held: 0n }
    expect(await site.balances(person)).toEqual(charged)
    for (const { file_id: id } of await filesOf(site, person)) {
      const kept = await client.raw('GET', `/v1/files/${id}`)
      expect([kept.status, (await kept.arrayBuffer()).byteLength > 20]).toEqual([200, true])
    }
    const repeat = await site.post(client, path, body, headers)
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(Buffer.from(repeat.body.output.data, 'base64').subarray(0, 4).toString()).toBe('RIFF')
    expect(callsOf(site, person).map(placeOf)).toEqual([0, 1, 2])
    expect(await site.balances(person)).toEqual(charged)
    const [receipt, ...more] = await site.receipts(person)
    expect(more).toEqual([])
    expect(receipt).toMatchObject({ state: 'completed', charged: priceOf(person) })
    expect(await site.violations()).toEqual([])
  })
})
