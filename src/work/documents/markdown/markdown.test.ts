import { expect, test } from 'vitest'
import fc from '../../../../tests/harness/fast-check.ts'
import type { DocumentBlock, Inline, TextDocument } from '../model.ts'
import { documentFromMarkdown, maxMarkdownBytes } from './read.ts'
import { toMarkdown } from './write.ts'

const read = (markdown: string, more: Partial<TextDocument> = {}) =>
  documentFromMarkdown(markdown, { language: 'fa', title: 'عنوان', ...more })
const blocks = (markdown: string, more?: Partial<TextDocument>): DocumentBlock[] =>
  read(markdown, more).blocks
const text = (content: string, more: object = {}): Inline => ({ type: 'text', text: content, ...more })
const paragraph = (...content: Inline[]): DocumentBlock => ({ type: 'paragraph', content })
const inline = (markdown: string, more?: Partial<TextDocument>): Inline[] => {
  const [block] = blocks(markdown, more)
  return block?.type === 'paragraph' ? block.content : []
}

test.each<[string, string, Inline[]]>([
  ['strong text', 'a **b** c', [text('a '), text('b', { bold: true }), text(' c')]],
  ['emphasis', '*a* _b_', [text('a', { italic: true }), text(' '), text('b', { italic: true })]],
  ['both at once', '***a***', [text('a', { bold: true, italic: true })]],
  [
    'emphasis inside strong text',
    '**a *b* c**',
    [text('a ', { bold: true }), text('b', { bold: true, italic: true }), text(' c', { bold: true })],
  ],
  ['struck text', '~~a~~ ~b~', [text('a', { strike: true }), text(' ~b~')]],
  [
    'strong Persian in quotation marks before an ending',
    '**«متن»**ها',
    [text('«متن»', { bold: true }), text('ها')],
  ],
  [
    'strong Persian before a half space',
    '**کتاب**\u200cها',
    [text('کتاب', { bold: true }), text('\u200cها')],
  ],
  ['names with underscores', 'snake_case_name', [text('snake_case_name')]],
  ['multiplication', '5 * 3 * 2', [text('5 * 3 * 2')]],
  ['marks without a partner', '*a **b', [text('*a **b')]],
  ['code, whose marks are text', '`a *b* [c]`', [text('a *b* [c]', { code: true })]],
  ['code with backticks', '`` a`b ``', [text('a`b', { code: true })]],
  ['a backtick without end', '`a', [text('`a')]],
  ['an escaped backtick before one', '\\`` a`', [text('`'), text(' a', { code: true })]],
  ['escapes', '\\*a\\* \\# \\ب', [text('*a* # \\ب')]],
  ['entities', '&laquo;a&raquo; &#1705; &x; &', [text('«a» ک &x; &')]],
  [
    'a link',
    '[a *b*](https://x.ir/p_(q) "t")',
    [text('a ', { link: 'https://x.ir/p_(q)' }), text('b', { italic: true, link: 'https://x.ir/p_(q)' })],
  ],
  ['a link to a named address', '[a][x]\n\n[X]: https://x.ir', [text('a', { link: 'https://x.ir' })]],
  [
    'a bare address without the mark of its sentence',
    'در https://x.ir/a?b=1.',
    [text('در '), text('https://x.ir/a?b=1', { link: 'https://x.ir/a?b=1' }), text('.')],
  ],
  [
    'an address in brackets',
    '<https://x.ir> <mailto:a@b.ir>',
    [text('https://x.ir', { link: 'https://x.ir' }), text(' '), text('a@b.ir', { link: 'mailto:a@b.ir' })],
  ],
  [
    'links that run as their text',
    '[a](javascript:alert(1)) [b](data:text/html,x) [c](file:///etc/passwd)',
    [text('a b c')],
  ],
  ['an image in a sentence as its text', 'a ![b](https://x.ir/c.png) d', [text('a b d')]],
  [
    'a broken line',
    'a  \nb\\\nc<br>d\ne',
    [text('a'), { type: 'break' }, text('b'), { type: 'break' }, text('c'), { type: 'break' }, text('d e')],
  ],
  ['tags of no meaning here', '<u>a</u> <b> <script>', [text('a <b> <script>')]],
  ['comments', 'a<!-- b -->c <!-- d', [text('ac <!-- d')]],
  [
    'nested brackets',
    '[[a](https://x.ir) b](https://y.ir)',
    [
      text('['),
      text('a', { link: 'https://x.ir' }),
      text(' b]('),
      text('https://y.ir', { link: 'https://y.ir' }),
      text(')'),
    ],
  ],
])('reads %s', (_, markdown, expected) => {
  expect(inline(markdown)).toEqual(expected)
})

test('numbers in brackets are citations only where the sources have them', () => {
  const sources = [{ title: 'الف' }, { title: 'ب' }]
  const cite = (number: number): Inline => ({ type: 'citation', number })
  expect(inline('a [1][۲] [1، 2]', { sources })).toEqual([
    text('a '),
    cite(1),
    cite(2),
    text(' '),
    cite(1),
    cite(2),
  ])
  expect(inline('a [3] [0] [1]', { sources: [] })).toEqual([text('a [3] [0] [1]')])
  expect(inline('[1](https://x.ir)', { sources })).toEqual([text('1', { link: 'https://x.ir' })])
})

test('footnotes are taken from anywhere but code, with their further lines', () => {
  const document = read('a[^x] [^y]\n\n```\n[^z]: no\n```\n\n[^x]: یک **دو**\n    سه\n')
  expect(document.footnotes).toEqual({ x: [text('یک '), text('دو', { bold: true }), text(' سه')] })
  expect(document.blocks).toEqual([
    paragraph(text('a'), { type: 'footnote', id: 'x' }, text(' [^y]')),
    { type: 'code', text: '[^z]: no' },
  ])
})

const list = (ordered: boolean, items: DocumentBlock[][], more: object = {}): DocumentBlock => ({
  type: 'list',
  ordered,
  ...more,
  items,
})

test.each<[string, string, DocumentBlock[]]>([
  [
    'headings of both forms',
    '# عنوان\n## a ##\nb\n---\n#c',
    [
      { type: 'heading', level: 1, content: [text('a')] },
      { type: 'heading', level: 1, content: [text('b')] },
      paragraph(text('#c')),
    ],
  ],
  ['paragraphs', 'a\nb\n\nc', [paragraph(text('a b')), paragraph(text('c'))]],
  [
    'a list in a list, indented by two',
    '- a\n  - b\n    1. c\n- d',
    [
      list(false, [
        [paragraph(text('a')), list(false, [[paragraph(text('b')), list(true, [[paragraph(text('c'))]])]])],
        [paragraph(text('d'))],
      ]),
    ],
  ],
  [
    'a list under a numbered item, indented by two',
    '1. a\n  - b\n2. c',
    [list(true, [[paragraph(text('a')), list(false, [[paragraph(text('b'))]])], [paragraph(text('c'))]])],
  ],
  [
    'numbers in Persian digits, from where they begin',
    '۳. a\n۴. b',
    [list(true, [[paragraph(text('a'))], [paragraph(text('b'))]], { start: 3 })],
  ],
  [
    'paragraphs of an item',
    '1. a\n\n   b\n\nc',
    [list(true, [[paragraph(text('a')), paragraph(text('b'))]]), paragraph(text('c'))],
  ],
  ['a line that begins with a year as text', 'در سال\n1405. و', [paragraph(text('در سال 1405. و'))]],
  ['boxes of tasks', '- [ ] a\n- [x] b', [list(false, [[paragraph(text('☐ a'))], [paragraph(text('☑ b'))]])]],
  [
    'a quotation that goes on without its mark',
    '> a\nb\n\nc',
    [{ type: 'quote', blocks: [paragraph(text('a b'))] }, paragraph(text('c'))],
  ],
  [
    'code to the end of the text when nothing closes it',
    '~~~py\na\n\n# b',
    [{ type: 'code', text: 'a\n\n# b', language: 'py' }],
  ],
  [
    'a rule, a page break and wrappers',
    '***\n<div dir="rtl">\n\\newpage\n<!-- pagebreak -->\n<!-- x -->\n</div>',
    [{ type: 'rule' }, { type: 'page-break' }, { type: 'page-break' }],
  ],
  [
    'an image of its own with its caption',
    '![a](charts/b%20c.png "d")',
    [{ type: 'image', path: 'charts/b%20c.png', alt: 'a', caption: 'd' }],
  ],
  ['an image from elsewhere as its text', '![a](https://x.ir/b.png)', [paragraph(text('a'))]],
])('reads %s', (_, markdown, expected) => {
  expect(blocks(markdown)).toEqual(expected)
})

test('reads tables with sides, escaped bars and rows of any length', () => {
  expect(blocks('a | b\n:-: | --:\nc \\| d | `e`\n| f |\ng | h | i\n\nj')).toEqual([
    {
      type: 'table',
      header: [[text('a')], [text('b')]],
      rows: [
        [[text('c | d')], [text('e', { code: true })]],
        [[text('f')], []],
        [[text('g')], [text('h | i')]],
      ],
      align: ['center', 'end'],
    },
    paragraph(text('j')),
  ])
})

test('the first heading is the title when none is given, and stands only once when it is', () => {
  expect(documentFromMarkdown('# الف\nb', { language: 'fa' })).toMatchObject({
    title: 'الف',
    blocks: [{ type: 'paragraph' }],
  })
  expect(read('# عنوان\n\nb').blocks).toEqual([paragraph(text('b'))])
  expect(read('# دیگر\n\nb').blocks).toHaveLength(2)
  expect(documentFromMarkdown('b', { language: 'fa' }).title).toBe('بی‌عنوان')
})

test('headings begin at the first level and skip none', () => {
  const levels = blocks('### a\n##### b\n### c\n# d\n#### e').map((block) => 'level' in block && block.level)
  expect(levels).toEqual([1, 2, 1, 1, 2])
})

test('headings that count themselves lose their numbers where the document counts, and years stay', () => {
  const titles = (markdown: string) =>
    blocks(markdown, { numberedHeadings: true }).map((block) => 'content' in block && block.content)
  expect(titles('## ۱. الف\n### ۱-۱ ب\n## 2) ج')).toEqual([[text('الف')], [text('ب')], [text('ج')]])
  expect(titles('## ۱۴۰۵ سال رشد\n## نتیجه')).toEqual([[text('۱۴۰۵ سال رشد')], [text('نتیجه')]])
})

test('a text beyond the bound is refused', () => {
  expect(() => read('a'.repeat(maxMarkdownBytes + 1))).toThrow(RangeError)
})

test('any text is read', () => {
  const pieces = fc.constantFrom(
    ...'# ,## ,- ,* ,1. ,۲) ,> ,|,| --- |,```,~~~,`,``,*,**,_,~~,[,],(,),![,](,[^a],[^a]: ,[1],<!--,-->,<br>,<,&amp;,\\,\n,\n\n,  ,    ,a,متن,https://x.ir,---,==='.split(
      ',',
    ),
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }), (parts) => {
      const document = read(parts.join(''), { sources: [{ title: 'a' }] })
      expect(JSON.parse(JSON.stringify(document))).toEqual(document)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['brackets', '['.repeat(200_000)],
  ['brackets in pairs', '['.repeat(50_000) + ']'.repeat(50_000)],
  ['links in open brackets', '[ [a](b) '.repeat(40_000)],
  ['marks', '*a **b _c '.repeat(60_000)],
  ['closing marks', `${'a* b** '.repeat(60_000)}`],
  ['backticks', '`a``b```c '.repeat(60_000)],
  ['comments without end', '<!-- '.repeat(100_000)],
  ['quotations', `${'> '.repeat(50_000)}a`],
  ['list marks', `${'- '.repeat(50_000)}a`],
  ['blanks', `a${' '.repeat(400_000)}b`],
  ['rules that are none', `${'- '.repeat(100_000)}x`],
  ['bars', '|'.repeat(300_000)],
  ['tables of bars', 'a|b\n-|-\n'.repeat(40_000)],
  ['addresses', 'https://'.repeat(60_000)],
  ['unclosed targets', '[a](('.repeat(60_000)],
  ['definitions', `${'[a]: '.repeat(60_000)}b`],
  ['images with blanks', `![a](${' '.repeat(300_000)}`],
  ['headings of hashes', `# ${'# '.repeat(200_000)}x`],
])('half a megabyte of %s is read in a moment', (_, markdown) => {
  expect(read(markdown).blocks.length).toBeGreaterThan(0)
})

const word = fc
  .stringMatching(/^[a-zA-Z0-9آابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی\u200c.:،؛()#+*_`~[\]<>&|!="'\\-]{1,9}$/u)
  .filter(
    (found) => !found.includes('://') && found.trim() !== '' && !/\u200c/.test(found[0]! + found.at(-1)!),
  )
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((found) => found.join(' '))
const flag = fc.constantFrom(
  {},
  {},
  { bold: true },
  { italic: true },
  { bold: true, italic: true },
  { strike: true },
)
const run: fc.Arbitrary<Inline> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(words, flag).map(([content, style]) => text(content, style)) },
  // GFM has no way to write a backslash before a bar in code in a table.
  { weight: 1, arbitrary: words.map((content) => text(content.replaceAll('\\|', '|'), { code: true })) },
  { weight: 1, arbitrary: words.map((content) => text(content, { link: 'https://x.ir/a_(b)?c=%D8%A8' })) },
  { weight: 1, arbitrary: fc.constant<Inline>({ type: 'citation', number: 2 }) },
  { weight: 1, arbitrary: fc.constant<Inline>({ type: 'footnote', id: 'n1' }) },
)
/** Runs with blanks between, so that no two become one. */
const content = fc
  .array(run, { minLength: 1, maxLength: 5 })
  .map((runs) => runs.flatMap((one, index) => (index === 0 ? [one] : [text(' – '), one])))
const { block } = fc.letrec<{ block: DocumentBlock }>((tie) => ({
  block: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    content.map((found) => paragraph(...found)),
    fc.record({ type: fc.constant('code' as const), text: words.map((found) => `${found}\n  ${found}`) }),
    fc
      .tuple(
        fc.array(content, { minLength: 2, maxLength: 3 }),
        fc.array(content, { minLength: 3, maxLength: 3 }),
      )
      .map(
        ([header, row]): DocumentBlock => ({
          type: 'table',
          header,
          rows: [row.slice(0, header.length)].map((cells) => [...cells, ...header.slice(cells.length)]),
        }),
      ),
    fc
      .tuple(fc.boolean(), fc.array(fc.tuple(content, tie('block')), { minLength: 1, maxLength: 3 }))
      .map(([ordered, items]) =>
        list(
          ordered,
          items.map(([first, then]) =>
            then.type === 'quote' || then.type === 'code'
              ? [paragraph(...first), then]
              : [paragraph(...first)],
          ),
        ),
      ),
    content.map((found): DocumentBlock => ({ type: 'quote', blocks: [paragraph(...found)] })),
  ),
}))

/** Joins neighbours of one style, which are one run for any reader. */
const joined = (value: unknown): unknown => {
  if (!Array.isArray(value)) {
    return value !== null && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([key, own]) => [key, joined(own)]))
      : value
  }
  const merged: unknown[] = []
  for (const one of value.map(joined) as Inline[]) {
    const last = merged.at(-1) as Inline | undefined
    const style = (inline: Inline) => JSON.stringify({ ...inline, text: '' })
    if (last?.type === 'text' && one?.type === 'text' && style(last) === style(one)) {
      merged[merged.length - 1] = { ...last, text: last.text + one.text }
    } else merged.push(one)
  }
  return merged
}

test('a bar after a backslash in the code of a table is read back', () => {
  const table: DocumentBlock = {
    type: 'table',
    header: [[{ type: 'text', text: '\\|a', code: true }], [text('b')]],
    rows: [[[{ type: 'text', text: 'a\\\\||', code: true, bold: true }], [text('\\|')]]],
  }
  const document: TextDocument = { title: 'a', language: 'en', blocks: [table] }
  const { blocks } = documentFromMarkdown(toMarkdown(document), { language: 'en', title: 'a' })
  expect(joined(blocks)).toEqual(joined([table]))
})

test('what is written as Markdown is read back as it was', () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), (found) => {
      // Rules separate the blocks: two lists or quotations in a row are read as one.
      const apart = found.flatMap((one): DocumentBlock[] => [one, { type: 'rule' }])
      const document: TextDocument = {
        title: 'عنوان',
        language: 'fa',
        blocks: apart,
        footnotes: { n1: [text('یادداشت')] },
        sources: [{ title: 'a' }, { title: 'b' }],
      }
      const { blocks: back } = documentFromMarkdown(toMarkdown(document), {
        language: 'fa',
        title: 'عنوان',
        sources: document.sources!,
      })
      expect(joined(back.slice(0, apart.length))).toEqual(joined(apart))
    }),
    { numRuns: 500 },
  )
})
