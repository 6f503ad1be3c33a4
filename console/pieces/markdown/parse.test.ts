import type { Nodes } from 'mdast'
import { describe, expect, test } from 'vitest'
import { readAddress, visible, withoutTail } from './address.ts'
import { tokensOf } from './highlight.ts'
import { parseMarkdown } from './parse.ts'
import { partsOfText } from './tokens.ts'

/** The formulas within a text, in square brackets where they stand alone. */
function formulasOf(text: string): string[] {
  const found: string[] = []
  const visit = (node: Nodes): void => {
    if (node.type === 'formula') found.push(node.isDisplay ? `[${node.value}]` : node.value)
    if ('children' in node) for (const child of node.children) visit(child)
  }
  visit(parseMarkdown(text)!)
  return found
}

describe('formulas', () => {
  test.each([
    ['$x$', ['x']],
    ['فرمول $a_1 + b_1$ است', ['a_1 + b_1']],
    ['\\(x^2\\) و \\[y\n= 2\\]', ['x^2', '[y\n= 2]']],
    ['> $$\n> x\n> $$', ['[x]']],
    ['- \\[\n  x\n  \\]', ['[x]']],
    ['$$a$$ b', ['[a]']],
    ['| $a$ |\n|---|\n| \\(b\\) |', ['a', 'b']],
    ['$5$ و $2x + 1$', ['5', '2x + 1']],
    ['$\\text{سرعت} = v$', ['\\text{سرعت} = v']],
    ['$a\\$b$', ['a\\$b']],
  ])('%j has %j', (text, formulas) => {
    expect(formulasOf(text)).toEqual(formulas)
  })

  test.each([
    '$5 and $10',
    'از $5 تا $10',
    '$5/$6',
    'US$5 or 6$',
    '$5 (or 5$)',
    '$۵ و ۶$',
    '$HOME:$PATH',
    '`$x$`',
    '\\$x$',
    'a $x',
    '$این فارسی است$',
    '\\(x',
    '$$ $$',
    '$a\nb$',
  ])('%j has none', (text) => {
    expect(formulasOf(text)).toEqual([])
  })
})

test('HTML is a text, in a line and in a block, and Markdown within it is read', () => {
  const { children } = parseMarkdown('<div onclick="x">\n**a**\n</div>')!
  expect(children[0]).toMatchObject({
    type: 'paragraph',
    children: [
      { type: 'html', value: '<div onclick="x">' },
      { type: 'text' },
      { type: 'strong' },
      { type: 'text' },
      { type: 'html', value: '</div>' },
    ],
  })
})

describe('an address', () => {
  const own = 'https://kherad.example'
  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'mailto:a@b.ir',
    '//evil.ir/x',
    '/keys',
    'keys',
    '#x',
    'https://',
    'https://kherad.example/keys',
    'HTTPS://KHERAD.EXAMPLE:443/keys',
    `https://x.ir/${'a'.repeat(4_000)}`,
  ])('%s is a text', (written) => {
    expect(readAddress(written, own)).toBeUndefined()
  })

  test.each([
    ['https://good.com@evil.ir/x', 'https://good.com@|evil.ir|/x', undefined],
    ['https://u:p@u/x', 'https://u:p@|u|/x', undefined],
    ['https://a.com\\@b.com', 'https://|a.com|/@b.com', undefined],
    ['https://аpple.com', 'https://|xn--pple-43d.com|/', undefined],
    ['http://خرد.ir/', 'http://|xn--tgbcf.ir|/', 'خرد.ir'],
  ])('%s has its host apart', (written, parts, name) => {
    const address = readAddress(written, own)!
    expect([address.before, address.host, address.after].join('|')).toBe(parts)
    expect(address.name).toBe(name)
  })

  test('shows what is hidden in it', () => {
    const { readable } = readAddress('https://x.ir/?q=%D8%B1%D8%A7%D8%B2%E2%80%AE%E2%80%8B', own)!
    expect(readable).toBe('/?q=راز‹U+202E›‹U+200B›')
    expect(visible('a\u{e0041}\u2066')).toBe('a‹U+E0041›‹U+2066›')
  })

  test('ends before the signs of the sentence', () => {
    expect(withoutTail('https://x.ir/راه،')).toBe('https://x.ir/راه')
  })
})

test.each([
  ['زبان C++ است', ['C++']],
  ['دمای -5 و +98912', ['-5', '+98912']],
  ['به /v1/chat/completions.', ['/v1/chat/completions']],
  ['تخفیف ۲۵% یا 25%', ['۲۵%', '25%']],
  ['بازهٔ ۱۲-۱۵ و می‌رود', []],
  ['پرچم --force و .env', ['--force', '.env']],
])('in %j the parts %j keep their direction', (text, apart) => {
  const parts = partsOfText(text, true)
  expect(parts.map((part) => part.text).join('')).toBe(text)
  expect(parts.filter(({ kind }) => kind === 'ltr').map((part) => part.text)).toEqual(apart)
  expect(partsOfText(text, false)).toEqual([{ text, kind: 'plain' }])
})

test('colours lose no letter of a code, and languages that are not known have none', () => {
  const code = ['const a = `x $', '{1 + "<b>"}` // سلام\n'].join('')
  const tokens = tokensOf(code, 'ts')!
  expect(tokens.map(({ text }) => text).join('')).toBe(code)
  expect(tokens.find(({ text }) => text === 'const')?.kind).toBe('keyword')
  expect(tokensOf(code, 'brainfuck')).toBeUndefined()
})
