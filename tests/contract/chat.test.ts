import { expect, test } from 'vitest'
import { boot } from '../harness/world.ts'

test('a chat is answered, charged to the micro-credit and explained by its receipt', async () => {
  await using world = await boot()
  const key = await world.key()
  const reply = await key.chat({})
  expect(reply.status).toBe(200)
  await world.settled()
  const receipt = await key.receipt(reply.headers.get('x-request-id')!)
  expect(receipt.body).toMatchObject({ state: 'completed', status_code: 200, pending: false, endpoint: '/v1/chat/completions' })
  const charged = BigInt(receipt.body.microcredits)
  expect(charged).toBeGreaterThan(0n)
  expect(await world.balance()).toEqual({ available: 1_000_000_000n - charged, held: 0n })
})
