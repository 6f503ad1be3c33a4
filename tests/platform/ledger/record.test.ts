/** Receipts without charges: answers of requests that are replayed, and fenced ids. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { effectOf } from '#platform/effects'
import { uuidv7 } from '#platform/ids'
import { ClaimTaken, fence, type HoldOptions, record } from '#platform/ledger'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { World } from '../../harness/world.ts'

let world: World
let payer: { accountId: string; projectId: string; keyId: string }
beforeAll(async () => {
  world = await sharedWorld()
  const { keyId } = await world.key()
  payer = { accountId: world.account, projectId: world.project, keyId }
})
afterAll(() => world[Symbol.asyncDispose]())

const now = () => new Date(world.app.clock.nowMs())
const endpoint = '/v1/test'
const hold = (receiptId: string, more: Partial<HoldOptions> = {}) =>
  world.app.ledger.hold({
    payer,
    receiptId,
    endpoint,
    microcredits: 5n,
    started: true,
    lifetimeMs: 60_000,
    ...more,
  })
const barred = (receiptId: string) =>
  world.app.db.tx((tx) => fence(tx, { payer, receiptId, endpoint }, now()))
const effect = (id: string) => effectOf(world.app.ledger, world.account, id)
const used = { microcredits: 3n, statusCode: 200, urgent: true }

test('under an id that was barred no hold is taken, and nothing is charged', async () => {
  const id = uuidv7()
  expect(await effect(id)).toEqual({ state: 'never' })
  expect(await barred(id)).toBe(true)
  const before = await world.balance()
  await expect(hold(id)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  await world.settled()
  expect(await world.balance()).toEqual(before)
  expect(await effect(id)).toEqual({ state: 'untouched' })
  expect(await barred(id)).toBe(false)
})

test('an id under which a hold was taken cannot be barred', async () => {
  const id = uuidv7()
  const taken = await hold(id)
  expect(await barred(id)).toBe(false)
  expect(await effect(id)).toEqual({ state: 'running' })
  await taken.settle({ ...used, state: 'completed', reply: '{"a":1}' })
  expect(await effect(id)).toEqual({ state: 'done', statusCode: 200, reply: '{"a":1}' })
  expect(await barred(id)).toBe(false)
})

test('of a hold and a bar at once exactly one comes first', async () => {
  for (let round = 0; round < 20; round++) {
    const id = uuidv7()
    const [held, isBarred] = await Promise.all([hold(id).catch(() => undefined), barred(id)])
    expect(isBarred).toBe(held === undefined)
    await held?.settle({ ...used, state: 'completed' })
  }
})

test('a call that failed says so: with what was reported, without effect, or ambiguous', async () => {
  const [told, untouched, lost] = [uuidv7(), uuidv7(), uuidv7()]
  const failed = { ...used, microcredits: 0n, state: 'failed' as const, statusCode: 502, freeClaim: true }
  await (await hold(told)).settle({ ...failed, reply: '{"e":1}' })
  await (await hold(untouched)).settle(failed)
  await hold(lost, { lifetimeMs: -1 })
  await world.app.ledger.sweep()
  expect(await effect(told)).toEqual({ state: 'failed', statusCode: 502, reply: '{"e":1}' })
  expect(await effect(untouched)).toEqual({ state: 'untouched' })
  expect(await effect(lost)).toEqual({ state: 'ambiguous' })
})

test('a recorded answer claims its key in the transaction of what it answers', async () => {
  const claim = { key: 'k', fingerprint: 'f' }
  const write = (receiptId: string) =>
    world.app.db.tx((tx) =>
      record(tx, { payer, receiptId, endpoint, claim, statusCode: 201, reply: '{}' }, now()),
    )
  const id = uuidv7()
  await write(id)
  await expect(write(uuidv7())).rejects.toMatchObject({ receiptId: id })
  await expect(write(uuidv7())).rejects.toBeInstanceOf(ClaimTaken)
  await expect(hold(uuidv7(), { claim })).rejects.toMatchObject({ receiptId: id })
  const found = await world.app.ledger.lookup(world.account, payer.keyId, 'k')
  expect(found).toMatchObject({ state: 'completed', status_code: 201, held: 0n, charged: 0n })
})
