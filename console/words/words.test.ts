import { globSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const files = globSync('**/*.words.ts', { cwd: root }).toSorted()

type Tree = { [name: string]: Tree | string | ((...values: string[]) => string) }

/** Every text of a tree by its path; a sentence with values is made of their own names. */
function textsOf(tree: Tree, at = ''): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [name, value] of Object.entries(tree)) {
    const here = at === '' ? name : `${at}.${name}`
    if (typeof value === 'object') for (const [below, text] of textsOf(value, here)) texts.set(below, text)
    else texts.set(here, typeof value === 'function' ? value('{1}', '{2}', '{3}', '{4}') : value)
  }
  return texts
}

const areas = await Promise.all(
  files.map(async (file) => {
    const values = Object.values((await import(path.join(root, file))) as Record<string, unknown>)
    const words = values.filter(
      (one): one is { fa: Tree; en: Tree } => typeof (one as { fa?: unknown }).fa === 'object',
    )
    return { file, words }
  }),
)

test('every area has its words', () => {
  expect(areas.length).toBeGreaterThan(4)
  for (const { file, words } of areas) expect(words.length, file).toBe(1)
})

describe.each(areas)('$file', ({ words }) => {
  const [{ fa, en }] = words as [{ fa: Tree; en: Tree }]
  const [persian, english] = [textsOf(fa), textsOf(en)]

  test('every string has both languages, with the same values in each', () => {
    expect([...english.keys()].toSorted()).toEqual([...persian.keys()].toSorted())
    const values = (text = ''): string[] => (text.match(/\{\d\}/g) ?? []).toSorted()
    for (const [name, text] of persian) expect(values(english.get(name)), name).toEqual(values(text))
  })

  test('Persian is Persian, English is English, and none is empty', () => {
    for (const [name, text] of persian) {
      expect(text, name).toMatch(/\p{Script=Arabic}/u)
      expect(text, `${name}: ي and ك are Arabic letters, «می » and «ها » want a half-space`).not.toMatch(
        /[يك]|(?<!\S)(?:ن?می) /u,
      )
    }
    for (const [name, text] of english) {
      expect(text.trim(), name).not.toBe('')
      expect(text, name).not.toMatch(/\p{Script=Arabic}/u)
    }
  })
})
