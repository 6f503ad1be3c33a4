import { describe, expect, test } from 'vitest'
import { splitBlocks } from './blocks.ts'
import { isWithinBounds, partsOfPlain } from './bounds.ts'

const kindsOf = (text: string, isStreaming = false): string[] =>
  splitBlocks(text, isStreaming).map(({ kind, source }) => `${kind}: ${source.trim()}`)

test.each<[string, string[]]>([
  ['یک\n\nدو\n', ['markdown: یک', 'markdown: دو']],
  ['# A\nx', ['markdown: # A', 'markdown: x']],
  ['- a\n\n- b\n\n  more\n\nend', ['markdown: - a\n\n- b\n\n  more', 'markdown: end']],
  ['1. a\n   ```js\n   x\n\n   y\n   ```\n2. b', ['markdown: 1. a\n   ```js\n   x\n\n   y\n   ```\n2. b']],
  ['a\n```py\nx\n\ny\n```\nb', ['markdown: a', 'code: x\n\ny', 'markdown: b']],
  ['````\n```\n````', ['code: ```']],
  ['~~~\n```\n~~~\n', ['code: ```']],
  ['$$\nx\n$$\nb', ['formula: x', 'markdown: b']],
  ['\\[ x\n= y \\]\n', ['formula: x\n= y']],
  ['$$x$$ is a word', ['markdown: $$x$$ is a word']],
  ['$$\nnever closed', ['markdown: $$\nnever closed']],
  ['> ```\n> a\n>\n> b\n> ```\n\nc', ['markdown: > ```\n> a\n>\n> b\n> ```', 'markdown: c']],
])('%j has the blocks %j', (text, blocks) => {
  expect(kindsOf(text)).toEqual(blocks)
})

test('a code block and a formula are open until they are closed', () => {
  expect(splitBlocks('```js\na', true)[0]).toMatchObject({ kind: 'code', language: 'js', isOpen: true })
  expect(splitBlocks('```js\na\n```', true)[0]).toMatchObject({ kind: 'code', source: 'a', isOpen: false })
  expect(splitBlocks('$$\na', true)[0]).toMatchObject({ kind: 'formula', source: 'a', isOpen: true })
})

test('every prefix of a text that is read at its last two blocks alone has the blocks of the whole', () => {
  const text =
    '# سلام\nمتن\n\n1. a\n\n2. b\n\n   ```js\n   x\n\n   y\n   ```\n\nc\n$$\nx\n$$\n```\nq\n\n```\n> a\n\n| a |\n|---|\n| b |\n\n$$5 ends'
  let blocks = splitBlocks('', true)
  for (let end = 1; end <= text.length; end++) {
    const kept = blocks.slice(0, -2)
    const soFar = text.slice(0, end)
    blocks = [...kept, ...splitBlocks(soFar, true, kept.at(-1)?.end ?? 0)]
    expect(blocks, JSON.stringify(soFar)).toEqual(splitBlocks(soFar, true))
  }
})

describe('a block beyond its bounds is a plain text:', () => {
  test.each([
    ['200 KB of [', '['.repeat(200_000)],
    ['200 KB of *', '*'.repeat(200_000)],
    ['200 KB of $', '$'.repeat(200_000)],
    ['quotations 10,000 deep', `${'> '.repeat(10_000)}a`],
    ['quotations 31 deep', `${'>'.repeat(31)} a`],
    ['lists 31 deep', `${'* + - '.repeat(11)}a`],
    ['lists 31 deep by lines', `${' '.repeat(62)}- a`],
    ['a line of 1 MB', 'سلام '.repeat(200_000)],
    ['a table of 5,000 rows', `| a |\n|---|\n${'| b |\n'.repeat(5_000)}`],
    ['400 brackets', `${'['.repeat(401)}`],
  ])('%s', (_what, text) => {
    expect(isWithinBounds(text)).toBe(false)
  })

  test.each([
    ['quotations 30 deep', `${'>'.repeat(30)} a`],
    ['a table of 300 rows', `| a | b |\n|---|---|\n${'| x | y |\n'.repeat(300)}`],
    ['a rule', '-'.repeat(200)],
    ['a long paragraph', 'سلام دنیا، '.repeat(1_000)],
  ])('%s is not', (_what, text) => {
    expect(isWithinBounds(text)).toBe(true)
  })

  test('what stands after 300,000 units is one block', () => {
    const blocks = splitBlocks('یک بند\n\n'.repeat(100_000), false)
    expect(blocks.length).toBeLessThan(38_000)
    expect(isWithinBounds(blocks.at(-1)!.source)).toBe(false)
  })

  test('it is shown in parts that are the text again, and no character is cut', () => {
    for (const text of [
      'a'.repeat(20_001),
      '😀'.repeat(10_001),
      `${'x '.repeat(9_000)}\n`,
      'سلام\n'.repeat(5_000),
    ]) {
      const parts = partsOfPlain(text)
      expect(parts.join('')).toBe(text)
      for (const part of parts) expect(part.length <= 8_000 && part.isWellFormed()).toBe(true)
    }
  })
})
