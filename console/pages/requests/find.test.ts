import { expect, test } from 'vitest'
import { cleanWanted, mayBeIdempotencyKey, requestIdIn } from './find.ts'

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
  expect(mayBeIdempotencyKey('order-17:2')).toBe(true)
  expect(mayBeIdempotencyKey('سفارش ۱۷')).toBe(false)
})
