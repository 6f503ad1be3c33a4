import { expect, test } from 'vitest'
import { expectSameSums, makeCalls } from '../../account/usage-proof.ts'
import { testSeed } from '../../harness/seed.ts'
import { boot } from '../../harness/world.ts'

test('usage in every zone, interval and grouping, requests, receipts and the ledger have the same sums over 100,000 calls', async () => {
  await using world = await boot({ credits: 1_000_000 })
  const shop = await makeCalls(world, 100_000, testSeed)
  expect(shop.calls.length).toBeGreaterThanOrEqual(100_000)
  await expectSameSums(shop)
}, 900_000)
