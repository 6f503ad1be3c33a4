import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openLog } from '#platform/log'
import { documentFromMarkdown, openDocuments, RenderFailed, type TextDocument } from '#work/documents'
import { writePdf } from '../../../src/work/documents/pdf/write-pdf.ts'
import fc, { anyCharacter } from '../../harness/fast-check.ts'
import { readPdf } from '../../work/documents/read-pdf.ts'
import { documentOf, englishDocument, hostile, persianDocument } from './sample.ts'

const documents = openDocuments(openLog('silent'))
const written = (document: TextDocument) => readPdf(writePdf(document, {}))
/** Without the places where a line or a run ends. */
const flat = (pages: string[]) => pages.join('').replaceAll(/[|\u200b]/g, '')

test('a Persian report has its title page, contents, numbers, notes and sources in Persian digits', async () => {
  const { pages, title, language, outline, fonts, links } = await readPdf(
    await documents.toPdf(persianDocument),
  )
  expect({ title, language }).toEqual({ title: 'بازار خودروی برقی', language: 'fa' })
  expect(outline).toEqual([
    'فهرست مطالب',
    expect.stringMatching(/^(۱ )?خلاصهٔ مدیریتی$/),
    expect.stringMatching(/^(۲ )?یافته‌ها$/),
    expect.stringMatching(/^(۳ )?نتیجه$/),
    'منابع',
  ])
  expect(fonts.every((font) => /^(Vazirmatn|DejaVuSansMono|Libertinus|NewCM)/.test(font))).toBe(true)
  expect(fonts).toEqual(expect.arrayContaining(['Vazirmatn-Regular', 'Vazirmatn-Bold']))
  expect(links).toEqual(expect.arrayContaining(['https://www.iea.org/', 'https://example.ir/report']))
  // Title page, contents, text, and what the page break began.
  expect(pages).toHaveLength(4)
  expect(pages[0]).toMatch(/۱۴۰۵/)
  expect(pages[0]).not.toMatch(/\|۱\|?$/)
  expect(pages.map((page) => page.split('|').filter(Boolean).at(-1)).slice(1)).toEqual(['۲', '۳', '۴'])
  expect(flat([pages[2]!])).toContain('df.groupby("city")')
})

test('an English report runs from left to right, with Latin digits', async () => {
  const { pages, title, language, outline } = await written(englishDocument)
  expect({ title, language }).toEqual({ title: 'Electric cars', language: 'en' })
  expect(outline).toEqual([
    'Contents',
    expect.stringMatching(/^(1 )?Summary$/),
    expect.stringMatching(/^(2 )?Findings$/),
    'Sources',
  ])
  expect(flat([pages[0]!])).toBe('Electric carsKherad Research20 November 2026')
  expect(flat(pages)).toContain('1. First')
  expect(flat(pages)).toMatch(/[1¹]\s?See the ministry's report/)
})

test('text is never read as Typst, wherever it stands', async () => {
  const everywhere: TextDocument = {
    title: hostile[0]!,
    subtitle: hostile[1]!,
    authors: [hostile[2]!],
    language: 'en',
    titlePage: true,
    contents: true,
    numberedHeadings: true,
    blocks: [
      ...hostile.map((text) => ({
        type: 'paragraph' as const,
        content: [{ type: 'text' as const, text, bold: true }],
      })),
      { type: 'heading', level: 1, content: [{ type: 'text', text: hostile[0]! }] },
      { type: 'code', text: hostile.join('\n'), language: '#read("/etc/passwd")' },
      {
        type: 'table',
        header: [[{ type: 'text', text: hostile[3]! }]],
        rows: [[[{ type: 'text', text: hostile[7]! }]]],
        caption: hostile[4]!,
      },
      {
        type: 'paragraph',
        content: [
          { type: 'text', text: 'x', link: 'https://x.ir/#read("/etc/passwd")' },
          { type: 'footnote', id: 'a' },
        ],
      },
      { type: 'image', path: '/etc/passwd', alt: hostile[8]! },
    ],
    footnotes: { a: [{ type: 'text', text: hostile[5]! }] },
    sources: [{ title: hostile[6]! }],
  }
  const text = flat((await written(everywhere)).pages)
  for (const one of hostile) expect(text).toContain(one)
  expect(text).not.toContain('root:')
})

test('any text is set', () => {
  const texts = fc.array(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...hostile)), {
    minLength: 1,
    maxLength: 8,
  })
  fc.assert(
    fc.property(texts, (found) => {
      expect(Buffer.from(writePdf(documentOf(...found), {}).subarray(0, 5)).toString()).toBe('%PDF-')
    }),
    { numRuns: 40 },
  )
})

test('the same document is the same file', async () => {
  const [first, second] = await Promise.all([
    documents.toPdf(persianDocument),
    documents.toPdf(persianDocument),
  ])
  expect(first.equals(second)).toBe(true)
})

test('where Typst can tag it does, and claims to be accessible while every character has a glyph', async () => {
  const claims = (file: Uint8Array) => Buffer.from(file).includes('pdfuaid:part')
  const [whole, unknown] = [writePdf(persianDocument, {}), writePdf(documentOf('x \u{10fffd} y'), {})]
  const { taggable } = await readPdf(whole)
  for (const file of [whole, unknown]) expect((await readPdf(file)).tagged).toBe(taggable)
  expect([claims(whole), claims(unknown)]).toEqual([taggable, false])
})

/** One grey pixel, or the beginning of it. */
function png(whole: boolean): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const out = Buffer.alloc(8)
    out.writeUInt32BE(data.length, 0)
    return Buffer.concat([out.subarray(0, 4), body, Buffer.alloc(4)])
  }
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
  const parts = [
    chunk('IHDR', header),
    ...(whole ? [chunk('IDAT', deflateSync(Buffer.from([0, 128])))] : [Buffer.alloc(20)]),
  ]
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...parts])
}

test('a picture that is broken, or none, leaves its text', async () => {
  const document = documentFromMarkdown('![نشان](a.png)', { language: 'en', title: 'x' })
  for (const bytes of [png(false), Buffer.from('<svg/>'), Buffer.alloc(0)]) {
    const { pages } = await readPdf(await documents.toPdf(document, { images: { 'a.png': bytes } }))
    expect(flat(pages)).toMatch(/نشان|ناشن/)
  }
})

test('a caller that goes away is heard', async () => {
  const leaving = new AbortController()
  const pdf = documents.toPdf(persianDocument, { signal: leaving.signal })
  leaving.abort(new Error('gone'))
  await expect(pdf).rejects.toThrow('gone')
})

test('a document beyond what a process may use is lost, and nothing else', async () => {
  const row = Array.from({ length: 40 }, () => [{ type: 'text' as const, text: 'متن '.repeat(400) }])
  const table = { type: 'table' as const, header: row, rows: Array.from({ length: 400 }, () => row) }
  const lost = documents.toPdf({ title: 'x', language: 'fa', blocks: [table] })
  await expect(lost).rejects.toThrow(RenderFailed)
})
