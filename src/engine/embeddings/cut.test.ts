import { expect, test } from 'vitest'
import { cutIntoOrders, ordersAtOnce } from './cut.ts'

const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`)

test('orders have at most the texts of the model, in order, and the last has what is left', () => {
  const texts = words(70)
  const orders = cutIntoOrders({ maxBatch: 32, maxBatchTokens: 300_000 }, texts)
  expect(orders.map(({ length }) => length)).toEqual([32, 32, 6])
  expect(orders.flat()).toEqual(texts)
  expect(cutIntoOrders({ maxBatch: 70, maxBatchTokens: 300_000 }, texts)).toHaveLength(1)
})

test('orders have at most the tokens that its texts can be, and a text that has more goes alone', () => {
  // 20 bytes are 10 tokens at most, and 4 around them.
  const text = 'a'.repeat(20)
  const cut = (maxBatchTokens: number, texts: string[]) =>
    cutIntoOrders({ maxBatch: 100, maxBatchTokens }, texts).map(({ length }) => length)
  expect(cut(28, [text, text, text])).toEqual([2, 1])
  expect(cut(27, [text, text, text])).toEqual([1, 1, 1])
  expect(cut(28, ['a', text.repeat(10), 'b', 'c'])).toEqual([1, 1, 2])
})

test('small orders go out by four, large ones one after the other', () => {
  expect([1, 32, 128, 256, 512, 2_048].map((maxBatch) => ordersAtOnce({ maxBatch }))).toEqual([
    4, 4, 4, 2, 1, 1,
  ])
})
