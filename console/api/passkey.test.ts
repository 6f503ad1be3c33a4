import { expect, test } from 'vitest'
import { base64urlOf, bytesOf } from './passkey.ts'

test('bytes and base64url are each other', () => {
  for (const length of [0, 1, 2, 3, 4, 255]) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 97 + 251) % 256)
    const text = base64urlOf(bytes.buffer)
    expect(text).toBe(Buffer.from(bytes).toString('base64url'))
    expect(bytesOf(text)).toEqual(bytes)
  }
})
