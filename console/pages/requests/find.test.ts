import { expect, test } from 'vitest'
import { cleanWanted, mayBeCallersId, mayBeIdempotencyKey, requestIdIn } from './find.ts'

const id = '01a1771d-bcc0-700a-bbde-444852b9fe12'
const hex = id.replaceAll('-', '')

test('a request is found by its id and by that of its answer, however it was copied', () => {
  for (const text of [
    id,
    id.toUpperCase(),
    hex,
    `req_${hex}`,
    `req_${id}`,
    `msg_${hex}`,
    `resp_${hex}`,
    `chatcmpl-${hex}`,
  ])
    expect(requestIdIn(text), text).toBe(id)
  expect(requestIdIn('۰۱a1771d-bcc0-700a-bbde-444852b9fe12')).toBe(id)
  for (const text of ['', 'order-17', `${id}0`, `file_${hex}`, id.replace('-', '')])
    expect(requestIdIn(text), text).toBeUndefined()
})

test('blanks and signs of direction around a copied text are no part of it', () => {
  expect(cleanWanted(`\u2066 order-17 \u2069\n`)).toBe('order-17')
})

test('every key that the API takes is looked for as an idempotency key', () => {
  for (const key of ['order-17:2', 'سفارش-۱۲', 'می‌خرم ۱۷', 'order/12 3', 'a+b=c?&#%', '😀'.repeat(128)])
    expect(mayBeIdempotencyKey(key), key).toBe(true)
  for (const text of ['', 'x'.repeat(129), '😀'.repeat(129), 'a\u0000b'])
    expect(mayBeIdempotencyKey(text), JSON.stringify(text)).toBe(false)
  expect(['ب'.repeat(120), '😀'.repeat(120), 'ب'.repeat(121)].map(mayBeCallersId)).toEqual([
    true,
    true,
    false,
  ])
})
