/** Runs that search and read: each use is a step with its fee, charged once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quantitiesOf } from '../text/chat-world.ts'
import { bootWithTools, fetchFee, findings, searchFee, type ToolsWorld } from '../text/tools-world.ts'
import { create, ended, openStage, whole } from './work-world.ts'

const stage = openStage()
let at: ToolsWorld
beforeAll(async () => {
  at = await bootWithTools('chat', { pipelines: stage.pipelines })
})
afterAll(() => at[Symbol.asyncDispose]())

test('searches and pages are paid by use where they did not fail, and are on the receipt', async () => {
  stage.play(
    'look it all up',
    async (context) => {
      const found = await context.search('search/1', 'خورشید')
      expect(found.map(({ url }) => url)).toEqual(findings.map(({ url }) => url))
      expect(await context.search('search/1', 'something else')).toEqual(found)
      const read = await context.read('read/1', `${at.pages}/report`)
      expect(read).toMatchObject({
        title: 'گزارش',
        text: expect.stringContaining('متن گزارش'),
        readAt: expect.stringMatching(/^2\d{3}-.*Z$/),
      })
      expect(await context.read('read/2', `${at.pages}/missing`)).toBeUndefined()
      return whole
    },
    { asks: [], searches: 1, reads: 2 },
  )
  await at.world.settled()
  const before = await at.world.balance()
  const { body } = await create(at.key, { input: 'look it all up' })
  const worst = searchFee + 2n * fetchFee
  expect(BigInt(body.reserved_credits)).toBe((worst + 999_999n) / 1_000_000n)
  const run = await ended(at.key, body.id)
  expect(run.error).toBeNull()
  expect(at.asked).toHaveLength(1)
  const cost = searchFee + fetchFee
  expect(await at.world.balance()).toEqual({ available: before.available - cost, held: 0n })
  const { body: receipt } = await at.key.receipt(body.request_id)
  expect(receipt.microcredits).toBe(String(cost))
  expect(receipt.details.steps).toMatchObject([
    { step: 'search/1', kind: 'search', state: 'done', microcredits: Number(searchFee) },
    { step: 'read/1', kind: 'read', state: 'done', microcredits: Number(fetchFee) },
    { step: 'read/2', kind: 'read', state: 'done', microcredits: 0 },
  ])
  expect(await quantitiesOf(at.world, body.request_id)).toEqual({ searches: 1, fetches: 1 })
})

test('a page that cannot be read costs nothing; a search that cannot be paid is not begun', async () => {
  const asked = at.asked.length
  let short: unknown
  stage.play(
    'find what is lost',
    async (context) => {
      expect(await context.read('read/1', `${at.pages}/missing`)).toBeUndefined()
      short = await context.search('search/1', 'sun').catch((error: unknown) => error)
      return whole
    },
    { asks: [], searches: 0, reads: 1 },
  )
  await at.world.settled()
  const before = await at.world.balance()
  const { body } = await create(at.key, { input: 'find what is lost' })
  expect((await ended(at.key, body.id)).error).toBeNull()
  expect(short).toMatchObject({ name: 'OutOfCredits' })
  expect(at.asked).toHaveLength(asked)
  expect(await at.world.balance()).toEqual(before)
})
