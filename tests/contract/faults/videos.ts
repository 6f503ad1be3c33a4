/** Videos as kinds of the table: each fault meets the order, a look at it, or its bytes. */
import type { Client } from '../../harness/client.ts'
import { startMs, until } from '../../harness/until.ts'
import type { Leg } from '../../harness/video-upstream.ts'
import { type Answer, answerOf } from './answer.ts'
import type { Kind } from './kinds.ts'
import type { Stage } from './stages.ts'
import { videoBytes, videoLook, videoOrder } from './wires.ts'
import type { FaultWorld } from './world.ts'

/** 5 s at 0.1 USD each. */
const price = 500_000_000n
const body = { model: 'test/film', prompt: 'گربه‌ای روی بام' }

/** Until no video is open the clock moves to whatever they wait for, and stands while something is under way. */
async function untilOver({ world, clock }: FaultWorld): Promise<void> {
  const text = `select status, wait_until, ambiguous_until, next_at from videos.jobs where ended_at is null`
  await until(async () => {
    const open = await world.app.db.query<Waiting>({ text }, [])
    for (const row of open) {
      const leftMs = (waitsFor(row)?.getTime() ?? 0) - clock.nowMs()
      if (leftMs > 0 && !isLookedAt(row, leftMs)) clock.moveMs(leftMs)
    }
    return open.length === 0
  }, startMs)
}

interface Waiting {
  status: string
  wait_until: Date | null
  ambiguous_until: Date | null
  next_at: Date
}

const isLook = ({ status }: Waiting): boolean => status === 'submitted' || status === 'processing'
const waitsFor = (row: Waiting): Date | null => {
  if (row.status === 'queued') return row.wait_until
  if (row.status === 'submitting') return row.ambiguous_until
  return isLook(row) ? row.next_at : null
}
/** The longest pause between two looks is 15 s; a look that is under way has a minute. */
const isLookedAt = (row: Waiting, leftMs: number): boolean => isLook(row) && leftMs > 15_000

/** A route that takes orders, and where it says what became of them. */
interface Route {
  path: string
  /** Why it failed. */
  codeOf(client: Client, accepted: Accepted): Promise<string | undefined>
  contentOf(client: Client, accepted: Accepted): Promise<Response>
}
interface Accepted {
  id: string
  providerJobId?: string
}

const studio: Route = {
  path: '/v1/studio/video',
  codeOf: async (client, { id, providerJobId }) =>
    (await client.post('/v1/studio/video/status', { id, providerJobId })).body.error?.code,
  contentOf: (client, { id, providerJobId }) =>
    client.raw('POST', '/v1/studio/video/content', JSON.stringify({ id, providerJobId })),
}
const openRouter: Route = {
  path: '/v1/videos',
  codeOf: async (client, { id }) => (await client.get(`/v1/videos/${id}`)).body.error_code,
  contentOf: (client, { id }) => client.raw('GET', `/v1/videos/${id}/content`),
}

/** The status is that of its bytes, the code that of the job, and the headers are those of the 202. */
const filming =
  ({ path, codeOf, contentOf }: Route): Kind['send'] =>
  async (at, client, headers, signal): Promise<Answer> => {
    const accepted = await answerOf(client.raw('POST', path, JSON.stringify(body), headers, signal))
    if (accepted.status !== 202) return accepted
    await untilOver(at)
    const code = await codeOf(client, accepted.body)
    const { status } = await answerOf(contentOf(client, accepted.body))
    return { ...accepted, status, ...(code != null && { code }) }
  }

const video: Stage = {
  outcomeOf: (_, { outcome }) => outcome,
  heldFromMs: 700_000,
  isOrder: true,
  orders: ({ vendor }) => vendor.calls.filter((call) => vendor.legOf(call) === 'submit'),
  fail: failAt('submit'),
  hold({ world, vendor }, _, own) {
    // Its order is written, and its answer has not left yet.
    vendor.recover()
    const { db } = world.app
    const { tx } = db
    const committed = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    db.tx = (async (work: Parameters<typeof tx>[0]) => {
      const result = await tx.call(db, work)
      if ((await own.videos()) > 0) {
        committed.resolve()
        await left.promise
      }
      return result
    }) as typeof tx
    const release = (): void => {
      db.tx = tx
      left.resolve()
    }
    return { arrived: committed.promise, release }
  },
  async until(at, condition) {
    await untilOver(at)
    await until(condition)
  },
}

/** The fault meets so many requests of this leg; one that a timeout has to end meets the first. */
function failAt(leg: Leg, times = 1): Stage['fail'] {
  return ({ vendor }, { wire }, { script, isEndless }) => {
    vendor.recover()
    const before = vendor.calls.length
    vendor.fail(leg, script(wire), isEndless ? 1 : times)
    const asked = () => vendor.calls.slice(before).filter((call) => vendor.legOf(call) === leg).length
    return { arrived: vendor.arrival(leg), asked }
  }
}

/** Whatever a vendor answers to a look but that its job has failed is looked at again. */
const look: Stage = {
  ...video,
  outcomeOf: (_, { isOfContent }) => (isOfContent ? 'free' : 'made'),
  // The longest that a look may take.
  heldFromMs: 30_000,
  isOrder: false,
  // More often than a breaker of calls would bear.
  fail: failAt('look', 6),
}
const bytes: Stage = {
  ...video,
  outcomeOf: (_, { isOfContent }) => (isOfContent ? undefined : 'made'),
  // The longest that a fetch may take.
  heldFromMs: 600_000,
  isOrder: false,
  fail: failAt('content'),
}
/** Bytes that are wrong each time they are fetched. */
const bytesForGood: Stage = {
  ...bytes,
  outcomeOf: (_, { isAnswered }) => (isAnswered ? 'lost' : undefined),
  lasts: 4,
  fail: failAt('content', 100),
}

const film = {
  price,
  orders: 1,
  lossOf: () => price,
  isStored: true,
  file: videoBytes.medium,
  isAccepted: true,
}
/** What becomes of an order is the same by whichever route it came: each stage stands in the table once, but for the order itself. */
export const films: Record<string, Kind> = {
  'video, its order, /v1/studio/video': { ...film, wire: videoOrder, stage: video, send: filming(studio) },
  'video, its order, /v1/videos': { ...film, wire: videoOrder, stage: video, send: filming(openRouter) },
  'video, a look at it, /v1/videos': { ...film, wire: videoLook, stage: look, send: filming(openRouter) },
  'video, its bytes, /v1/studio/video': { ...film, wire: videoBytes, stage: bytes, send: filming(studio) },
  'video, its bytes for good, /v1/videos': {
    ...film,
    wire: videoBytes,
    stage: bytesForGood,
    send: filming(openRouter),
  },
}
