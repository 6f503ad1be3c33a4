import { describe, expect, test } from 'vitest'
import { UpstreamError, type VideoLook } from '#core/spec'
import type { VideoOrder } from '#core/turn'
import { clock, filmOf, lookFor, plainOrder, provider, signal } from '../../../tests/media/sandbox-films.ts'
import { sandboxVideos } from '../sandbox.ts'
import { WorkSlots } from './places.ts'
import { readTicket } from './ticket.ts'

const ordered = (orders: string, more: Partial<VideoOrder> = {}) =>
  lookFor({ prompt: `دریا [[sandbox: ${orders}]]`, ...more })

async function faultOf(work: Promise<unknown>): Promise<UpstreamError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(UpstreamError)
  return error as UpstreamError
}

const fetched = (look: VideoLook): Promise<Uint8Array[]> => Array.fromAsync(provider.fetch(look))

describe('a job', () => {
  test('waits, works and is done after 2 to 10 seconds, by what was ordered', async () => {
    const small = await lookFor()
    const large = await lookFor({ seconds: 30, resolution: '1080p' })
    const begun = clock.nowMs
    const at = async (ms: number, look: VideoLook) => {
      clock.nowMs = begun + ms
      return provider.look(look)
    }
    expect(await at(0, small)).toEqual({ status: 'queued', position: 1 })
    expect(await at(1_000, small)).toMatchObject({ status: 'processing', progress: expect.any(Number) })
    expect(await at(2_000, small)).toMatchObject({ status: 'processing' })
    expect(await at(2_100, small)).toEqual({ status: 'completed' })
    expect(await at(9_999, large)).toEqual({ status: 'processing', progress: 99 })
    expect(await at(10_000, large)).toEqual({ status: 'completed' })
  })

  test('is known to a provider that did not order it', async () => {
    const look = await lookFor()
    clock.nowMs += 20_000
    expect(await sandboxVideos({ nowMs: () => clock.nowMs }).look(look)).toEqual({ status: 'completed' })
  })

  test('is named in 500 characters, without a word of its prompt, whatever is ordered', async () => {
    const orders =
      'bytes=small job=away cost_microusd=10000000 work_ms=10000000 token_ms=10000000 fault=context_overflow after=10000000'
    const { ticket } = await ordered(orders, {
      seed: Number.MAX_SAFE_INTEGER,
      seconds: 30,
      resolution: '1080p',
    })
    expect(ticket.id.length).toBeLessThanOrEqual(500)
    expect(JSON.stringify(readTicket(ticket.id))).not.toContain('دریا')
  })

  test.each(['', 'sandbox-', 'sandbox-e30', 'sandbox-%%%', 'other'])('is none by the name %j', async (id) => {
    const look = { ...(await lookFor()), ticket: { id } }
    expect(await faultOf(provider.look(look))).toMatchObject({ fault: 'not_found', status: 404 })
    expect(await faultOf(fetched(look))).toMatchObject({ fault: 'not_found' })
  })

  test('has no bytes before it is done, and none without its order', async () => {
    const { order: _, ...look } = await lookFor()
    expect(await faultOf(fetched(look))).toMatchObject({ fault: 'invalid_request', status: 409 })
    clock.nowMs += 20_000
    expect((await faultOf(fetched(look))).detail).toMatch(/given again/)
  })
})

describe('a submission is refused, and nothing began,', () => {
  const cases: [string, Partial<VideoOrder>][] = [
    ['for a length of 31 s', { seconds: 31 }],
    ['for a length of 0 s', { seconds: 0 }],
    ['for a ratio that is not on the card', { aspectRatio: '21:9' }],
    ['for a resolution that is not on the card', { resolution: '4k' as '1080p' }],
    ['for pictures that are none', { references: [{ mediaType: 'image/png', data: Buffer.from('no') }], referenceMode: 'guide' }],
  ] // biome-ignore format: a table
  test.each(cases)('%s', async (_, more) => {
    expect(await faultOf(lookFor(more))).toMatchObject({ fault: 'invalid_request', executed: false })
  })

  test('for a model that is none', async () => {
    expect(await faultOf(lookFor({}, 'film'))).toMatchObject({ fault: 'not_found', executed: false })
  })

  test('for a caller who has left', async () => {
    const call = {
      order: plainOrder,
      upstreamModel: 'video',
      attemptId: 'a',
      timeouts: (await lookFor()).timeouts,
    }
    const left = provider.submit({ ...call, signal: AbortSignal.abort() })
    expect(await faultOf(left)).toMatchObject({ fault: 'aborted', executed: false })
  })

  test('for an order that nobody knows', async () => {
    expect(await faultOf(ordered('job=gone'))).toMatchObject({ fault: 'invalid_request', executed: false })
  })
})

describe('orders for faults', () => {
  test('a reply that is lost leaves open whether there is a job', async () => {
    expect(await faultOf(ordered('fault=reset'))).toMatchObject({ fault: 'reset', executed: true })
  })

  test('a reply that takes longer than its timeout leaves it open too', async () => {
    const { timeouts } = await lookFor()
    const order = { ...plainOrder, prompt: '[[sandbox: first_token_ms=60000]]' }
    const call = { order, upstreamModel: 'video', signal, attemptId: 'a' }
    const late = provider.submit({ ...call, timeouts: { ...timeouts, firstByteMs: 20 } })
    expect(await faultOf(late)).toMatchObject({ fault: 'timeout', executed: true })
  })

  test('an upstream that is too busy did nothing', async () => {
    const fault = await faultOf(ordered('fault=overloaded retry_after_ms=3000'))
    expect(fault).toMatchObject({ executed: false, retryAfterMs: 3_000 })
  })

  test('a fault for another deployment strikes this one not', async () => {
    expect((await ordered('fault=reset on=video:b')).ticket.id).toMatch(/^sandbox-/)
    expect(
      await faultOf(lookFor({ prompt: '[[sandbox: fault=reset on=video:b]]' }, 'video:b')),
    ).toMatchObject({
      fault: 'reset',
    })
  })

  test('a refusal comes with the submission, or with the finished job', async () => {
    expect(await faultOf(ordered('refuse'))).toMatchObject({ fault: 'content_refused', executed: false })
    const look = await ordered('refuse after=1 work_ms=500')
    expect(await provider.look(look)).toMatchObject({ status: 'queued' })
    clock.nowMs += 500
    expect(await provider.look(look)).toMatchObject({
      status: 'failed',
      fault: { fault: 'content_refused', executed: true },
    })
  })

  test('a job fails when its time is over', async () => {
    const look = await ordered('fault=unavailable after=1 work_ms=5000')
    clock.nowMs += 4_999
    expect(await provider.look(look)).toMatchObject({ status: 'processing', progress: 99 })
    clock.nowMs += 1
    expect(await provider.look(look)).toMatchObject({ status: 'failed', fault: { fault: 'unavailable' } })
  })

  test('a job vanishes', async () => {
    expect(await faultOf(provider.look(await ordered('job=vanished')))).toMatchObject({ fault: 'not_found' })
  })

  test('a job is stuck for good', async () => {
    const look = await ordered('job=stuck')
    clock.nowMs += 3_600_000
    expect(await provider.look(look)).toEqual({ status: 'processing', progress: 99 })
  })

  test('looks fail for a while', async () => {
    const look = await ordered('job=away work_ms=3000')
    expect(await faultOf(provider.look(look))).toMatchObject({ fault: 'unavailable', status: 503 })
    clock.nowMs += 3_000
    expect(await provider.look(look)).toEqual({ status: 'completed' })
  })

  test('a cost is claimed', async () => {
    const look = await ordered('cost_microusd=120000 work_ms=0')
    expect(await provider.look(look)).toEqual({ status: 'completed', costUsd: 0.12 })
  })

  test('a page comes in place of the bytes', async () => {
    const bytes = await filmOf({ prompt: '[[sandbox: bytes=wrong]]' })
    expect(bytes.toString()).toMatch(/^<!DOCTYPE html>/)
  })

  test('bytes that break off throw, or just end', async () => {
    const whole = await filmOf({ prompt: 'دریا', withAudio: false })
    const cut = await filmOf({ prompt: 'دریا [[sandbox: bytes=cut]]', withAudio: false })
    expect(cut.equals(whole.subarray(0, Math.floor(whole.length * 0.6)))).toBe(true)
    const look = await ordered('fault=cut work_ms=0')
    let came = 0
    const reading = (async () => {
      for await (const piece of provider.fetch(look)) came += piece.length
    })()
    expect(await faultOf(reading)).toMatchObject({ fault: 'cut' })
    expect(came).toBeGreaterThan(0)
    expect(came).toBeLessThan(whole.length)
  })

  test('bytes that stall run into the timeout', async () => {
    const look = await ordered('fault=stall work_ms=0')
    const timeouts = { ...look.timeouts, firstByteMs: 20, idleMs: 20 }
    expect(await faultOf(fetched({ ...look, timeouts }))).toMatchObject({ fault: 'timeout' })
  })
})

test('the same order makes the same bytes, and another prompt or seed others', async () => {
  const one = await filmOf()
  expect(one.equals(await filmOf())).toBe(true)
  expect(one.equals(await filmOf({ prompt: 'کوه' }))).toBe(false)
  expect(one.equals(await filmOf({ seed: 7 }))).toBe(false)
})

test('whoever leaves while a video is made ends the making', async () => {
  const leaving = new AbortController()
  const look = await ordered('work_ms=0', { seconds: 30, resolution: '1080p' })
  const reading = fetched({ ...look, signal: leaving.signal })
  leaving.abort(new Error('gone'))
  expect(await faultOf(reading)).toMatchObject({ fault: 'aborted' })
})

test('places are given in the order of coming, and whoever leaves takes none', async () => {
  const places = new WorkSlots(1)
  const first = await places.enter(signal)
  const leaving = new AbortController()
  const [left, next] = [places.enter(leaving.signal), places.enter(signal)]
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  first[Symbol.dispose]()
  const second = await next
  second[Symbol.dispose]()
  using _last = await places.enter(signal)
  await expect(places.enter(AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
})
