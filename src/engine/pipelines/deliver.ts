import { type Documents, RenderFailed, type TextDocument, toMarkdown } from '#engine/documents'
import type { Gap } from './budgeted-steps.ts'
import { type Localized, titled } from './phrases.ts'
import type { StepContext } from './pipelines.ts'

/** What a maker of files gives, or undefined with a gap where it cannot: it was lost, or the file would be too large. */
export async function rendered<Made>(
  gaps: Gap[],
  what: Localized,
  make: () => Promise<Made>,
): Promise<Made | undefined> {
  try {
    return await make().catch((error: unknown) => {
      // A machine that is busy for a moment is none to lose a file to.
      if (error instanceof RenderFailed) return make()
      throw error
    })
  } catch (error) {
    if (!(error instanceof RenderFailed || error instanceof RangeError)) throw error
    gaps.push({ what, why: 'render' })
    return undefined
  }
}

const markdownType = 'text/markdown; charset=utf-8'
export const mediaTypes = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pdf: 'application/pdf',
  md: markdownType,
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  zip: 'application/zip',
} as const

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** One document as Markdown, Word and PDF of the same name. */
export async function keepDocument(
  desk: StepContext,
  documents: Documents,
  name: string,
  document: TextDocument,
  gaps: Gap[],
): Promise<void> {
  const { language, isSandbox } = desk.task
  const title = titled(document.title, language, isSandbox)
  const context = { accountId: desk.accountId, signal: desk.signal }
  await desk.saveFile({
    path: `${name}.md`,
    bytes: encode(toMarkdown(document)),
    mediaType: mediaTypes.md,
    title,
  })
  const makers = { docx: documents.toDocx, pdf: documents.toPdf }
  for (const [ending, make] of Object.entries(makers) as ['docx' | 'pdf', typeof documents.toPdf][]) {
    const path = `${name}.${ending}`
    const bytes = await rendered(gaps, { fa: path, en: path }, () => make(document, context))
    if (bytes) await desk.saveFile({ path, bytes, mediaType: mediaTypes[ending], title })
  }
}
