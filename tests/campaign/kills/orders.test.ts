/**
 * kill -9 around every order of pictures and sound at an upstream that counts them: each is ordered at most once, whatever was killed when, and
 * nothing is charged that is not stored.
 */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import { breaksOff, expectLost, filesOf } from '../../crash/lost.ts'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'
import { json, type Script, stream, type UpstreamCall } from '../../harness/upstream.ts'

const stack = new AsyncDisposableStack()
const credits = 1_000_000_000n
const headers = { 'idempotency-key': 'order-1' }
const never = new Promise<never>(() => undefined)
let site: Site
let picture: Buffer
let sound: Buffer

/** What the upstream does for whom, by the place of the order among those of its person, from 0. */
const scripts = new Map<string, (place: number, good: Script) => Script | Promise<Script>>()

beforeAll(async () => {
  const red = { create: { width: 64, height: 64, channels: 3, background: 'red' } } as const
  picture = await sharp(red).png().toBuffer()
  const samples = Float32Array.from({ length: 24_000 }, (_, at) => 0.3 * Math.sin(at / 9))
  const { bytes } = await encodeWhole([{ rate: 24_000, samples }], { format: 'wav', maxBytes: 1e6 })
  sound = Buffer.from(bytes)
  site = stack.use(await openSite())
  const { upstream } = site
  upstream.reply((call) => {
    const { account } = toldIn(call)
    const place = upstream.calls.filter((other) => toldIn(other).account === account).indexOf(call)
    return scripts.get(account)?.(place, goodFor(call)) ?? goodFor(call)
  })
})
afterAll(() => stack.disposeAsync())

const goodFor = ({ path }: UpstreamCall): Script =>
  path.startsWith('/v1/images/')
    ? json(200, { data: [{ b64_json: picture.toString('base64') }] })
    : stream([sound], { 'content-type': 'audio/wav' })

/** Every text names its person, so that the upstream of all of them tells them apart. */
function toldIn({ body }: UpstreamCall): { account: string; text: string } {
  const text = String(body?.['prompt'] ?? body?.['input'])
  return { account: text.split(' ')[0]!, text }
}
const ordersOf = ({ upstream }: Site, { account }: Person): UpstreamCall[] =>
  upstream.calls.filter((call) => toldIn(call).account === account)

interface Medium {
  path: string
  body(person: Person): Record<string, unknown>
  /** In micro-credits, at 1,000 credits a dollar. */
  price: bigint
  /** Sent when all goes well. */
  orders: number
}
/** A UUID and a space stand before each of these words. */
const spoken = (...words: string[]): bigint =>
  15_000n * words.reduce((sum, word) => sum + 37n + BigInt([...word].length), 0n)
const media: Record<string, Medium> = {
  picture: {
    path: '/v1/studio/image',
    body: ({ account }) => ({ model: 'test/painter', prompt: `${account} a cat` }),
    price: 40_000_000n,
    orders: 1,
  },
  speech: {
    path: '/v1/studio/audio',
    body: ({ account }) => ({ model: 'test/voice', text: `${account} سلام` }),
    price: spoken('سلام'),
    orders: 1,
  },
  'streamed speech': {
    path: '/v1/audio/speech',
    body: ({ account }) => ({ model: 'test/voice', input: `${account} سلام`, response_format: 'wav' }),
    price: spoken('سلام'),
    orders: 1,
  },
  dialogue: {
    path: '/v1/studio/audio',
    body: ({ account }) => ({
      model: 'test/voice',
      turns: ['یک', 'دو'].map((word, at) => ({
        text: `${account} ${word}`,
        voice: ['alloy', 'nova'][at],
      })),
    }),
    price: spoken('یک', 'دو'),
    orders: 2,
  },
}

/** None of its texts was ordered twice. */
function expectOnce(at: Site, person: Person, atMost: number): void {
  const texts = ordersOf(at, person).map((call) => toldIn(call).text)
  expect(texts).toEqual([...new Set(texts)])
  expect(texts.length).toBeLessThanOrEqual(atMost)
}

/** The server is killed when `isReached`; then another one sweeps, and a repeat with the key orders nothing. */
async function expectLostWhen(
  { path, body: bodyOf, price }: Medium,
  person: Person,
  isReached: () => boolean | Promise<unknown>,
  orders: number,
): Promise<void> {
  await using server = await site.start()
  const body = bodyOf(person)
  const call = breaksOff(site.client(server, person).post(path, body, headers))
  await until(isReached)
  await server.kill()
  await call
  expectOnce(site, person, orders)
  const sent = ordersOf(site, person).length
  await expectLost(site, person, { path, body, price, headers, credits })
  expect(ordersOf(site, person)).toHaveLength(sent)
}

describe.each(Object.entries(media))('%s', (_, medium) => {
  const places = Array.from({ length: medium.orders }, (_, place) => place)

  test.concurrent.each(places)('killed while order %i is made', async (at) => {
    const person = await site.person({ credits })
    scripts.set(person.account, (place, good) => (place < at ? good : never))
    await expectLostWhen(medium, person, () => ordersOf(site, person).length === at + 1, at + 1)
    expect(ordersOf(site, person)).toHaveLength(at + 1)
  })

  test.concurrent.each(places)('killed in the middle of the answer to order %i', async (at) => {
    const person = await site.person({ credits })
    const isBegun = Promise.withResolvers<void>()
    const half = (): Script => {
      const isPicture = medium === media['picture']
      const part = isPicture ? '{"data":[{"b64_json":"' : sound.subarray(0, 10_000)
      const type = isPicture ? 'application/json' : 'audio/wav'
      return stream([part, () => isBegun.resolve(), never], { 'content-type': type })
    }
    scripts.set(person.account, (place, good) => (place < at ? good : half()))
    await expectLostWhen(medium, person, () => isBegun.promise.then(() => true), at + 1)
    expect(ordersOf(site, person)).toHaveLength(at + 1)
  })

  test.concurrent('killed after the commit: charged exactly, the file is there, and a repeat orders nothing', async () => {
    const person = await site.person({ credits })
    await using server = await site.start()
    const body = medium.body(person)
    // Whether the answer still leaves is chance; what was committed is not.
    const call = site.sent(site.client(server, person), medium.path, body, headers)
    await call.until(async () => (await filesOf(site, person)).length === 1)
    await server.kill()
    await call.over
    const restarted = await site.lasting()
    const client = site.client(restarted, person)
    expect(await site.balances(person)).toEqual({ balance: credits - medium.price, held: 0n })
    const [file] = await filesOf(site, person)
    const kept = await client.raw('GET', `/v1/files/${file!.file_id}`)
    expect([kept.status, (await kept.arrayBuffer()).byteLength > 100]).toEqual([200, true])
    const repeat = await site.post(client, medium.path, body, headers)
    // What was streamed is not answered again, but named.
    if (medium.path === '/v1/audio/speech')
      expect([repeat.status, repeat.body.error.details]).toEqual([409, { files: [file!.file_id] }])
    else expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expectOnce(site, person, medium.orders)
    expect(ordersOf(site, person)).toHaveLength(medium.orders)
    expect(await site.balances(person)).toEqual({ balance: credits - medium.price, held: 0n })
    expect(await site.violations()).toEqual([])
  })
})

test.concurrent('killed as the answer to the first order of a dialogue ends, when the second is sent or is not yet', async () => {
  const person = await site.person({ credits })
  scripts.set(person.account, (place, good) => (place === 0 ? good : never))
  const isAnswered = async () => ordersOf(site, person)[0]?.whenClosed.then(() => true)
  await expectLostWhen(media['dialogue']!, person, isAnswered, 2)
})
