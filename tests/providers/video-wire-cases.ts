/** What every wire of videos must give: from the order to the bytes, and for each fault of each request. */
import { describe, expect, test } from 'vitest'
import type { VideoTicket } from '#core/spec'
import type { VideoClient } from '#providers/kit'
import { until } from '../harness/until.ts'
import { cut, json, stream } from '../harness/upstream.ts'
import {
  fakeVideoUpstream,
  type VideoUpstream,
  type VideoWire,
  videoFixture,
} from '../harness/video-upstream.ts'
import { patient } from './asking.ts'
import { holdTimeouts } from './held-timeouts.ts'
import { held, heldFromMs, secret } from './media-asking.ts'
import { fetching, looking, lookOf, type OpenRoom, submitting } from './video-asking.ts'

interface Setting extends AsyncDisposable {
  upstream: VideoUpstream
  room: VideoClient
}
type Open = () => Promise<Setting>

export function everyVideoWire(wire: VideoWire, open: OpenRoom): void {
  const setting: Open = async () => {
    const upstream = await fakeVideoUpstream(wire)
    const room = open({ baseUrl: upstream.url, apiKey: secret }, upstream.net)
    return {
      upstream,
      room,
      async [Symbol.asyncDispose]() {
        await room[Symbol.asyncDispose]()
        await upstream[Symbol.asyncDispose]()
      },
    }
  }
  wholeJobs(setting)
  submissions(setting)
  unsentSubmissions(wire, open, setting)
  looks(setting)
  brokenBytes(setting)
  piecesOfBytes(setting)
}

const ordered = async (room: VideoClient): Promise<VideoTicket> => (await submitting(room)).ticket!
const completed = async ({ upstream, room }: Setting): Promise<VideoTicket> => {
  upstream.plan({ states: ['completed'] })
  return ordered(room)
}
/** Without what is asked of the model before. */
const legs = ({ calls, legOf }: VideoUpstream) => calls.map(legOf).filter((leg) => leg !== 'card')
const noKeyElsewhere = ({ linked }: VideoUpstream) =>
  expect(JSON.stringify(linked.map(({ path, headers }) => [path, headers]))).not.toContain(secret)

function wholeJobs(setting: Open): void {
  test('a job goes from its order to its bytes, which are those of the vendor', async () => {
    await using set = await setting()
    const { upstream, room } = set
    const ticket = await ordered(room)
    expect(ticket.id.length).toBeLessThanOrEqual(500)
    const seen = [await looking(room, ticket), await looking(room, ticket), await looking(room, ticket)]
    // Some wires do not say that a job waits.
    expect(seen.map(({ progress }) => progress?.status?.replace('queued', 'processing'))).toEqual([
      'processing',
      'processing',
      'completed',
    ])
    for (let times = 0; times < 2; times += 1) {
      const { bytes, error } = await fetching(room, ticket)
      expect(error).toBeUndefined()
      expect(bytes.equals(videoFixture('720p-4s-sound'))).toBe(true)
    }
    expect(upstream.jobs).toHaveLength(1)
    expect(upstream.jobs[0]!.looks).toBeGreaterThanOrEqual(3)
    noKeyElsewhere(upstream)
  })

  test('the doctor is told whether the key is accepted', async () => {
    await using set = await setting()
    const { signal } = new AbortController()
    await set.room.ping(signal)
    set.upstream.fail('list', 401)
    await expect(set.room.ping(signal)).rejects.toMatchObject({ fault: 'authentication' })
    expect(set.upstream.jobs).toHaveLength(0)
  })
}

function submissions(setting: Open): void {
  describe('a submission', () => {
    test.each([400, 401, 402, 403, 404, 422, 429, 503] as const)(
      'that is refused with %d did no work',
      async (status) => {
        await using set = await setting()
        set.upstream.fail('submit', status)
        expect((await submitting(set.room)).error).toMatchObject({ executed: false, status })
        expect(set.upstream.jobs).toHaveLength(0)
        expect(legs(set.upstream)).toEqual(['submit'])
      },
    )

    test.each(['lost', 'malformed', 'nameless', 500] as const)(
      'whose answer is %s may have been carried out, and is not sent again',
      async (fault) => {
        await using set = await setting()
        set.upstream.fail('submit', fault)
        expect((await submitting(set.room)).error).toMatchObject({ executed: true })
        expect(set.upstream.jobs).toHaveLength(1)
        expect(legs(set.upstream)).toEqual(['submit'])
      },
    )

    test('that nobody answers may have been carried out', async () => {
      await using set = await setting()
      set.upstream.fail('submit', 'hang')
      using times = holdTimeouts(heldFromMs)
      const asked = submitting(set.room, {}, { timeouts: held })
      await until(() => set.upstream.jobs.length > 0)
      times.end()
      expect((await asked).error).toMatchObject({ fault: 'timeout', executed: true })
      expect(set.upstream.jobs).toHaveLength(1)
    })

    test('whose content is refused says so, in the words of the vendor', async () => {
      await using set = await setting()
      set.upstream.fail('submit', 'refused')
      const { error } = await submitting(set.room)
      expect(error).toMatchObject({ fault: 'content_refused', executed: false, detail: expect.any(String) })
    })
  })
}

function unsentSubmissions(wire: VideoWire, open: OpenRoom, setting: Open): void {
  describe('a submission', () => {
    test('to an address where nobody listens was not carried out', async () => {
      const closed = await fakeVideoUpstream(wire)
      await closed[Symbol.asyncDispose]()
      await using room = open({ baseUrl: closed.url, apiKey: secret }, closed.net)
      expect((await submitting(room)).error).toMatchObject({ fault: 'connect', executed: false })
    })

    test('that was aborted before is not sent, and one on its way may have been carried out', async () => {
      await using set = await setting()
      const { error } = await submitting(set.room, {}, { signal: AbortSignal.abort() })
      expect(error).toMatchObject({ fault: 'aborted', executed: false })
      expect(set.upstream.calls).toHaveLength(0)
      set.upstream.fail('submit', 'hang')
      const caller = new AbortController()
      const arrival = set.upstream.arrival('submit')
      const asked = submitting(set.room, {}, { signal: caller.signal })
      await arrival
      caller.abort()
      expect((await asked).error).toMatchObject({ fault: 'aborted', executed: true })
    })
  })
}

function looks(setting: Open): void {
  describe('a look', () => {
    test.each([
      ['refused', 'content_refused'],
      ['failed', 'unavailable'],
    ] as const)('at a job that is %s is a result', async (state, fault) => {
      await using set = await setting()
      set.upstream.plan({ states: [state] })
      const { progress } = await looking(set.room, await ordered(set.room))
      expect(progress).toMatchObject({ status: 'failed', fault: { fault, detail: expect.any(String) } })
    })

    test('at a job that nobody knows throws not_found', async () => {
      await using set = await setting()
      set.upstream.plan({ states: ['queued', 'gone'] })
      const ticket = await ordered(set.room)
      expect((await looking(set.room, ticket)).progress?.status).toMatch(/^(queued|processing)$/)
      expect((await looking(set.room, ticket)).error).toMatchObject({ fault: 'not_found' })
    })

    test.each([
      ['lost', 'reset'],
      ['malformed', 'malformed'],
      ['nameless', undefined],
      [401, 'authentication'],
      [429, 'rate_limited'],
      [500, 'unavailable'],
      [503, 'unavailable'],
    ] as const)('that comes to %s throws, and the next one finds the job', async (fault, expected) => {
      await using set = await setting()
      set.upstream.plan({ states: ['completed'] })
      const ticket = await ordered(set.room)
      set.upstream.fail('look', fault)
      const { error, progress } = await looking(set.room, ticket)
      if (expected !== undefined) expect(error).toMatchObject({ fault: expected })
      // One of these wires says of a job under way nothing at all.
      else expect(error?.fault === 'malformed' || progress?.status === 'processing').toBe(true)
      expect((await looking(set.room, ticket)).progress?.status).toBe('completed')
    })

    test('of more than a mebibyte is malformed', async () => {
      await using set = await setting()
      const ticket = await ordered(set.room)
      set.upstream.fail('look', json(200, { padding: 'x'.repeat(1024 * 1024) }))
      expect((await looking(set.room, ticket)).error).toMatchObject({ fault: 'malformed' })
    })

    test('at an id that could lead elsewhere is not sent', async () => {
      await using set = await setting()
      for (const id of ['', '..', '../models', 'a/../b', 'a?b', 'a#b', 'a b', '%2e%2e', 'x'.repeat(501)]) {
        expect((await looking(set.room, { id })).error).toMatchObject({ fault: 'not_found' })
        expect((await fetching(set.room, { id })).error).toMatchObject({ fault: 'not_found' })
      }
      expect(set.upstream.calls).toHaveLength(0)
    })
  })
}

function brokenBytes(setting: Open): void {
  describe('the bytes', () => {
    test.each([
      ['truncated', 'cut'],
      ['lost', 'reset'],
      ['loop', 'malformed'],
      [404, 'not_found'],
      [429, 'rate_limited'],
      [500, 'unavailable'],
      [503, 'unavailable'],
    ] as const)('that come to %s throw %s, and may be fetched again', async (fault, expected) => {
      await using set = await setting()
      const ticket = await completed(set)
      const whole = videoFixture('720p-4s-sound')
      set.upstream.fail('content', fault, fault === 'loop' ? 9 : 1)
      const { error, bytes } = await fetching(set.room, ticket)
      expect(error).toMatchObject({ fault: expected })
      expect(
        bytes.equals(fault === 'truncated' ? whole.subarray(0, whole.length / 2) : Buffer.alloc(0)),
      ).toBe(true)
      if (fault !== 'loop') expect((await fetching(set.room, ticket)).bytes.equals(whole)).toBe(true)
      noKeyElsewhere(set.upstream)
    })

    test.each(['hang', 'stalled'] as const)('that %s end by their timeout', async (fault) => {
      await using set = await setting()
      const ticket = await completed(set)
      set.upstream.fail('content', fault)
      const short = { ...patient, connectMs: 1_000, firstByteMs: 200, idleMs: 200 }
      const { error } = await fetching(set.room, ticket, { timeouts: short })
      expect(error).toMatchObject({ fault: 'timeout' })
    })

    test('end with the iteration, and with an abort', async () => {
      await using set = await setting()
      const ticket = await completed(set)
      set.upstream.fail('content', 'stalled', 2)
      for await (const chunk of set.room.fetch(lookOf(ticket, {}))) {
        expect(chunk.length).toBeGreaterThan(0)
        break
      }
      const last = set.upstream.linked.at(-1) ?? set.upstream.calls.at(-1)!
      await last.whenAborted
      const caller = new AbortController()
      const reading = set.room.fetch(lookOf(ticket, { signal: caller.signal }))[Symbol.asyncIterator]()
      await reading.next()
      caller.abort()
      await expect(reading.next()).rejects.toMatchObject({ fault: 'aborted' })
    })
  })
}

function piecesOfBytes(setting: Open): void {
  describe('the pieces of the bytes', () => {
    test('are cut whatever the byte at which the line breaks', async () => {
      await using set = await setting()
      const ticket = await completed(set)
      const whole = videoFixture('480p-5s-silent')
      for (const at of [1, 2, 100, whole.length - 1]) {
        const headers = { 'content-type': 'video/mp4', 'content-length': String(whole.length) }
        set.upstream.fail('content', stream([whole.subarray(0, at), cut], headers))
        const { error, bytes } = await fetching(set.room, ticket)
        expect(error).toMatchObject({ fault: 'cut' })
        expect(bytes.equals(whole.subarray(0, at))).toBe(true)
      }
      set.upstream.fail('content', stream([whole.subarray(0, 100), cut], { 'content-type': 'video/mp4' }))
      expect((await fetching(set.room, ticket)).error).toMatchObject({ fault: 'cut' })
    })

    test('are the same in whatever pieces they come', async () => {
      await using set = await setting()
      const ticket = await completed(set)
      const whole = videoFixture('480p-5s-silent')
      const pieces = Array.from({ length: whole.length }, (_, at) => whole.subarray(at, at + 1))
      set.upstream.fail('content', stream(pieces, { 'content-type': 'video/mp4' }))
      expect((await fetching(set.room, ticket)).bytes.equals(whole)).toBe(true)
    })
  })
}
