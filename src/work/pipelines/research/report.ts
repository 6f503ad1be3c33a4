import { nextTurn } from '#platform/slices'
import { type Documents, type Language, longDate, type TextDocument } from '#work/documents'
import { type DocumentPart, headingOf, joinParts, paragraphOf, parsePart } from '../blocks.ts'
import type { Gap } from '../budgeted-steps.ts'
import { encode, mediaTypes, saveDocument } from '../deliver.ts'
import { gapBlocks, noticeBlocks } from '../notices.ts'
import { persianDocument, persianText } from '../persian.ts'
import { sandboxPhrases, titleWithMark } from '../phrases.ts'
import type { StepContext } from '../pipelines.ts'
import { type CheckedPiece, sentencesOf } from './check.ts'
import type { ReadSource } from './gather.ts'
import type { Inquiry } from './inquiry.ts'
import { type Counts, methodText, reportPhrases } from './phrases.ts'

export interface Section {
  title: string
  judged: CheckedPiece[]
}

export interface Report {
  inquiry: Inquiry
  /** Source number n is at index n - 1. */
  sources: readonly ReadSource[]
  /** Sources that were read but had nothing on the questions. */
  silent: readonly ReadSource[]
  /** The sections in the order of the report. */
  sections: readonly Section[]
}

/** Saves report.md, report.docx, report.pdf and sources.json. */
export async function saveReport(
  context: StepContext,
  documents: Documents,
  report: Report,
  gaps: Gap[],
): Promise<void> {
  const numbers = reportNumbers(report.sections)
  const document = persianDocument(await documentOf(context, report, numbers, gaps))
  await saveDocument(context, documents, 'report', document, gaps)
  const { language, isSandbox } = context.task
  await context.saveFile({
    path: 'sources.json',
    bytes: encode(`${JSON.stringify(sourcesFile(context, report, numbers), null, 2)}\n`),
    mediaType: mediaTypes.json,
    title: titleWithMark(reportPhrases[language].sourcesFile, language, isSandbox),
  })
}

/** Sources that a sentence cites in the report: a supported sentence cites its evidence, an unchecked one its own citations. */
function citedBy(piece: CheckedPiece): number[] {
  if (piece.kind === 'plain') return []
  if (piece.verdict === 'supported') return [...new Set(piece.evidence.map(({ number }) => number))]
  return piece.verdict === 'unchecked' ? piece.sentence.numbers : []
}

/** Maps source numbers to their numbers in the report, by first citation. A source that is not cited has none. */
function reportNumbers(sections: readonly Section[]): Map<number, number> {
  const numbers = new Map<number, number>()
  for (const { judged } of sections)
    for (const piece of judged)
      for (const number of citedBy(piece)) if (!numbers.has(number)) numbers.set(number, numbers.size + 1)
  return numbers
}

/** A section as Markdown; `reportNumberOf` maps a source number to the number in the report. */
export function markdownOf(
  judged: readonly CheckedPiece[],
  language: Language,
  reportNumberOf: (number: number) => number,
): string {
  const words = reportPhrases[language]
  return judged
    .map((piece) => {
      if (piece.kind === 'plain') return piece.text
      const { sentence, verdict } = piece
      if (verdict === 'removed') return ''
      const citations = citedBy(piece)
        .map((number) => `[${reportNumberOf(number)}]`)
        .join('')
      const mark = verdict === 'unsupported' || verdict === 'unchecked' ? ` *[${words[verdict]}]*` : ''
      return `${sentence.text}${citations && ` ${citations}`}${mark}${sentence.end}`
    })
    .join('')
    .replace(/^[ \t\u00a0]*(?:[-*+•>]|[\d۰-۹]{1,3}[.)])[ \t\u00a0]*$/gm, '')
    .replace(/(?<=\S) {2,}(?=\S)/g, ' ')
    .replace(/\n{3,}/g, '\n\n')
}

async function documentOf(
  context: StepContext,
  report: Report,
  numbers: Map<number, number>,
  gaps: readonly Gap[],
): Promise<TextDocument> {
  const { language, isSandbox, startedMs } = context.task
  const cited = [...numbers.keys()].map((number) => report.sources[number - 1]!)
  const sources = cited.map(({ title, url, publishedAt }) => ({
    title,
    ...(/^https?:/.test(url) && { url }),
    ...(isDay(publishedAt) && { date: longDate(language, Date.parse(publishedAt.slice(0, 10))) }),
  }))
  const parts: DocumentPart[] = []
  for (const [index, { title, judged }] of report.sections.entries()) {
    const markdown = markdownOf(judged, language, (number) => numbers.get(number)!)
    parts.push(parsePart({ id: `s${index + 1}`, title, language, sources, markdown }))
    await nextTurn()
  }
  const body = joinParts(report.sources.length > 0 ? parts : [nothingPart(report.inquiry, language)])
  const method =
    report.sources.length > 0
      ? [
          headingOf(1, reportPhrases[language].method),
          paragraphOf(methodText(countsOf(report, numbers), language)),
        ]
      : []
  return {
    title: report.inquiry.title,
    ...(isSandbox && { subtitle: sandboxPhrases.mark[language] }),
    dateMs: startedMs,
    language,
    titlePage: true,
    contents: true,
    numberedHeadings: true,
    ...body,
    blocks: [...noticeBlocks(context.task), ...body.blocks, ...method, ...gapBlocks(gaps, language)],
    sources,
  }
}

const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d{2}-\d{2}/.test(text ?? '') && !Number.isNaN(Date.parse(text!.slice(0, 10)))

/** The body of a report without sources: it states that nothing was found and lists the questions and queries. */
function nothingPart({ questions, queries }: Inquiry, language: Language): DocumentPart {
  const words = reportPhrases[language]
  const list = (lines: readonly string[]) => ({
    type: 'list' as const,
    ordered: false,
    items: lines.map((line) => [paragraphOf(line)]),
  })
  return {
    blocks: [
      headingOf(1, words.nothing),
      paragraphOf(words.nothingWhy),
      headingOf(1, words.asked),
      list(questions),
      headingOf(1, words.searched),
      list(queries),
    ],
    footnotes: {},
  }
}

export function countsOf(
  { sections, sources, silent }: Report,
  numbers: ReadonlyMap<number, number>,
): Counts {
  const all = sections.flatMap(({ judged }) => sentencesOf(judged))
  const count = (verdict: string) => all.filter((piece) => piece.verdict === verdict).length
  return {
    read: sources.length + silent.length,
    cited: numbers.size,
    supported: count('supported'),
    unsupported: count('unsupported'),
    unchecked: count('unchecked'),
    removed: count('removed'),
  }
}

/** The content of sources.json: every source with the sentences that cite it, and every unsupported or removed sentence. */
function sourcesFile({ task }: StepContext, report: Report, numbers: Map<number, number>): object {
  const { sections, sources, silent, inquiry } = report
  const sentences = sections.flatMap(({ title, judged }) =>
    sentencesOf(judged).map((piece) => ({ ...piece, title })),
  )
  const plain = (text: string) => {
    const line = text
      .replace(/^\s*\|\s*|\*\*/g, '')
      .split('|')
      .map((cell) => cell.trim())
      .join(' · ')
      .trim()
    return task.language === 'fa' ? persianText(line) : line
  }
  const about = (source: ReadSource) => ({
    url: source.url,
    title: source.title,
    kind: source.kind,
    ...(source.readAt && { read_at: source.readAt }),
    ...(source.publishedAt && { published_at: source.publishedAt }),
    ...(source.mediaType && { media_type: source.mediaType }),
    ...(source.cut && { was_cut: true }),
  })
  const citedIn = (number: number) =>
    sentences
      .filter((piece) => citedBy(piece).includes(number))
      .map(({ title, sentence, verdict, evidence }) => ({
        section: title,
        claim: plain(sentence.text),
        checked: verdict === 'supported',
        quotes: evidence.filter((each) => each.number === number).map(({ quote }) => quote),
      }))
  const claimsWith = (verdict: string) =>
    sentences
      .filter((piece) => piece.verdict === verdict)
      .map(({ title, sentence }) => ({ section: title, claim: plain(sentence.text) }))
  return {
    title: inquiry.title,
    language: task.language,
    ...(task.isSandbox && { sandbox: true, notice: sandboxPhrases.notice[task.language] }),
    run_started_at: new Date(task.startedMs).toISOString(),
    questions: inquiry.questions,
    queries: inquiry.queries,
    sources: [...numbers].map(([own, number]) => ({
      number,
      ...about(sources[own - 1]!),
      cited_in: citedIn(own),
    })),
    read_but_not_cited: [...sources.filter((_, index) => !numbers.has(index + 1)), ...silent].map(about),
    unsupported: claimsWith('unsupported'),
    removed: claimsWith('removed'),
  }
}
