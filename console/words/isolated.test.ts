import { expect, test } from 'vitest'
import { partsOfCode } from './isolated.ts'

test('a Persian text in a code has a direction of its own, and nothing is lost', () => {
  const code = `-d '{"role":"user","content":"سلام! خودت را معرفی کن"}'\nprint("hello")`
  const parts = partsOfCode(code)
  expect(parts.filter(({ isRtl }) => isRtl)).toEqual([{ text: 'سلام! خودت را معرفی کن', isRtl: true }])
  expect(parts.map(({ text }) => text).join('')).toBe(code)
})
