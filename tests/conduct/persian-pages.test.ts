/** Persian pages: each stands beside its English twin, reads from right to left, and uses the words of the glossary. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { turnedIn, withDirections } from '../../scripts/code-direction.ts'

const root = path.resolve(import.meta.dirname, '../..')
const filesOf = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root })
    .map((file) => file.replaceAll(path.sep, '/'))
    .toSorted()
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** The pages that readers of either language need; decisions and the pages for contributors are in English. */
const pages = filesOf(
  ...['README.md', 'README.fa.md', 'examples/*/*.md', 'docs/{errors,operations}{,.fa}.md'],
  ...['docs/operations/**/*.md', 'docs/guides/**/*.md'],
)
const persianPages = pages.filter((page) => page.endsWith('.fa.md'))
const englishPages = pages.filter((page) => !page.endsWith('.fa.md'))
const twinOf = (page: string): string =>
  page.endsWith('.fa.md') ? page.replace(/\.fa\.md$/, '.md') : page.replace(/\.md$/, '.fa.md')

const lines = (page: string): string[] => read(page).split('\n')
const isFence = (line: string): boolean => line.trimStart().startsWith('```')

/** The lines of code of a page, with their numbers from 1. */
function codeOf(page: string): { line: string; number: number }[] {
  let inside = false
  return lines(page).flatMap((line, index) => {
    if (!isFence(line)) return inside ? [{ line, number: index + 1 }] : []
    inside = !inside
    return []
  })
}

/** The lines of a page that are no code. */
function proseOf(page: string): string[] {
  let inside = false
  return lines(page).filter((line) => {
    if (isFence(line)) inside = !inside
    return !inside && !isFence(line)
  })
}

test('every page has its twin in the other language, and each leads to the other', () => {
  expect(englishPages.length).toBeGreaterThan(45)
  expect(pages.filter((page) => !pages.includes(twinOf(page)))).toEqual([])
  const links = (page: string) => read(page).includes(`](${path.basename(twinOf(page))})`)
  expect(pages.filter((page) => !links(page))).toEqual([])
})

test('every Persian page is from right to left, and its code from left to right', () => {
  for (const page of persianPages) {
    const text = read(page)
    expect(text.startsWith('<div dir="rtl">\n\n# '), `${page} begins with the wrapper`).toBe(true)
    expect(text.endsWith('\n\n</div>\n'), `${page} ends with the wrapper`).toBe(true)
    let depth = 0
    let inside = false
    for (const [index, line] of lines(page).entries()) {
      const bare = line.trim()
      if (isFence(line)) {
        inside = !inside
        expect(depth, `${page}:${index + 1} is code within <div dir="ltr">`).toBe(2)
      } else if (!inside && bare.startsWith('<div ')) depth += 1
      else if (!inside && bare === '</div>') depth -= 1
    }
    expect(depth, `${page} closes every div`).toBe(0)
  }
})

/** What a page is made of: its headings by level, the languages of its code, and the names that its tables explain. */
function outlineOf(page: string) {
  const prose = proseOf(page)
  const headings = prose.flatMap((line) => /^#+ /.exec(line)?.[0].trim() ?? [])
  const fences = lines(page).filter(isFence)
  const names = prose.flatMap((line) => {
    if (!line.startsWith('| ')) return []
    const [, first = ''] = line.split(/(?<!\\)\|/)
    return [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
  })
  return { headings, fences: fences.map((fence) => fence.trim()), names }
}

test.each(englishPages.filter((page) => page.startsWith('docs/operations')))(
  '%s explains the same settings, headings and commands in both languages',
  (page) => {
    expect(outlineOf(twinOf(page))).toEqual(outlineOf(page))
  },
)

/** Words that were given up for those that developers say, with what stands in their place (docs/glossary.md). */
const refused: Record<string, string> = {
  پرونده: 'فایل',
  گذرکلید: 'رمز دستگاه (passkey)',
  سرآیند: 'هدر',
  نویسه: 'کاراکتر',
  بازراه‌اندازی: 'راه‌اندازی دوباره',
  فرایند: 'پردازه',
  فرآیند: 'پردازه',
  وب‌گاه: 'سایت',
  کارساز: 'سرور',
  فرمان: 'دستور',
  رزرو: 'کنار گذاشتن',
  'نگه‌داشتن اعتبار': 'کنارگذاشتن اعتبار',
  'اعتبار نگه‌داشته': 'اعتبار کنارگذاشته',
  'کلاینت رسمی': 'کتابخانهٔ رسمی',
  'کلاینت‌های OpenAI': 'کتابخانه‌های OpenAI',
  'برنامه‌های OpenAI': 'کتابخانه‌های OpenAI',
  'برنامه‌های OpenRouter': 'کتابخانه‌های OpenRouter',
  'تماس با ارائه‌دهنده': 'فراخوانی ارائه‌دهنده',
  'تماس با بالادست': 'فراخوانی بالادست',
  'گفت‌وگوی صوتی': 'تماس صوتی',
}
/** The pronunciation of words is no text for people. */
const lexicon = 'src/sandbox/speech/lexicon.ts'

test('a word that was given up for the one of developers does not come back', () => {
  const sources = filesOf('{src,cli}/**/*.{ts,js,typ}', 'examples/**/*.{js,html,mjs}', 'docs/glossary.md')
  const texts = [...persianPages, ...sources].filter((file) => file !== lexicon)
  expect(texts.length).toBeGreaterThan(1_000)
  // The line of commands is called خط فرمان by everybody.
  const pattern = new RegExp(`(?<!\\p{L}|خط )(?:${Object.keys(refused).join('|')})`, 'gu')
  const found = texts.flatMap((file) =>
    [...read(file).matchAll(pattern)].map(([word]) => `${file}: ${word}, say ${refused[word]}`),
  )
  expect(found).toEqual([])
})

describe('code from left to right', () => {
  const isolates = /\u2067[^\u2066-\u2069]*\u2069/g

  test('a Persian comment is isolated, so that its words and its full stop stand in their order', () => {
    const found = persianPages.flatMap((page) =>
      codeOf(page)
        .filter(({ line }) =>
          /(?:^|\s)(?:#|\/\/|--|\/\*\*)\s[^"'#]*[\u0600-\u06ff]/.test(line.replaceAll(isolates, '')),
        )
        .map(({ line, number }) => `${page}:${number}: ${line}`),
    )
    expect(found, 'write U+2067 before the comment and U+2069 after it').toEqual([])
  })

  test('a Persian sentence does not end in a mark that would stand before its first word', () => {
    const found = [...pages, 'docs/architecture.md'].flatMap((page) =>
      codeOf(page)
        .filter(({ line }) => /[\u0600-\u06ff][.!…»]+(?:["'`]|\s*$)/.test(line.replaceAll(isolates, '')))
        .map(({ line, number }) => `${page}:${number}: ${line}`),
    )
    expect(found, 'isolate what is only read by U+2067 and U+2069; what is sent needs no full stop').toEqual(
      [],
    )
  })
})

describe('code within a Persian sentence', () => {
  test('that begins or ends in a sign has a mark of direction on both sides, and none inside', () => {
    const found = persianPages.flatMap((page) => {
      const marked = withDirections(read(page)).split('\n')
      const differing = lines(page).flatMap((line, index) => (line === marked[index] ? [] : [index]))
      const codes =
        proseOf(page)
          .join('\n')
          .match(/`[^`]+`/g) ?? []
      const inside = codes.filter((code) => /[\u200e\u200f\u2066-\u2069]/.test(code))
      return [
        ...differing.map((index) => `${page}:${index + 1}: write ${marked[index]}`),
        ...inside.map((code) => `${page}: ${code} has a mark inside`),
      ]
    })
    expect(found, 'without isolation ./data is shown as data/. (STYLE.md, Words)').toEqual([])
  })

  test.each([
    ['در `./data` است', 'در \u200e`./data`\u200e است'],
    ['- \u200f`--role` نقش است', '- \u200f\u200e`--role`\u200e نقش است'],
    ['- `--role` نقش است', '- \u200f\u200e`--role`\u200e نقش است'],
    ['| `/v1` | نشانی `/v1` |', '| \u200e`/v1`\u200e | نشانی \u200e`/v1`\u200e |'],
    ['با `npm\nrun --` است', 'با \u200e`npm\nrun --`\u200e است'],
    ['با `<نام>x` است', 'با \u2066`<نام>x`\u2069 است'],
    ['`gpt-4o`، `utf8`، `404` و `صدا: متن`', '`gpt-4o`، `utf8`، `404` و `صدا: متن`'],
    ['```\n`./data` کد\n```', '```\n`./data` کد\n```'],
  ])('%s', (text, marked) => {
    expect(withDirections(text)).toBe(marked)
    expect(withDirections(marked)).toBe(marked)
  })
})

describe('bare Latin text within a Persian sentence', () => {
  test('that begins or ends in a sign is code, or has a mark of direction', () => {
    const found = persianPages.flatMap((page) => {
      const words = proseOf(page).filter((line) => !line.trimStart().startsWith('<'))
      return turnedIn(words.join('\n')).map((turned) => `${page}: ${turned}`)
    })
    expect(found, 'write it as inline code, or U+200E on both sides').toEqual([])
  })

  test.each([
    ['بزرگ‌تر از 2^53 است', ['2^53']],
    ['تا 2027-02-26 می‌ماند', ['2027-02-26']],
    ['با {"kind": "service"} بفرستید', ['{"kind":']],
    ['با https:// آغاز می‌شود', ['https://']],
    ['توکن Bearer <token> است', ['<token>']],
    ['با --role و @a/b', ['--role', '@a/b']],
    ['تا \u200e2^53\u200e، [صفحه](../a/b.md)، `./data` و GET /v1/cloud/{id} و PATCH /v1/a با کلید', []],
  ])('%s', (text, turned) => expect(turnedIn(text)).toEqual(turned))
})

/** The anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>()
  for (const line of proseOf(page)) {
    const heading = /^#+ (.*)$/.exec(line)?.[1]
    if (heading === undefined) continue
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = text.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
    for (let number = 0; ; number++) {
      const numbered = number === 0 ? anchor : `${anchor}-${number}`
      if (anchors.has(numbered)) continue
      anchors.add(numbered)
      break
    }
  }
  return anchors
}

test('every link leads to a page that is there, and to a heading that it has', () => {
  const known = new Map<string, Set<string>>()
  const hasHeading = (page: string, anchor: string): boolean => {
    const anchors = known.get(page) ?? anchorsOf(page)
    known.set(page, anchors)
    return anchors.has(decodeURIComponent(anchor))
  }
  const broken = pages.flatMap((page) =>
    [
      ...proseOf(page)
        .join('\n')
        .matchAll(/\]\(([^()\s]+)\)/g),
    ]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#')
        const to = file === '' ? page : path.posix.join(path.posix.dirname(page), file)
        if (!existsSync(path.join(root, to))) return true
        return anchor !== undefined && to.endsWith('.md') && !hasHeading(to, anchor)
      })
      .map((target) => `${page}: ${target}`),
  )
  expect(broken).toEqual([])
})

test('a Persian page leads to the Persian twin of what it names, where there is one', () => {
  const found = persianPages.flatMap((page) =>
    [
      ...proseOf(page)
        .join('\n')
        .matchAll(/\]\(([^()\s#]+)(?:#[^()\s]*)?\)/g),
    ]
      .map(([, target]) => path.posix.join(path.posix.dirname(page), target!))
      .filter((to) => englishPages.includes(to) && to !== twinOf(page))
      .map((to) => `${page}: ${to}`),
  )
  expect(found).toEqual([])
})
