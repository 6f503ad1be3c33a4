import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import type { Task } from '#work/pipelines'
import { fileText, MemoryRun, type ScriptedServices, someTask } from '../../harness/memory-run.ts'
import { officeOpens, openedInOffice } from '../../work/documents/office.ts'
import { readPdf } from '../../work/documents/read-pdf.ts'
import { real } from '../../work/research/makers.ts'
import { persianResearchOutside, persianResearchTask } from '../../work/research/persian-research.ts'
import {
  codeOutside,
  codeTask,
  dataOutside,
  dataTask,
  documentOutside,
  documentTask,
  englishDataOutside,
  englishDataTask,
  persianDocumentOutside,
  persianDocumentTask,
} from '../../work/research/samples.ts'

const pipelines = real()

/** One run for all tests of a task. */
const runs = new Map<object, Promise<MemoryRun>>()

function made(task: Parameters<typeof someTask>[0], services: ScriptedServices): Promise<MemoryRun> {
  const known = runs.get(task) ?? make(task, services)
  runs.set(task, known)
  return known
}

async function make(task: Parameters<typeof someTask>[0], services: ScriptedServices): Promise<MemoryRun> {
  const run = new MemoryRun(someTask(task), services)
  await run.live(pipelines[task.kind as Task['kind']])
  return run
}

const bytesOf = (run: MemoryRun, path: string) => run.files.get(path)!.bytes
const partOf = (run: MemoryRun, path: string, part: string) =>
  new TextDecoder().decode(unzipSync(bytesOf(run, path))[part])

test('a document has its title page, contents, numbered headings, tables and notes; what a section opens ends with it', async () => {
  const run = await made(documentTask, documentOutside)
  const { outline, title } = await readPdf(bytesOf(run, 'document.pdf'))
  expect(title).toBe("The volunteer's guide")
  expect(outline[0]).toBe('Contents')
  const document = partOf(run, 'document.docx', 'word/document.xml')
  expect(document).toMatch(/TOC \\/)
  expect(partOf(run, 'document.docx', 'word/footnotes.xml')).toMatch(/town hall[\s\S]*Public holidays/)
  const markdown = fileText(run, 'document.md')
  expect(markdown.match(/^## .*/gm)).toEqual(['## Welcome', '## Opening hours'])
  expect(markdown).toContain('| Saturday | 8–20 |')
  expect(markdown).toMatch(/^\[\^s1-1\]: In the old town hall\.$/m)
})

test.runIf(officeOpens('docx'))(
  'LibreOffice reads a Persian document from the right, in order, with Persian digits',
  async () => {
    const run = await made(persianDocumentTask, persianDocumentOutside)
    const text = (await openedInOffice(bytesOf(run, 'document.docx'), 'docx', 'txt')).toString()
    expect(text).toContain('کتابخانهٔ شهر در سال ۱۳۴۱ بنیان گذاشته شد.')
    expect(text).toContain('امروز ۴۰٬۰۰۰ کتاب دارد و می‌خواهیم تا سال ۱۴۱۰ به ۵۲٫۵ هزار برسیم.')
    expect(text).toContain('فهرست کتاب‌ها در Koha 23.05 است')
    const places = ['خوش آمدید', 'روز نخست', 'ساعت‌های کار', 'پنجشنبه'].map((words) => text.lastIndexOf(words))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(partOf(run, 'document.docx', 'word/document.xml')).toContain('<w:bidi/>')
  },
)

test('a Persian report is a PDF and a Word file of the same claims', async () => {
  const run = await made(persianResearchTask, persianResearchOutside)
  expect((await readPdf(bytesOf(run, 'report.pdf'))).links).toEqual(
    expect.arrayContaining(['https://water.example/urmia', 'https://news.example/dam']),
  )
  const text = partOf(run, 'report.docx', 'word/document.xml').replace(/<[^>]+>/g, '')
  expect(text).toContain('بدون منبع')
  expect(text).toContain('۱۲۷۰٫۲۱')
  expect(text).toContain('۴ آبان ۱۴۰۳')
  expect(text).not.toContain('هرگز')
})

test('a workbook holds numbers as numbers, from the right, and no formula; CSV is escaped', async () => {
  const run = await made(dataTask, dataOutside)
  const sheet = partOf(run, 'workbook.xlsx', 'xl/worksheets/sheet1.xml')
  expect(sheet).toContain('rightToLeft="1"')
  expect(sheet).toMatch(/<v>12500<\/v>[\s\S]*<v>8200\.5<\/v>[\s\S]*<v>-350<\/v>/)
  expect(sheet).toContain('<v>0.025</v>')
  for (const [name, part] of Object.entries(unzipSync(bytesOf(run, 'workbook.xlsx'))))
    if (name.startsWith('xl/worksheets/')) expect(new TextDecoder().decode(part)).not.toMatch(/<f[ >]/)
  const csv = fileText(run, 'cleaned.csv')
  expect(csv).toContain("1403/01/05,تهران,12500,5%,'=SUM(A1)")
  expect(csv).toContain("'@home")
  expect(csv).toContain('شیراز,-350,2.5%')
  expect([...run.files.keys()].filter((path) => path.startsWith('charts/'))).toHaveLength(6)
  expect(fileText(run, 'charts/chart-1.svg')).toMatch(/^<svg/)
})

test.runIf(officeOpens('xlsx'))('LibreOffice opens the workbook', async () => {
  const run = await made(dataTask, dataOutside)
  expect((await openedInOffice(bytesOf(run, 'workbook.xlsx'), 'xlsx', 'pdf')).subarray(0, 5).toString()).toBe(
    '%PDF-',
  )
})

test('numbers of a summary are those of the code; sentences with others are left out', async () => {
  const run = await made(dataTask, dataOutside)
  const summary = fileText(run, 'summary.md')
  expect(summary).toContain('در این جدول ۷ ردیف هست.')
  expect(summary).toContain('- بهترین شهر تهران بود.')
  expect(summary).not.toMatch(/۹۹۹|f500/)
  expect(summary).toContain('| تهران | ۴۶٬۰۰۰ |')
  expect(summary).toContain('| ۱۴۰۳/۰۱ | ۲۰٬۷۰۰٫۵ |')
  expect(summary).toContain('![فروش هر شهر](charts/chart-1.png)')
  const english = fileText(await made(englishDataTask, englishDataOutside), 'summary.md')
  expect(english).toContain('The units sum up to 705.')
  expect(english).not.toContain('12345')
})

test('without data nothing is computed and nothing is asked', async () => {
  const run = new MemoryRun(someTask({ kind: 'data', input: 'Please analyse our sales, they were good.' }), {
    say: () => 'x',
  })
  expect(await run.live(pipelines.data)).toMatchObject({ isComplete: false })
  expect(run.questions).toEqual([])
  expect([...run.files.keys()]).toEqual(['summary.md'])
  expect(fileText(run, 'summary.md')).toContain('No data was found')
})

test('a table at an address in the task is read where the task holds none', async () => {
  const run = new MemoryRun(
    someTask({ kind: 'data', input: 'Analyse https://a.example/sales.csv please.' }),
    {
      say: () => 'x',
      fetch: () => ({ bytes: Buffer.from('city,n\na,1\nb,2'), mediaType: 'text/csv' }),
    },
  )
  expect(await run.live(pipelines.data)).toMatchObject({ isComplete: true })
  expect(fileText(run, 'cleaned.csv')).toBe('\ufeffcity,n\r\na,1\r\nb,2\r\n'.slice(1))
})

test('a project holds only files of its own folder, checked by parsers; what a parser refuses twice is marked', async () => {
  const run = await made(codeTask, codeOutside)
  expect([...run.files.keys()]).toEqual([
    'README.md',
    'src/count.ts',
    'src/main.mjs',
    'package.json',
    'ci.yaml',
    'project.zip',
  ])
  expect(run.questions.map(({ step }) => step).filter((step) => step.startsWith('mend/'))).toEqual([
    'mend/2',
    'mend/3',
    'mend/4',
  ])
  const readme = fileText(run, 'README.md')
  expect(readme).toMatch(
    /found the syntax of these files right:\n\n- `src\/count\.ts`\n- `src\/main\.mjs`\n- `ci\.yaml`\n/,
  )
  expect(readme).toMatch(/- `package\.json`: `[^`]*JSON/)
  const zip = unzipSync(bytesOf(run, 'project.zip'))
  expect(Object.keys(zip).toSorted()).toEqual([
    'README.md',
    'ci.yaml',
    'package.json',
    'src/count.ts',
    'src/main.mjs',
  ])
  for (const [path, bytes] of Object.entries(zip))
    expect(Buffer.from(bytes)).toEqual(Buffer.from(bytesOf(run, path)))
})

test('a program that is read is never run', async () => {
  const evil = 'while (true) {}\nprocess.exit(3)\nthrow new Error("ran")'
  const files = {
    'a.js': evil,
    'b.mts': `const x: number = 1\n${evil}`,
    'c.html': `<script>${evil}</script>`,
    'd.html': '<script>let = (</script>',
    'e.cjs': '#!/usr/bin/env node\nawait x',
  }
  const run = await made(
    { kind: 'code', input: 'five files, please' },
    {
      say: (step) =>
        step === 'plan'
          ? JSON.stringify({ name: 'n', description: '', files: Object.keys(files) })
          : `\`\`\`\n${Object.values(files)[Number(step.split('/')[1]) - 1] ?? 'x'}\n\`\`\``,
    },
  )
  expect(fileText(run, 'README.md')).toMatch(/right:\n\n- `a\.js`\n- `b\.mts`\n- `c\.html`\n/)
  expect(fileText(run, 'README.md')).toMatch(/syntax errors:\n\n- `d\.html`/)
})
