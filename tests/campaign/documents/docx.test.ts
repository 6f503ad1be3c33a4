import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { openLog } from '#platform/log'
import { documentFromMarkdown, openDocuments, type TextDocument } from '#work/documents'
import { writeDocx } from '../../../src/work/documents/docx/write-docx.ts'
import fc, { anyCharacter } from '../../harness/fast-check.ts'
import { officeOpens, openedInOffice } from '../../work/documents/office.ts'
import { documentOf, englishDocument, hostile, persianDocument } from './sample.ts'

const documents = openDocuments(openLog('silent'))

/** Parts of a package as text. */
const partsOf = (file: Uint8Array) =>
  Object.fromEntries(Object.entries(unzipSync(file)).map(([name, bytes]) => [name, strFromU8(bytes)]))
const bodyOf = async (document: TextDocument) => partsOf(await writeDocx(document, {}))['word/document.xml']!

const unescaped = (xml: string) =>
  xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')

interface Run {
  text: string
  rtl: boolean
  font: string | undefined
}

/** Runs of each paragraph, in order. */
const paragraphsOf = (xml: string) =>
  [...xml.matchAll(/<w:p>(.*?)<\/w:p>/gs)].map(([, paragraph]) => ({
    bidi: /<w:bidi\/>/.test(paragraph!),
    style: /<w:pStyle w:val="(\w+)"/.exec(paragraph!)?.[1],
    runs: [...paragraph!.matchAll(/<w:r>(.*?)<\/w:r>/gs)].flatMap(([, run]): Run[] => {
      const text = unescaped([...run!.matchAll(/<w:t[^>]*>([^<]*)<\/w:t>/g)].map(([, own]) => own).join(''))
      const font = /w:cs="([^"]*)"/.exec(run!)?.[1]
      return text === '' ? [] : [{ text, rtl: run!.includes('<w:rtl/>'), font }]
    }),
  }))

test('Persian runs are marked as right-to-left, Latin ones never, and every Persian paragraph is', async () => {
  const paragraphs = paragraphsOf(await bodyOf(persianDocument))
  for (const { bidi, style, runs } of paragraphs)
    for (const { text, rtl } of runs) {
      if (/[آ-ی]/.test(text)) expect({ text, rtl, bidi }).toEqual({ text, rtl: true, bidi: style !== 'Code' })
      if (/[A-Za-z]/.test(text)) expect({ text, rtl }).toEqual({ text, rtl: false })
    }
  const mixed = paragraphs.find(({ runs }) => runs.some(({ text }) => text === 'machine learning'))!
  expect(mixed.runs.map(({ text }) => text)).toEqual([
    'زبان ',
    'machine learning',
    ' و ',
    'df.groupby("city")',
    ' و ',
    'C++\u200e',
    ' به‌کار رفت.',
  ])
  expect(paragraphs.find(({ runs }) => runs[0]?.text.startsWith('The global'))?.bidi).toBe(false)
})

test('an item and a heading of Latin words keep the side of their neighbours in a Persian document', async () => {
  const document = documentFromMarkdown(
    '# سند\n\n## Node.js (v24)\n\n- نصب\n- Use TypeScript.\n\nAn English paragraph.',
    {
      language: 'fa',
      numberedHeadings: true,
    },
  )
  const paragraphs = paragraphsOf(await bodyOf(document))
  const saying = (text: string) => {
    const found = paragraphs.filter(({ runs }) => runs.some((run) => run.text.includes(text)))
    return found.map(({ bidi, runs }) => ({ bidi, text: runs.map((run) => run.text).join('') }))
  }
  // Between marks that nobody sees, so that its full stop stays behind its last word.
  expect(saying('TypeScript')).toEqual([{ bidi: true, text: '\u200eUse TypeScript.\u200e' }])
  expect(saying('Node.js')).toEqual([{ bidi: true, text: '\u200eNode.js (v24)\u200e' }])
  expect(saying('English')).toEqual([{ bidi: false, text: 'An English paragraph.' }])
})

test('fonts and languages of both scripts stand in the styles, and the fonts in the file', async () => {
  const parts = partsOf(await writeDocx(persianDocument, {}))
  const defaults = /<w:docDefaults>.*<\/w:docDefaults>/s.exec(parts['word/styles.xml']!)![0]
  expect(defaults).toContain('w:cs="Vazirmatn"')
  expect(defaults).toContain('w:lang w:val="en-US" w:bidi="fa-IR"')
  expect(defaults).toMatch(/<w:pPrDefault><w:pPr><w:bidi\/>/)
  expect(
    [...parts['word/fontTable.xml']!.matchAll(/w:font w:name="([^"]*)"/g)].map(([, name]) => name),
  ).toEqual(['Vazirmatn', 'Vazirmatn FD'])
  expect(Object.keys(parts).filter((name) => name.endsWith('.odttf'))).toHaveLength(4)
  const folio = /<w:style [^>]*w:styleId="Folio".*?<\/w:style>/s.exec(parts['word/styles.xml']!)![0]
  expect(folio).toContain('Vazirmatn FD')
})

test('tables run from the right, their header repeats, numbers stand at the end', async () => {
  const xml = await bodyOf(persianDocument)
  const table = /<w:tbl>.*?<\/w:tbl>/s.exec(xml)![0]
  expect(table).toContain('<w:bidiVisual/>')
  expect(table.match(/<w:tblHeader\/>/g)).toHaveLength(1)
  const [, row] = [...table.matchAll(/<w:tr>.*?<\/w:tr>/gs)].map(([found]) => found)
  expect([...row!.matchAll(/<w:jc w:val="(\w+)"/g)].map(([, side]) => side)).toEqual(['start', 'end', 'end'])
  expect(await bodyOf(englishDocument)).not.toContain('bidiVisual')
})

test('headings and lists are counted by the word processor, with Persian shapes, each list from its own start', async () => {
  const document = documentFromMarkdown('## a\n\n۱. x\n۲. y\n\n---\n\n۵. z\n\n---\n\n- b\n  - c', {
    language: 'fa',
    title: 't',
    numberedHeadings: true,
  })
  const { 'word/document.xml': xml, 'word/numbering.xml': numbering } = partsOf(await writeDocx(document, {}))
  const used = [...xml!.matchAll(/<w:ilvl w:val="(\d)"\/><w:numId w:val="(\d+)"\/>/g)].map(
    ([, level, list]) => [level, list],
  )
  const ids = used.map(([, list]) => list)
  expect(used.map(([level]) => level)).toEqual(['0', '0', '0', '0', '0', '1'])
  expect(ids[1]).toBe(ids[2])
  expect(new Set(ids).size).toBe(5)
  expect(numbering).toContain('w:val="%1\u200f-\u200f%2\u2002"')
  const ofList = (id: string) =>
    new RegExp(`<w:num w:numId="${id}"[^>]*><w:abstractNumId w:val="(\\d+)"`).exec(numbering!)![1]
  const abstract = new RegExp(
    `<w:abstractNum w:abstractNumId="${ofList(ids[3]!)}".*?</w:abstractNum>`,
    's',
  ).exec(numbering!)![0]
  expect(abstract).toMatch(/<w:start w:val="5"\/>.*Vazirmatn FD/s)
})

test('notes, links, citations and contents lead where they say, and no field is stale', async () => {
  const parts = partsOf(await writeDocx(persianDocument, {}))
  const xml = parts['word/document.xml']!
  expect(xml.match(/<w:footnoteReference w:id="\d+"\/>/g)).toHaveLength(2)
  expect(parts['word/footnotes.xml']).toContain('نگاه کنید به ')
  expect(parts['word/_rels/document.xml.rels']).toContain(
    'Target="https://www.iea.org/" TargetMode="External"',
  )
  const anchors = [...xml.matchAll(/w:anchor="([^"]*)"/g)].map(([, anchor]) => anchor)
  const marks = [...xml.matchAll(/<w:bookmarkStart[^>]*w:name="([^"]*)"/g)].map(([, mark]) => mark)
  expect(anchors).toEqual(['heading_1', 'heading_2', 'heading_3', 'heading_4', 'sources', 'source_2'])
  expect(marks).toEqual(expect.arrayContaining(anchors))
  expect(Object.values(parts).join('')).not.toMatch(/w:dirty="(true|1)"|w:updateFields/)
  const contents = paragraphsOf(xml).filter(({ style }) => style?.startsWith('TOC'))
  expect(contents.map(({ style, runs }) => `${style} ${runs.map(({ text }) => text).join('')}`)).toEqual([
    'TOC1 ۱\u2002خلاصهٔ مدیریتی',
    'TOC2 ۱\u200f-\u200f۱\u2002روش پژوهش',
    'TOC1 ۲\u2002یافته‌ها',
    'TOC1 ۳\u2002نتیجه',
    'TOC1 منابع',
  ])
})

test('the same document is the same file', async () => {
  const [first, second] = await Promise.all([
    documents.toDocx(persianDocument),
    documents.toDocx(persianDocument),
  ])
  expect(first.equals(second)).toBe(true)
  expect(partsOf(first)['docProps/core.xml']).toContain('2026-11-19T21:00:00.000Z')
})

/** Whether every tag of a part is closed by its own, and nothing stands there that XML forbids. */
function expectWellFormed(xml: string) {
  expect(xml).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u)
  const open: string[] = []
  const rest = xml.replace(
    /<\?.*?\?>|<(\/?)([\w:]+)(?:\s+[\w:]+="[^"<]*")*\s*(\/?)>/gs,
    (_, closing, name, single) => {
      if (closing) expect(open.pop()).toBe(name)
      else if (name && !single) open.push(name)
      return ''
    },
  )
  expect(open).toEqual([])
  expect(rest).not.toMatch(/[<]|&(?!(?:amp|lt|gt|quot|apos);)/)
}

test('any text comes through, and breaks nothing', async () => {
  const texts = fc.array(
    fc.oneof(fc.string({ unit: anyCharacter, maxLength: 40 }), fc.constantFrom(...hostile)),
    { minLength: 1, maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(texts, async (found) => {
      const parts = partsOf(
        await writeDocx({ ...documentOf(...found), authors: found, subtitle: found[0]! }, {}),
      )
      for (const [name, xml] of Object.entries(parts)) if (/\.(xml|rels)$/.test(name)) expectWellFormed(xml)
      const read = paragraphsOf(parts['word/document.xml']!)
        .flatMap(({ runs }) => runs.map(({ text }) => text))
        .join('')
      for (const text of found) {
        const printed = text
          .toWellFormed()
          .replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '')
          .replaceAll('\t', ' ')
        for (const line of printed.split(/\r\n?|\n/)) expect(read).toContain(line)
      }
    }),
    { numRuns: 60 },
  )
})

test.runIf(officeOpens('docx'))('an office suite opens it and reads the words in their order', async () => {
  const text = (await openedInOffice(await documents.toDocx(persianDocument), 'docx', 'txt')).toString('utf8')
  const order = [
    'بازار خودروی برقی',
    '۲۹ آبان ۱۴۰۵',
    'فهرست مطالب',
    'این گزارش وضعیت خودروهای برقی',
    'با گزارش آژانس می‌سنجد',
    'تهران با ۲۱۴ ایستگاه',
    'زبان machine learning و df.groupby("city") و C++',
    'بند دوم از گام دوم',
    'print(f"{growth(12_500):.1f}%")',
    'Tabriz (تبریز)',
    '«آینده در گرو برق است.»',
    'The global market',
    'وزارت نیرو، گزارش سالانه، ۱۴۰۵',
    'IEA, Global EV Outlook',
  ]
  const places = order.map((words) => text.indexOf(words))
  expect(places.every((place) => place >= 0)).toBe(true)
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(text).toMatch(/1\.\s*نخست[\s\S]*2\.\s*دوم/)
})
