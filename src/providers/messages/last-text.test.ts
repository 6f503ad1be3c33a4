import { expect, test } from 'vitest'
import { withoutLastBlanks } from './last-text.ts'

const cut = (text: string): unknown => withoutLastBlanks([{ role: 'assistant', content: text }])

test('every blank of JavaScript, the separators of ASCII and U+0085 are cut at the end, and nothing else', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const letter = String.fromCharCode(code)
    const isBlank = /\s/.test(letter) || (code >= 0x1c && code <= 0x1f) || code === 0x85
    const wrong = `U+${code.toString(16)}`
    expect(JSON.stringify(cut(`a${letter}`)).includes('"a"') === isBlank, wrong).toBe(true)
  }
})
