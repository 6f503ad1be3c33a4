import { expect, test } from 'vitest'
import { requireFits } from './bucket-limits.ts'
import type { BucketRow } from './bucket-store.ts'

const takes = (allowed: string[], contentType: string): boolean => {
  try {
    requireFits({ file_size_limit: null, allowed_mime_types: allowed } as unknown as BucketRow, {
      contentType,
    })
    return true
  } catch {
    return false
  }
}

test('a type that a bucket allows is taken by every name and with every parameter that browsers give it', () => {
  for (const [allowed, given] of [
    ['audio/webm', 'audio/webm;codecs=opus'],
    ['image/jpeg', 'image/jpg'],
    ['image/jpg', 'image/jpeg'],
    ['audio/mp4', 'Audio/X-M4A'],
    ['audio/*', 'audio/webm;codecs=opus'],
    ['*/*', 'text/plain'],
  ] as const)
    expect([given, takes([allowed], given)]).toEqual([given, true])
  expect(takes(['image/png'], 'image/jpeg')).toBe(false)
})
