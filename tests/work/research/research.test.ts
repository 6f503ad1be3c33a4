import { expect, test } from 'vitest'
import { FailedStep, LostStep } from '#work/pipelines'
import { fileText, MemoryRun, type ScriptedServices, someTask, textOf } from '../../harness/memory-run.ts'
import { fits } from '../../harness/plan-use.ts'
import { quick } from './makers.ts'
import { persianPages, persianResearchOutside, persianResearchTask } from './persian-research.ts'
import { pages, researchOutside, researchTask } from './research-script.ts'

const { research } = quick()

interface Sources {
  sources: {
    number: number
    url: string
    title: string
    cited_in: { claim: string; checked: boolean; quotes: string[] }[]
  }[]
  read_but_not_cited: { url: string }[]
  unsupported: { claim: string }[]
  removed: { claim: string }[]
}

const sourcesOf = (run: MemoryRun) => JSON.parse(fileText(run, 'sources.json')) as Sources
/** The report without its list of sources. */
const bodyOf = (run: MemoryRun) => fileText(run, 'report.md').split(/^## (?:Sources|منابع)$/m)[0]!

test('every citation of a report leads to a page that was read, with a passage that stands there', async () => {
  const run = new MemoryRun(someTask(researchTask), researchOutside())
  expect(await run.live(research)).toMatchObject({ isComplete: true })
  expect([...run.files.keys()]).toEqual(['report.md', 'report.docx', 'report.pdf', 'sources.json'])
  const { sources } = sourcesOf(run)
  const cited = [...bodyOf(run).matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number))
  expect(new Set(cited)).toEqual(new Set(sources.map(({ number }) => number)))
  for (const { url, cited_in } of sources)
    for (const { quotes, checked } of cited_in) {
      expect(checked).toBe(true)
      for (const quote of quotes) expect(pages[url]!.text).toContain(quote)
    }
})

test('what no source says is marked, what a source denies and what cites no source that there is, is gone', async () => {
  const run = new MemoryRun(someTask(researchTask), researchOutside())
  await run.live(research)
  const body = bodyOf(run)
  const marked = [...body.matchAll(/([^.\n]*) \*\\\[unsupported\\\]\*/g)].map(([, sentence]) =>
    sentence!.trim(),
  )
  expect(marked).toEqual([
    'Half of all roofs carry panels today',
    // The verifier said that it is supported; the number stands in no source.
    'Capacity grew by 35 percent',
    // Its quotation was made up.
    '- See the vendor for more',
  ])
  expect(body).not.toMatch(/Norway|doubled|99|invented\.example/)
  expect(sourcesOf(run)).toMatchObject({
    unsupported: [{ claim: 'Half of all roofs carry panels today' }, {}, {}],
    removed: [{ claim: 'The sun was invented in Norway' }, { claim: 'Prices doubled in two years' }],
  })
})

test('the words of a page reach the model as data that cannot be closed, and change no order', async () => {
  const run = new MemoryRun(someTask(researchTask), researchOutside())
  await run.live(research)
  expect(fileText(run, 'report.md')).not.toMatch(/hoax/i)
  const hostile = run.questions.filter(({ question }) =>
    textOf(question).includes('Ignore previous instructions'),
  )
  expect(hostile.map(({ step }) => step)).toContain('notes/3')
  for (const { question } of hostile) {
    const [system, user] = question.messages.map(({ content }) =>
      content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    )
    expect(system).not.toContain('Ignore previous')
    // Everything outside of the marks is ours.
    const services = user!.replace(/<data name="[^"<>]*">\n[\s\S]*?\n<\/data>/g, '')
    expect(services).not.toMatch(/Ignore previous|SYSTEM|<\/?data/)
  }
})

test('without a search engine, or where no page can be read, the report says so and claims nothing', async () => {
  for (const change of [{ search: () => [] }, { read: () => undefined }]) {
    const run = new MemoryRun(someTask(researchTask), { ...researchOutside(), ...change })
    const outcome = await run.live(research)
    expect(outcome).toMatchObject({ isComplete: false, words: { en: expect.stringContaining('No source') } })
    expect(run.questions.map(({ step }) => step)).toEqual(['questions'])
    expect(fileText(run, 'report.md')).toContain('There is no source')
    expect(sourcesOf(run)).toMatchObject({ sources: [], unsupported: [] })
    expect(run.files.size).toBe(4)
  }
})

test('where the server has no search engine, the end of the run says what to do about it', async () => {
  const { search: _, ...services } = researchOutside()
  const run = new MemoryRun(someTask(researchTask), services)
  expect(await run.live(research)).toMatchObject({
    isComplete: false,
    words: {
      en: expect.stringMatching(/no search engine.*knowledge_id/),
      fa: expect.stringContaining('موتور جست‌وجو ندارد'),
    },
  })
})

test("a knowledge project is asked in the task's own words too, so that what they alone find is cited", async () => {
  const text = 'The roof of the old mill carries 42 panels. '.repeat(8)
  const mill = { url: 'knowledge:mill', title: 'Mill', text }
  const run = new MemoryRun(someTask(researchTask), {
    ...researchOutside(),
    search: () => [],
    recall: (query) => (query === researchTask.input ? [mill] : []),
  })
  await run.live(research)
  expect(run.questions.map(({ step }) => step)).toContain('notes/1')
  const { sources, read_but_not_cited: silent } = sourcesOf(run)
  expect([...sources, ...silent].map(({ url }) => url)).toEqual([mill.url])
})

test('a section whose check was lost keeps its sentences, each marked as not checked', async () => {
  const run = new MemoryRun(someTask(researchTask), researchOutside({ 'check/1': new LostStep('check/1') }))
  expect(await run.live(research)).toMatchObject({
    isComplete: false,
    words: { en: expect.stringContaining('the check of the section “Growth”') },
  })
  expect(bodyOf(run)).toContain('China added 277 gigawatts [1] *\\[not checked\\]*.')
})

test('a Persian report has Persian digits, marks and numbers, and its quotations are found however they are spelled', async () => {
  const run = new MemoryRun(someTask(persianResearchTask), persianResearchOutside)
  expect(await run.live(research)).toMatchObject({ isComplete: true })
  const body = bodyOf(run)
  expect(body).toContain('تراز دریاچه در پایان مهر ۱۴۰۳ به ۱۲۷۰٫۲۱ متر رسید [1].')
  expect(body).toContain('دریاچه تا سه سال دیگر پر می‌شود *\\[بدون منبع\\]*.')
  expect(body).toContain('ژرفای آن ۴۴ متر است *\\[بدون منبع\\]*.')
  expect(body).toContain('- به این موضوع در بخش بعد می‌پردازیم.\n')
  expect(body).not.toContain('هرگز')
  expect(sourcesOf(run).sources.map(({ url }) => url)).toEqual(Object.keys(persianPages))
})

test('addresses in the task are read first, a page that says nothing to the questions is not cited', async () => {
  const own = { url: 'https://own.example/a', title: 'Own', text: 'Own text of the page. '.repeat(20) }
  const run = new MemoryRun(
    someTask({ ...researchTask, input: `${researchTask.input} See https://own.example/a.` }),
    {
      ...researchOutside({ 'notes/1': 'NOTHING.' }),
      read: (url) => (url === own.url ? own : pages[url]),
    },
  )
  await run.live(research)
  expect(sourcesOf(run).sources.map(({ url }) => url)).toEqual(Object.keys(pages))
  expect(sourcesOf(run).read_but_not_cited.map(({ url }) => url)).toEqual([own.url])
})

test('a model that answers nothing at all fails the run, whatever was found: nothing is handed over', async () => {
  const services = {
    ...researchOutside(),
    say: (step: string) => new FailedStep(step, 'UPSTREAM_UNAVAILABLE'),
  }
  const run = new MemoryRun(someTask(researchTask), services)
  await expect(run.live(research)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
  expect(run.files.size).toBe(0)
})

test('an http address of the task is read by https, and one that cannot be read is named with the reason', async () => {
  const text = 'The sun shone for twelve hours. '.repeat(20)
  const asked: string[] = []
  const run = new MemoryRun(
    someTask({ kind: 'research', input: 'Compare http://a.example/x with http://b.example/y, please.' }),
    {
      say: (step) => (step.startsWith('notes') ? 'The sun shone for twelve hours.' : 'The sun shone. [1]'),
      read: (url) => {
        asked.push(url)
        return url === 'https://a.example/x' ? { url, title: 'A', text } : undefined
      },
    },
  )
  expect(await run.live(research)).toMatchObject({ isComplete: false })
  expect(asked).toEqual(['https://a.example/x', 'https://b.example/y'])
  expect(fileText(run, 'report.md')).toContain('http://b.example/y (only https addresses are read')
})

test.each([
  [1, 10, 6],
  [3, 40, 20],
])(
  'a research of depth %i reads up to %i sources for up to %i sections, within its plan',
  async (depth, sources, sections) => {
    const list = (count: number) => Array.from({ length: count }, (_, index) => `matter ${index}`)
    const services: ScriptedServices = {
      say(step) {
        if (step === 'questions')
          return JSON.stringify({ title: 'T', questions: list(30), queries: list(60) })
        if (step === 'outline')
          return JSON.stringify({
            title: 'T',
            sections: list(30).map((heading) => ({ heading, brief: 'b' })),
          })
        if (step.startsWith('notes')) return 'It is known that the sun shines.'
        return 'The sun shines. [1]'
      },
      search: (query) =>
        list(4).map((_, index) => ({
          url: `https://host-${query.replace(/\D/g, '')}-${index}.example/`,
          title: query,
          text: 'x',
        })),
      read: (url) => ({ url, title: url, text: `${url} says that the sun shines. `.repeat(20) }),
    }
    const run = new MemoryRun(
      someTask({ kind: 'research', input: 'All about the sun, please.', depth }),
      services,
    )
    await run.live(research)
    const count = (word: string) => run.questions.filter(({ step }) => step.startsWith(`${word}/`)).length
    // The summary is drafted as well.
    expect([count('notes'), count('draft')]).toEqual([depth === 3 ? 40 : 8, sections + 1])
    expect(count('notes')).toBeLessThanOrEqual(sources)
    expect(fits(run.used, research.plan(run.task))).toBe(true)
  },
)
