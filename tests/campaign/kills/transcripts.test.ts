/** kill -9 around the pieces of a recording: nothing is charged that is not stored, and no piece is sent twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { breaksOff, filesOf, reservationsOf } from '../../crash/lost.ts'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'
import { json, type Script, silence } from '../../harness/upstream.ts'

const stack = new AsyncDisposableStack()
const credits = 1_000_000_000n
const claim = { 'idempotency-key': 'order-1' }
const path = '/v1/audio/transcriptions'
let site: Site
beforeAll(async () => {
  site = stack.use(await openSite())
})
afterAll(() => stack.disposeAsync())

/** So many seconds of a tone, which has no pauses: of ten seconds a piece, each but the first begins 2.5 s earlier. */
function body(seconds: number) {
  const samples = 16_000 * seconds
  const wav = Buffer.alloc(44 + 2 * samples)
  wav.write('RIFF')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  for (const [value, at] of [
    [16, 16],
    [16_000, 24],
    [32_000, 28],
    [2 * samples, 40],
  ] as const)
    wav.writeUInt32LE(value, at)
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [2, 32],
    [16, 34],
  ] as const)
    wav.writeUInt16LE(value, at)
  wav.write('data', 36)
  for (let at = 0; at < samples; at++) wav.writeInt16LE(Math.round(8_000 * Math.sin(at / 9)), 44 + 2 * at)
  return { model: 'test/scribe', audioBase64: wav.toString('base64'), mediaType: 'audio/wav' }
}

/** A second of each piece is a credit. */
const billed = (...pieces: number[]): bigint => 1_000_000n * BigInt(pieces.reduce((sum, one) => sum + one, 0))
const heard = json(200, { text: 'سلام دنیا', usage: { type: 'duration', seconds: 10 } })

/** The call is over and free; what was held is the platform's loss, and the key stays used. */
async function expectLost(person: Person, asked: object, held: bigint): Promise<void> {
  const restarted = await site.lasting()
  await site.over(person)
  expect(await site.balances(person)).toEqual({ balance: credits, held: 0n })
  const [receipt, ...more] = await site.receipts(person)
  expect(more).toEqual([])
  expect(receipt).toMatchObject({ state: 'failed', charged: 0n, held, detail: { outcome: 'lost' } })
  const before = site.upstream.calls.length
  const repeat = await site.client(restarted, person).post(path, asked, claim)
  expect([repeat.status, repeat.body.error.code]).toEqual([409, 'REQUEST_ALREADY_ACCEPTED'])
  expect(site.upstream.calls.length).toBe(before)
  expect(await filesOf(site, person)).toEqual([])
  await until(async () => (await reservationsOf(site, person)).length === 0)
  expect(await site.violations()).toEqual([])
}

describe('killed', () => {
  test.each([
    ['while the only piece is heard', 8, [8], [silence]],
    ['between the pieces of a long recording', 30, [10, 10, 10, 8], [heard, silence, silence, silence]],
    ['when all pieces but the last are heard', 30, [10, 10, 10, 8], [heard, heard, heard, silence]],
  ] as [string, number, number[], Script[]][])(
    '%s: free, the loss of the platform, and never sent again',
    async (_, seconds, pieces, scripts) => {
      await using server = await site.start()
      const person = await site.person({ credits })
      const asked = body(seconds)
      const before = site.upstream.calls.length
      site.upstream.replyOnce(...scripts)
      const call = breaksOff(site.client(server, person).post(path, asked, claim))
      await site.upstream.call(before + scripts.length - 1)
      const { held } = await site.balances(person)
      expect(held).toBe(billed(...pieces))
      await server.kill()
      await call
      expect(site.upstream.calls.length - before).toBe(scripts.length)
      await expectLost(person, asked, held)
    },
  )

  test('after it was stored and before it was committed: free, and no file is left', async () => {
    await using server = await site.start()
    const person = await site.person({ credits })
    const asked = body(30)
    const release = Promise.withResolvers<void>()
    const before = site.upstream.calls.length
    site.upstream.reply(async () => {
      await release.promise
      return heard
    })
    const call = breaksOff(site.client(server, person).post(path, asked, claim))
    await site.upstream.call(before)
    {
      await using _lock = await site.lock(person)
      release.resolve()
      // Its transaction waits for the account with everything written.
      const backend = await site.settling(person)
      await server.kill()
      await call
      await site.terminate(backend)
    }
    await expectLost(person, asked, billed(10, 10, 10, 8))
  })
})

test('asked for of two processes at once with one key: every piece is heard once and charged once, and both know', async () => {
  const [one, other] = [await site.lasting(0), await site.lasting(1)]
  const person = await site.person({ credits })
  const asked = body(30)
  site.upstream.reply(heard)
  const before = site.upstream.calls.length
  const replies = await Promise.all(
    [one, other, one, other].map((server) => site.post(site.client(server, person), path, asked, claim)),
  )
  const made = replies.filter(({ status }) => status === 200)
  expect(made.length).toBeGreaterThanOrEqual(1)
  for (const { status, body: refused } of replies)
    if (status !== 200) expect([status, refused.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect(new Set(made.map(({ text }) => text)).size).toBe(1)
  expect(site.upstream.calls.length - before).toBe(4)
  expect(await site.balances(person)).toEqual({ balance: credits - billed(10, 10, 10, 8), held: 0n })
  const files = await filesOf(site, person)
  const repeat = await site.client(one, person).post(path, asked, claim)
  expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(repeat.headers.get('x-file-ids')).toBe(files.map(({ file_id: id }) => id).join())
  expect(site.upstream.calls.length - before).toBe(4)
})
