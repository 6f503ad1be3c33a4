/**
 * Every fault of an upstream, and a caller who leaves, for every medium on every route that orders it: one order at most, the charge exact or
 * none, the file there or the hold released, and a repeat with the key that never orders a second time what may have been made.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seesClose } from '../../harness/closes.ts'
import { until } from '../../harness/until.ts'
import type { UpstreamCall } from '../../harness/upstream.ts'
import { holdTimeouts } from '../../providers/held-timeouts.ts'
import type { Answer } from './answer.ts'
import { type Fault, faults, type Outcome } from './faults.ts'
import { type Kind, kinds } from './kinds.ts'
import { type Books, type FaultWorld, type Newcomer, newcomer, openFaultWorld } from './world.ts'

let at: FaultWorld
beforeAll(async () => {
  at = await openFaultWorld()
})
afterAll(() => at[Symbol.asyncDispose]())

const claim = { 'idempotency-key': 'once' }

/** What an order came to. */
interface Sent {
  kind: Kind
  own: Newcomer
  answer: Answer
  /** What reached the upstream. */
  orders: readonly UpstreamCall[]
}

describe.each(Object.entries(kinds))('%s', (_, kind) => {
  const possible = Object.entries(faults).flatMap(([name, fault]) => {
    const outcome = kind.stage.outcomeOf(kind, fault)
    return outcome ? [[name, outcome, fault] as const] : []
  })

  test.each(possible)('%s: %s', async (_, outcome, fault) => {
    const sent = await sendInto(kind, fault)
    if (outcome === 'made') await expectMade(sent)
    else {
      expectFailure(sent, fault)
      await expectUnpaid(sent, outcome)
    }
    // What is done for an order that stands concerns no repeat of it.
    if (kind.stage.isOrder || outcome !== 'made') await expectRepeated(sent, outcome)
  })

  if (!kind.stage.isOrder) return
  test('its caller leaves while it is made: finished, paid once, and found by the repeat', async () => {
    const own = await newcomer(at)
    const before = kind.stage.orders(at).length
    const held = kind.stage.hold(at, kind, own)
    using released = new DisposableStack()
    released.defer(held.release)
    const leaving = new AbortController()
    const closed = seesClose(own.client.secret)
    const asked = kind.send(at, own.client, claim, leaving.signal)
    await held.arrived
    leaving.abort()
    const answer = await asked
    expect(answer).toEqual({ status: 0 })
    // Not before the server knows: what is answered to a caller who is still there proves nothing.
    await closed
    expect((await own.books()).held).toBeGreaterThanOrEqual(kind.price)
    released.dispose()
    await kind.stage.until(at, async () => (await own.books()).charged === kind.price)
    await at.world.settled()
    const orders = kind.stage.orders(at).slice(before)
    expect(orders.length).toBe(kind.orders)
    await expectPaid({ kind, own })
    await expectRepeated({ kind, own, answer, orders }, 'made')
  })
})

/** Plays the fault in place of the next answer, and sends an order into it. */
async function sendInto(kind: Kind, fault: Fault): Promise<Sent> {
  if (kind.isNoneOnError && fault.isError) await closeBreaker(kind)
  const own = await newcomer(at)
  const before = kind.stage.orders(at).length
  using timeouts = holdTimeouts(kind.stage.heldFromMs)
  const played = kind.stage.fail(at, kind, fault)
  const asked = kind.send(at, own.client, claim)
  if (fault.isEndless) {
    await played.arrived
    // One is left: that of the request which is under way for ever.
    await until(() => timeouts.open === 1)
    timeouts.end()
  }
  const answer = await asked
  await at.world.settled()
  if (kind.stage.lasts !== undefined) expect(played.asked()).toBe(kind.stage.lasts)
  return { kind, own, answer, orders: kind.stage.orders(at).slice(before) }
}

/** Its caller is told whose fault it was, unless the line of an answer that had begun is cut. */
function expectFailure({ kind, answer: { status, code } }: Sent, { isOfContent }: Fault): void {
  if (isOfContent) {
    expect(code).toBe('CONTENT_REFUSED')
    return
  }
  if (status !== 0 || code !== undefined) expect(code).toMatch(/^UPSTREAM_/)
  // Of a video that was not made there are no bytes, which is no fault of the server that says so.
  if (kind.isAccepted) expect(status).toBe(409)
  else if (status !== 0) expect(status).toBeGreaterThanOrEqual(500)
}

/** One that the tests before have opened would keep what failed from being asked for again at once. */
async function closeBreaker(kind: Kind): Promise<void> {
  const other = await newcomer(at)
  kind.stage.hold(at, kind, other).release()
  expect((await kind.send(at, other.client, {})).status).toBe(200)
}

/** Nothing is charged, held or kept, and what may have been made is the platform's loss. */
async function expectUnpaid(sent: Sent, outcome: 'lost' | 'free'): Promise<void> {
  const { kind, own, orders } = sent
  expect(orders.length).toBe(1)
  const lost = outcome === 'lost' ? kind.lossOf(orders) : 0n
  expect(await own.books()).toEqual({ ...nothing, receipts: [['failed', 0n]], lost })
}
const nothing: Books = { charged: 0n, held: 0n, lost: 0n, reserved: 0, receipts: [], files: [] }

/** What surely was not made was asked for once more. */
async function expectMade(sent: Sent): Promise<void> {
  const { kind, answer, orders } = sent
  expect([answer.status, answer.code]).toEqual([200, undefined])
  expect(orders.length).toBe(kind.orders + (kind.stage.isOrder ? 1 : 0))
  await expectPaid(sent)
}

/** It is charged exactly, and its file is there, whole. */
async function expectPaid({ kind, own }: Pick<Sent, 'kind' | 'own'>, failed: Books['receipts'] = []) {
  const { files, ...books } = await own.books()
  const receipts = [...failed, ['completed', kind.price]]
  expect(books).toEqual({ charged: kind.price, held: 0n, lost: 0n, reserved: 0, receipts })
  expect(files).toHaveLength(kind.isStored ? 1 : 0)
  for (const { id, bytes } of files) {
    const kept = Buffer.from(await (await own.client.raw('GET', `/v1/files/${id}`)).arrayBuffer())
    expect([kept.length > 0, kept.length]).toEqual([true, bytes])
    if (kind.file) expect(kept.equals(kind.file)).toBe(true)
  }
}

/** A repeat with the key makes what surely was not made; anything else it neither orders nor charges again. */
async function expectRepeated({ kind, own, answer }: Sent, outcome: Outcome): Promise<void> {
  const [before, books] = [kind.stage.orders(at).length, await own.books()]
  const again = await kind.send(at, own.client, claim)
  await at.world.settled()
  if (outcome === 'free' && !kind.isAccepted) {
    expect(again.status).toBe(200)
    return expectPaid({ kind, own }, books.receipts)
  }
  expect([kind.stage.orders(at).length - before, await own.books()]).toEqual([0, books])
  const files = books.files.map(({ id }) => id)
  const replayed = again.headers?.get('idempotent-replayed')
  if (kind.isAccepted) {
    const first = outcome === 'made' ? [200, undefined] : [answer.status, answer.code]
    expect([again.status, again.code, replayed]).toEqual([...first, 'true'])
  } else if (outcome === 'lost' || kind.isStreamed) {
    const refusal = { status: 409, code: 'REQUEST_ALREADY_ACCEPTED' }
    expect(again).toMatchObject(files.length > 0 ? { ...refusal, files } : refusal)
  } else {
    expect([again.status, replayed]).toEqual([200, 'true'])
    expect(again.headers!.get('x-file-ids')).toBe(kind.isStored ? files.join(', ') : null)
  }
}
