import { expect, test } from 'vitest'
import type { Direction } from '../../words/direction.ts'
import { directionWhileWritten } from './directions.ts'
import { Reader } from './reader.ts'

const directionsOf = (text: string, first: Direction = 'rtl', isStreaming = false): string[] =>
  new Reader()
    .read(text, isStreaming, first)
    .flatMap(({ kind, directions }) => (kind === 'markdown' ? directions : []))

test.each<[string, string[]]>([
  ['- نصب\n- Run it\n- پایان کار', ['rtl']],
  ['- React\n- کتابخانه‌ای برای صفحه‌ها', ['rtl']],
  ['- This is a long item in English\n- سلام', ['ltr']],
  ['| Name | نام |\n|---|---|\n| Kherad | خرد یک سامانه است |', ['rtl']],
  ['Hello\n\n۱۲۳\n\n`code`', ['ltr', 'ltr', 'ltr']],
  ['123\n\n...', ['rtl', 'rtl']],
  ['[ok](https://x.ir/long-latin-path) را باز کنید و بخوانید', ['rtl']],
  ['$x_{velocity}$ سرعت است', ['rtl']],
  ['Text in English:\n- نخست\n- دوم', ['ltr rtl']],
])('the blocks of %j run %j', (text, directions) => {
  expect(directionsOf(text)).toEqual(directions)
})

test.each<[string, Direction]>([
  ['React یک کتابخانه است که با آن صفحه می‌سازند', 'rtl'],
  ['`npm ci` را بزنید تا همه چیز نصب شود', 'rtl'],
  ['۱۲۳ سلام', 'rtl'],
  ['Hello, how can I help you today with this?', 'ltr'],
])('%j takes the direction of the block before until it is decided, and then stays', (text, end) => {
  for (const before of ['rtl', 'ltr'] as const) {
    const seen: Direction[] = []
    for (let at = 1; at <= text.length; at++) {
      const now = directionWhileWritten(text.slice(0, at), before)
      if (seen.at(-1) !== now) seen.push(now)
    }
    expect(seen).toEqual(before === end ? [end] : [before, end])
  }
})

test('a whole line says more than its beginning did', () => {
  const line = 'An answer of several words: این جمله به فارسی است و از آن بلندتر'
  expect(directionWhileWritten(line, 'ltr')).toBe('ltr')
  expect(directionWhileWritten(`${line}\n`, 'ltr')).toBe('rtl')
})

test('a list of both directions keeps the one of its first item while it is written', () => {
  const list = '- نصب Node\n- Run the installer\n- پایان کار و بستن\n- Restart it\n'
  for (let at = 8; at <= list.length; at++)
    expect(directionWhileWritten(list.slice(0, at), 'ltr')).toBe('rtl')
  expect(directionWhileWritten(`- نصب\n- ${'Run the installer '.repeat(3)}\n`, 'rtl')).toBe('ltr')
})

test('what is finished is kept as it is while the text grows', () => {
  const reader = new Reader()
  const before = reader.read('یک\n\nدو\n\nسه\n\nچهار', true, 'rtl')
  const after = reader.read('یک\n\nدو\n\nسه\n\nچهار و پنج', true, 'rtl')
  expect(after.slice(0, 3).map(({ tree }, at) => tree === before[at]!.tree)).toEqual([true, true, true])
  expect(after[3]!.tree).not.toBe(before[3]!.tree)
})

test('a long block that grows by little is parsed again later, and at its end whole', () => {
  const reader = new Reader()
  const text = 'سلام دنیا '.repeat(200)
  const { tree } = reader.read(text, true, 'rtl')[0]!
  expect(reader.read(`${text}و`, true, 'rtl')[0]!.tree).toBe(tree)
  const end = reader.read(`${text}و`, false, 'rtl')[0]!.tree!
  expect(JSON.stringify(end)).toContain(`${text.trimEnd()} و`)
})

test('a name of a link is found in another block, and the half-space stays', () => {
  const [block] = new Reader().read('[می‌روم][x]\n\n[x]: https://example.ir\n', false, 'rtl')
  expect(block!.tree!.children[0]).toMatchObject({
    children: [{ type: 'link', url: 'https://example.ir', children: [{ value: 'می‌روم' }] }],
  })
})
