import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { expectNoHold } from '../../../tests/cost/cost.ts'
import { similarNames } from './similar-names.ts'

test.each([
  ['item', ['orders', 'items', 'item_kinds'], 'items'],
  ['otp_verify_rate_limits', ['users', 'otp_rate_limits'], 'otp_rate_limits'],
  ['Orders', ['orders'], 'orders'],
  ['order_itmes', ['orders', 'order_items'], 'order_items'],
  ['faketable', ['private_table', 'clients'], 'private_table'],
  ['سفارش', ['سفارش‌ها', 'مشتری‌ها'], 'سفارش‌ها'],
  ['garlic', ['articles', 'clients'], 'articles'],
  ['zzz', ['orders', 'items'], undefined],
  ['nothing', [], undefined],
])('%s may have meant one of %j: %s', (name, names, meant) => {
  expect(similarNames(name, names)[0]).toBe(meant)
})

test('thousands of names as long as they may be hold nobody up, and a name that is none is not compared', async () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `${String(at).padStart(8, '0')}${'ab'.repeat(27)}`)
  await expectNoHold('similar names', async () => {
    expect(similarNames(`x${'ab'.repeat(31)}`, names).length).toBeGreaterThan(0)
    await nextTurn()
  })
  expect(similarNames('a'.repeat(1_000_000), names)).toEqual([])
})
