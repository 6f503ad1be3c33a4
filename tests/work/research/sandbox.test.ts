import { expect, test } from 'vitest'
import { sandboxProvider } from '#sandbox'
import type { Question, Task } from '#work/pipelines'
import { fileText, MemoryRun, type ScriptedServices, someTask } from '../../harness/memory-run.ts'
import { generated } from '../../harness/parts.ts'
import { callOf } from '../../providers/asking.ts'
import { readPdf } from '../documents/read-pdf.ts'
import { real } from './makers.ts'
import { pages } from './research-script.ts'
import { dataTask } from './samples.ts'

/** The sandbox's own model behind the desk. */
async function sandboxSays({ messages, output, maxOutputTokens }: Question): Promise<string> {
  const turn = {
    messages,
    tools: [],
    toolChoice: { type: 'auto' as const },
    parallelToolCalls: false,
    output: output ?? { type: 'text' as const },
    maxOutputTokens,
    stop: [],
    stream: true,
    source: { wire: 'chat' as const },
  }
  let text = ''
  for await (const part of generated(sandboxProvider(), callOf(turn, { upstreamModel: 'fast' })))
    if (part.type === 'text') text += part.text
  return text
}

const services: ScriptedServices = {
  say: (_, question) => sandboxSays(question),
  search: () => Object.values(pages),
  read: (url) => pages[url],
}

const tasks: [Task['kind'], string, 'fa' | 'en', string[]][] = [
  [
    'research',
    'انرژی خورشیدی در سال ۲۰۲۴ چقدر رشد کرد؟',
    'fa',
    ['report.md', 'report.docx', 'report.pdf', 'sources.json'],
  ],
  [
    'document',
    'Write a short guide to the city library.',
    'en',
    ['document.md', 'document.docx', 'document.pdf'],
  ],
  ['code', 'A tool that counts words, in Python.', 'en', ['README.md', 'project.zip']],
  ['data', dataTask.input, 'fa', ['workbook.xlsx', 'cleaned.csv', 'summary.md']],
]

test.each(tasks)(
  'with sandbox models a run of %s makes all of its files, and each says what it is',
  async (kind, input, language, paths) => {
    const run = new MemoryRun(someTask({ kind, input, language, isSandbox: true }), services)
    await run.live(real()[kind])
    expect([...run.files.keys()]).toEqual(expect.arrayContaining(paths))
    const mark = language === 'fa' ? 'خروجی سندباکس' : 'sandbox output'
    for (const { title, path } of run.files.values()) expect(title, path).toContain(mark)
    for (const path of run.files.keys())
      if (path.endsWith('.md'))
        expect(fileText(run, path), path).toMatch(language === 'fa' ? /سندباکس/ : /sandbox/)
    const pdf = [...run.files.values()].find(({ path }) => path.endsWith('.pdf'))
    if (pdf) expect((await readPdf(pdf.bytes)).pages.length).toBeGreaterThan(1)
  },
)
