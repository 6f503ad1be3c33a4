/** The charge for an image when the upstream fails or the caller disconnects. */
import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { cut, json, reset, type Script, silence, stream } from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import {
  bootOnImages,
  halves,
  type ImagesWorld,
  picture,
  shareOnImages,
  withPictures,
} from '../media/images-world.ts'
import { type Explained, explained, quantitiesOf, requestIdOf } from './chat-world.ts'
import { imageEventsIn, pictureIn } from './responses-image-oracle.ts'

let at: ImagesWorld
let draining: ImagesWorld
beforeAll(async () => {
  at = await shareOnImages({ credits: 100_000 })
  // Beside the other one, with models of the same names.
  draining = await bootOnImages({ credits: 100_000, provider: ', on_disconnect: drain' })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await draining[Symbol.asyncDispose]()
})

/** What a call took from the balance, once it is settled. */
async function costOf(world: World, call: () => Promise<unknown>): Promise<bigint> {
  await world.settled()
  const before = await world.balance()
  await call()
  await world.settled()
  const after = await world.balance()
  expect(after.held).toBe(0n)
  return before.available - after.available
}

interface ReportedImage extends Explained {
  details: Explained['details'] & { pictures: Record<string, unknown> }
}
const reported = async (reply: Parameters<typeof requestIdOf>[0]) =>
  (await explained(at.key, requestIdOf(reply))) as ReportedImage

describe('to the micro-credit', () => {
  test.each<[string, Record<string, unknown>, number, bigint]>([
    ['the usual quality', {}, 0, 42_000_000n],
    ['low', { quality: 'low' }, 0, 11_000_000n],
    ['low in another size', { quality: 'low', size: '192x128' }, 0, 11_000_000n],
    ['high', { quality: 'high' }, 0, 167_000_000n],
    [
      'high in another size, which has a price of its own',
      { quality: 'high', aspect_ratio: '3:2' },
      0,
      250_000_500n,
    ],
    ['a size that is made of another', { quality: 'high', size: '64x64' }, 0, 167_000_000n],
    ['one picture to edit', {}, 1, 45_010_000n],
    ['two pictures to edit', { quality: 'low' }, 2, 17_020_000n],
    ['pictures that are not looked at', { action: 'generate' }, 2, 42_000_000n],
  ])('%s', async (_, tool, references, microcredits) => {
    const given = Array.from({ length: references }, () => halves(64, 64))
    const input = references > 0 ? { input: withPictures(...(await Promise.all(given))) } : {}
    for (const more of [{}, { stream: true }]) {
      let id = ''
      const cost = await costOf(at.world, async () => {
        const reply = await picture(at.key, tool, { ...input, ...more })
        expect(reply.status).toBe(200)
        id = requestIdOf(reply)
      })
      expect(cost).toBe(microcredits)
      const receipt = await explained(at.key, id)
      expect(receipt).toMatchObject({ state: 'completed', microcredits: String(microcredits) })
      expect(receipt.reserved_microcredits).toBe(String(microcredits))
      expect(await quantitiesOf(at.world, id)).toEqual({ pictures: 1 })
    }
  })

  test('a price of less than a micro-credit is rounded up once, and free is free', async () => {
    expect(await costOf(at.world, () => picture(at.key, {}, { model: 'test/plain' }))).toBe(13n)
    expect(await costOf(at.world, () => picture(at.key, {}, { model: 'test/free' }))).toBe(0n)
  })

  test('the receipt tells what was drawn, and nothing of prompt or picture', async () => {
    const reply = await picture(
      at.key,
      { size: '256x64', output_format: 'jpeg' },
      { input: 'a secret garden' },
    )
    const receipt = await reported(reply)
    expect(receipt.details).toMatchObject({
      outcome: 'completed',
      usage_source: 'none',
      pictures: {
        asked: 1,
        delivered: 1,
        action: 'generate',
        references: 0,
        quality: 'medium',
        size: '192x128',
        frame: '256x64',
        fit: 'pad',
        format: 'jpeg',
      },
      attempts: [{ outcome: 'answered', deployment: 'fake/painter-1' }],
    })
    expect(JSON.stringify(receipt)).not.toMatch(/secret garden|base64|[A-Za-z0-9+/]{100}/)
  })

  test('reference ids and the usage report hold for pictures too', async () => {
    const headers = { 'x-customer-id': 'مشتری', 'x-reference-id': 'r-1' }
    const encoded = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
    )
    const receipt = await reported(await picture(at.key, {}, {}, encoded))
    expect(receipt).toMatchObject({ customer_id: 'مشتری', reference_id: 'r-1' })
  })

  test('who cannot pay the whole price is refused, and nothing is held or asked', async () => {
    await using poor = await shareOnImages({ credits: 41.999999 })
    expectRefusal(await picture(poor.key), { status: 402, code: 'INSUFFICIENT_CREDITS' })
    expectRefusal(await picture(poor.key, {}, { stream: true }), {
      status: 402,
      code: 'INSUFFICIENT_CREDITS',
    })
    expect(await poor.world.balance()).toEqual({ available: 41_999_999n, held: 0n })
    expect(poor.upstream.calls).toHaveLength(0)
    expect(await costOf(poor.world, () => picture(poor.key, { quality: 'low' }))).toBe(11_000_000n)
  })

  test('caps and limits of a key hold', async () => {
    const capped = await at.world.key({ caps: { monthCap: 50_000_000n } })
    expect((await picture(capped)).status).toBe(200)
    await at.world.settled()
    expectRefusal(await picture(capped), { status: 402, code: 'BUDGET_EXCEEDED' })
  })
})

describe('an upstream that fails', () => {
  const failing: [string, () => Script, number, string, number][] = [
    [
      'a rate limit, three times',
      () => json(429, 'slow', { 'retry-after-ms': '1' }),
      429,
      'UPSTREAM_RATE_LIMITED',
      3,
    ],
    ['overload, three times', () => json(529, 'busy'), 529, 'UPSTREAM_OVERLOADED', 3],
    [
      'a refused prompt',
      () => json(400, { error: { code: 'moderation_blocked' } }),
      400,
      'CONTENT_REFUSED',
      1,
    ],
    ['a bad key', () => json(401, 'no'), 502, 'UPSTREAM_MISCONFIGURED', 1],
    ['a 500', () => json(500, 'oops'), 502, 'UPSTREAM_FAILED', 1],
    ['a 503, three times', () => json(503, 'later'), 502, 'UPSTREAM_FAILED', 3],
    ['a 504', () => json(504, 'late'), 504, 'UPSTREAM_TIMEOUT', 1],
    ['a line that breaks', () => reset, 502, 'UPSTREAM_FAILED', 1],
    ['an answer that is cut', () => stream(['{"data":[', cut]), 502, 'UPSTREAM_FAILED', 1],
    ['an answer that is none', () => json(200, '<html>'), 502, 'UPSTREAM_FAILED', 1],
    [
      'a picture that cannot be decoded',
      () => json(200, { data: [{ b64_json: torn }] }),
      502,
      'UPSTREAM_FAILED',
      1,
    ],
  ]
  /** A PNG of whose data nothing is there. */
  const torn = Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    Buffer.from('00000080000000800802000000', 'hex'),
    Buffer.alloc(64),
  ]).toString('base64')

  test.each(failing)(
    '%s: nothing is charged, and what may have been drawn is ordered once',
    async (_, script, status, code, calls) => {
      // A world of its own: a breaker that others have opened would keep the second order away too.
      await using own = await shareOnImages()
      own.upstream.reply(script())
      const cost = await costOf(own.world, async () => {
        const reply = await picture(own.key, { output_format: 'webp' })
        expect(reply.status).toBe(status)
        expect(reply.body.error.code).toBe(code)
        const receipt = await explained(own.key, requestIdOf(reply))
        expect(receipt.details).toMatchObject({ outcome: 'failed', error_code: code })
      })
      expect(cost).toBe(0n)
      expect(own.upstream.calls).toHaveLength(calls)
    },
  )

  test('silence ends with the time that the operator gives, and is not asked twice', async () => {
    await using short = await shareOnImages({ provider: ', timeouts: { total_ms: 2000 }' })
    short.upstream.reply(silence)
    const reply = await picture(short.key)
    expect(reply.body.error.code).toBe('UPSTREAM_TIMEOUT')
    await short.world.settled()
    expect((await short.world.balance()).available).toBe(1_000_000_000n)
    expect(short.upstream.calls).toHaveLength(1)
  })

  test('what may have been drawn goes on to nobody else either', async () => {
    await using own = await shareOnImages()
    own.upstream.replyOnce(json(500, 'oops'))
    const reply = await picture(own.key, {}, { model: 'test/spread' })
    expect(reply.body.error.code).toBe('UPSTREAM_FAILED')
    expect(own.upstream.calls.map(({ body }) => body?.['model'])).toEqual(['first'])
  })

  test('what was surely not drawn goes on to the next deployment and the next model, which is paid', async () => {
    // A world of its own: a breaker that others have opened would skip the deployment that is gone.
    await using own = await shareOnImages()
    own.upstream.replyOnce(json(404, 'no model'), json(401, 'no'))
    const cost = await costOf(own.world, async () => {
      const reply = await picture(own.key, {}, { model: 'test/spread' })
      expect(pictureIn(reply.body).response['model']).toBe('test/plain')
      const receipt = await explained(own.key, requestIdOf(reply))
      expect(receipt.model).toBe('test/plain')
      expect(receipt.reserved_microcredits).toBe('42000000')
      expect(receipt.details.attempts.map(({ deployment, outcome }) => [deployment, outcome])).toEqual([
        ['gone/away', 'connect'],
        ['gone/away', 'connect'],
        ['gone/away', 'connect'],
        ['fake/first', 'not_found'],
        ['fake/second', 'authentication'],
        ['fake/plain-1', 'answered'],
      ])
    })
    expect(cost).toBe(13n)
  })

  test('a fallback that cannot draw what is wished is passed over, and one that the key may not use', async () => {
    const key = await at.world.key({ models: ['test/spread', 'test/plain'] })
    at.upstream.replyOnce(json(404, 'no'), json(404, 'no'))
    const refused = await picture(key, { quality: 'high' }, { model: 'test/spread' })
    expect(refused.status).toBe(502)
    at.upstream.replyOnce(json(404, 'no'), json(404, 'no'))
    const reply = await picture(at.key, { quality: 'high' }, { model: 'test/spread' })
    expect(pictureIn(reply.body)).toMatchObject({
      response: { model: 'test/painter' },
      item: { quality: 'high' },
    })
  })
})

describe('with an idempotency key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key })

  test('a repeat gets the same picture to the byte, and is charged once', async () => {
    const calls = at.upstream.calls.length
    let first: Awaited<ReturnType<typeof picture>> | undefined
    const cost = await costOf(at.world, async () => {
      first = await picture(at.key, {}, {}, keyed('again'))
      const second = await picture(at.key, {}, {}, keyed('again'))
      expect(second.text).toBe(first.text)
      expect(second.headers.get('idempotent-replayed')).toBe('true')
      expect(requestIdOf(second)).toBe(requestIdOf(first))
    })
    expect(cost).toBe(42_000_000n)
    expect(at.upstream.calls.length - calls).toBe(1)
    expectRefusal(await picture(at.key, { quality: 'low' }, {}, keyed('again')), {
      status: 409,
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })

  test('a picture of a megabyte is not kept: a repeat is told that it was accepted, and nothing is drawn twice', async () => {
    const raw = { width: 700, height: 700, channels: 3 } as const
    const large = await sharp(randomBytes(700 * 700 * 3), { raw })
      .png()
      .toBuffer()
    at.upstream.replyOnce(json(200, { data: [{ b64_json: large.toString('base64') }] }))
    const calls = at.upstream.calls.length
    const cost = await costOf(at.world, async () => {
      expect(pictureIn((await picture(at.key, {}, {}, keyed('large'))).body).bytes).toEqual(large)
      expectRefusal(await picture(at.key, {}, {}, keyed('large')), {
        status: 409,
        code: 'REQUEST_ALREADY_ACCEPTED',
      })
    })
    expect(cost).toBe(42_000_000n)
    expect(at.upstream.calls.length - calls).toBe(1)
  })

  test('events are not told again', async () => {
    const ask = () => picture(at.key, {}, { stream: true }, keyed('events'))
    imageEventsIn((await ask()).text)
    await at.world.settled()
    expectRefusal(await ask(), { status: 409, code: 'REQUEST_ALREADY_ACCEPTED' })
  })

  test.each<[string, () => Script, boolean]>([
    ['a refusal', () => json(400, 'bad'), true],
    ['a rate limit that outlasts us', () => json(429, 'slow', { 'retry-after': '60' }), true],
    ['a 500', () => json(500, 'oops'), false],
    ['a broken line', () => reset, false],
  ])('%s gives the key back only where nothing can have been drawn', async (name, script, isFree) => {
    await using own = await shareOnImages()
    own.upstream.replyOnce(script())
    expect((await picture(own.key, {}, {}, keyed(name.replace(/\W/g, '-')))).status).toBeGreaterThanOrEqual(
      400,
    )
    await own.world.settled()
    expect((await own.world.balance()).available).toBe(1_000_000_000n)
    const again = await picture(own.key, {}, { model: 'test/painter' }, keyed(name.replace(/\W/g, '-')))
    // A deployment that rests for its rate limit is not asked; the key is free all the same.
    if (isFree) expect([200, 429]).toContain(again.status)
    else expectRefusal(again, { status: 409, code: 'REQUEST_ALREADY_ACCEPTED' })
  })
})

describe('a caller who disconnects', () => {
  const body = (more: Record<string, unknown> = {}) =>
    JSON.stringify({ model: 'test/painter', input: 'a cat', ...more })

  async function lastReceiptOf(it: ImagesWorld): Promise<string> {
    const [row] = await it.world.app.db.query<{ receipt_id: string }>(
      {
        text: `select receipt_id from ledger.receipts where account_id = $1 and endpoint = '/v1/responses'
          order by created_at desc limit 1`,
      },
      [it.world.account],
    )
    return row!.receipt_id
  }

  async function leave(it: ImagesWorld, sent: string, headers: Record<string, string> = {}): Promise<void> {
    const position = it.upstream.calls.length
    const leaving = new AbortController()
    const asked = it.key.raw('POST', '/v1/responses', sent, headers, leaving.signal)
    const gone = asked.then((response) => response.text()).catch(() => undefined)
    await it.upstream.call(position)
    leaving.abort()
    await gone
  }

  test.each([
    ['cancel', {}],
    ['cancel', { stream: true }],
    ['drain', {}],
    ['drain', { stream: true }],
  ])(
    '%s: the order is read to its end, stored and paid, and whoever left finds the picture (%o)',
    async (policy, more) => {
      const it = policy === 'drain' ? draining : at
      const release = Promise.withResolvers<void>()
      const bytes = await halves(128, 128)
      const answer = { data: [{ b64_json: bytes.toString('base64') }] }
      it.upstream.replyOnce(
        stream([release.promise, JSON.stringify(answer)], { 'content-type': 'application/json' }),
      )
      const position = it.upstream.calls.length
      const cost = await costOf(it.world, async () => {
        await leave(it, body(more))
        release.resolve()
        await (await it.upstream.call(position)).whenClosed
        expect((await it.upstream.call(position)).aborted).toBe(false)
      })
      expect(cost).toBe(42_000_000n)
      const receipt = (await it.key.get(`/v1/requests/${await lastReceiptOf(it)}`)).body
      expect(receipt).toMatchObject({ state: 'completed', details: { outcome: 'completed' } })
      const file = await it.key.raw('GET', `/v1/files/${receipt.details.files[0]}`)
      expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes)
      // Kept for a repeat, and not listed.
      expect((await it.key.get('/v1/files')).body.data).toEqual([])
    },
  )

  test('drain: a picture that never comes costs who left nothing', async () => {
    const release = Promise.withResolvers<void>()
    draining.upstream.replyOnce(
      stream([release.promise, '{"data":[]}'], { 'content-type': 'application/json' }),
    )
    const cost = await costOf(draining.world, async () => {
      await leave(draining, body())
      release.resolve()
    })
    expect(cost).toBe(0n)
  })

  test('who left between two tries has paid for nothing, and nobody else is asked', async () => {
    await using own = await shareOnImages()
    own.upstream.replyOnce(json(429, 'slow', { 'retry-after-ms': '2900' }))
    const leaving = new AbortController()
    const asked = own.key.raw('POST', '/v1/responses', body(), {}, leaving.signal).catch(() => undefined)
    await (await own.upstream.call(0)).whenClosed
    leaving.abort()
    await asked
    await own.world.settled()
    expect((await own.world.balance()).available).toBe(1_000_000_000n)
    expect(own.upstream.calls).toHaveLength(1)
  })

  test('with an idempotency key the picture is finished, and is there for whoever asks again', async () => {
    const release = Promise.withResolvers<void>()
    const bytes = await halves(128, 128)
    const answer = { data: [{ b64_json: bytes.toString('base64') }] }
    at.upstream.replyOnce(
      stream([release.promise, JSON.stringify(answer)], { 'content-type': 'application/json' }),
    )
    const calls = at.upstream.calls.length
    const cost = await costOf(at.world, async () => {
      await leave(at, body(), { 'idempotency-key': 'left' })
      release.resolve()
      await at.world.settled()
      const again = await at.key.request('POST', '/v1/responses', body(), { 'idempotency-key': 'left' })
      expect(pictureIn(again.body).bytes).toEqual(bytes)
    })
    expect(cost).toBe(42_000_000n)
    expect(at.upstream.calls.length - calls).toBe(1)
  })
})

test('the simulator can be ordered to fail as upstreams do', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const sandbox = { model: 'sandbox/image' }
  const failed = await picture(key, {}, { ...sandbox, input: 'a cat [[sandbox: fault=unavailable]]' })
  expect(failed.body.error.code).toBe('UPSTREAM_FAILED')
  const other = await picture(key, {}, { ...sandbox, input: 'a cat [[sandbox: fault=overloaded on=other]]' })
  expect(other.status).toBe(200)
  await world.settled()
  expect((await world.balance()).available).toBe(990_000_000n)
})
