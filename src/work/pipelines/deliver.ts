import { type Documents, RenderFailed, type TextDocument, toMarkdown } from '#work/documents'
import type { Gap } from './budgeted-steps.ts'
import { type Localized, titleWithMark } from './phrases.ts'
import type { StepContext } from './pipelines.ts'

/** Returns the result of a renderer. If its process was lost or the file would be too large, records a gap and returns undefined. */
export async function renderOrGap<Made>(
  gaps: Gap[],
  what: Localized,
  make: () => Promise<Made>,
): Promise<Made | undefined> {
  try {
    return await make().catch((error: unknown) => {
      // Tried once more, since the machine may only have been busy for a moment.
      if (error instanceof RenderFailed) return make()
      throw error
    })
  } catch (error) {
    if (!(error instanceof RenderFailed || error instanceof RangeError)) throw error
    gaps.push({ what, reason: 'render' })
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

/** Saves a document as Markdown, Word and PDF under one name. */
export async function saveDocument(
  context: StepContext,
  documents: Documents,
  name: string,
  document: TextDocument,
  gaps: Gap[],
): Promise<void> {
  const { language, isSandbox } = context.task
  const title = titleWithMark(document.title, language, isSandbox)
  const renderContext = { accountId: context.accountId, signal: context.signal }
  await context.saveFile({
    path: `${name}.md`,
    bytes: encode(toMarkdown(document)),
    mediaType: mediaTypes.md,
    title,
  })
  const makers = { docx: documents.toDocx, pdf: documents.toPdf }
  for (const [ending, make] of Object.entries(makers) as ['docx' | 'pdf', typeof documents.toPdf][]) {
    const path = `${name}.${ending}`
    const bytes = await renderOrGap(gaps, { fa: path, en: path }, () => make(document, renderContext))
    if (bytes) await context.saveFile({ path, bytes, mediaType: mediaTypes[ending], title })
  }
}
