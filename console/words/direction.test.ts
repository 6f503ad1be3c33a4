import { expect, test } from 'vitest'
import { type Direction, directionOfText } from './direction.ts'

test.each<[string, Direction]>([
  ['React یک کتابخانه است', 'rtl'],
  ['`npm ci` را بزنید', 'rtl'],
  ['1. نصب Node', 'rtl'],
  ['مدل GPT-5 Turbo Preview Large از OpenAI', 'rtl'],
  ['Kherad (خرد) is a platform', 'ltr'],
  ['The word سلام means hello', 'ltr'],
  ['سلام! چه کمکی از دستم برمی‌آید؟', 'rtl'],
  ['Hello, how can I help?', 'ltr'],
  ['https://kherad.example.ir را باز کنید', 'rtl'],
  ['Python: کد زیر را اجرا کنید', 'rtl'],
  ['- فهرست items', 'rtl'],
  ['SELECT * FROM users', 'ltr'],
  ['API را با curl صدا بزنید', 'rtl'],
  ['C++ بهتر است', 'rtl'],
])('the direction of %o is %s', (text, direction) => {
  for (const before of ['rtl', 'ltr'] as const) expect(directionOfText(text, before)).toBe(direction)
})

test.each(['', '۱۲٬۳۴۵', '...', '`code`', '—', '😀', 'https://example.ir/سلام'])(
  '%o has no letters of its own and takes the direction of the block before it',
  (text) => {
    expect(directionOfText(text, 'rtl')).toBe('rtl')
    expect(directionOfText(text, 'ltr')).toBe('ltr')
  },
)
