import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodeBase64InSlices, freeBytes, sha256InSlices } from './bytes.ts'

test('megabytes of Base64 are decoded to the byte, and what is not Base64 is nothing', async () => {
  for (const length of [0, 1, 2, 3, 786_431, 786_432, 786_433, 3_000_001]) {
    const bytes = Buffer.alloc(length, 'any text at all')
    const decoded = await decodeBase64InSlices(bytes.toString('base64'))
    expect(bytes.equals(decoded!), String(length)).toBe(true)
    expect(await sha256InSlices(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'))
  }
  const long = 'QUJD'.repeat(300_000)
  for (const wrong of [
    'QUI',
    'QU=I',
    'QUI=QUJD',
    '=',
    '====',
    'QUJ\n',
    `QUI=${long}`,
    `${long}Q-==`,
    `${long}س`,
  ])
    expect(await decodeBase64InSlices(wrong), wrong.slice(0, 10)).toBeUndefined()
})

test('freed bytes are empty', () => {
  const bytes = Buffer.allocUnsafeSlow(1_000)
  freeBytes(bytes)
  expect(bytes.length).toBe(0)
})
