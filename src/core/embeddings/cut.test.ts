import { expect, test } from 'vitest'
import { cutIntoOrders, orderConcurrency } from './cut.ts'

const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`)
const model = { maxBatch: 32, maxBatchTokens: 300_000, encoding: 'base64' as const }
const lengths = async (bounds: Partial<typeof model>, texts: string[]) =>
  (await cutIntoOrders({ ...model, ...bounds }, texts)).map((order) => order.texts.length)

test('orders have at most the texts of the model, in order, and the last has what is left', async () => {
  const texts = words(70)
  expect(await lengths({}, texts)).toEqual([32, 32, 6])
  expect((await cutIntoOrders(model, texts)).flatMap((order) => order.texts)).toEqual(texts)
  expect(await lengths({ maxBatch: 70 }, texts)).toEqual([70])
})

test('orders have at most the tokens that its texts can be, and a text that has more goes alone', async () => {
  // 20 bytes are at most 10 tokens, plus 4 special tokens around them.
  const text = 'a'.repeat(20)
  expect(await lengths({ maxBatchTokens: 28 }, [text, text, text])).toEqual([2, 1])
  expect(await lengths({ maxBatchTokens: 27 }, [text, text, text])).toEqual([1, 1, 1])
  expect(await lengths({ maxBatchTokens: 28 }, ['a', text.repeat(10), 'b', 'c'])).toEqual([1, 1, 2])
})

test('the tokens of an order are those of its texts', async () => {
  // The texts have 20 and 8 bytes.
  expect(await cutIntoOrders(model, ['a'.repeat(20), 'گربه'])).toMatchObject([
    { most: 14 + 8, possible: 24 + 12, estimated: 5 + 2 },
  ])
})

test('vectors that come as numbers are ordered for 256 texts at most', async () => {
  const bounds = { ...model, maxBatch: 2_048, encoding: 'float' as const }
  expect((await cutIntoOrders(bounds, words(600))).map(({ texts }) => texts.length)).toEqual([256, 256, 88])
  expect(orderConcurrency(bounds)).toBe(2)
})

test('small orders go out by four, large ones one after the other', () => {
  const atOnce = [1, 32, 128, 256, 512, 2_048].map((maxBatch) => orderConcurrency({ ...model, maxBatch }))
  expect(atOnce).toEqual([4, 4, 4, 2, 1, 1])
})
