/** Reads one page that a stranger wrote, as text. web-fetch.ts and reader.ts start this process. */
import { runConfinedWork } from '#platform/confined-process'
import type { PageWork, ReadPage } from './web-fetch.ts'

// Readers are imported when they are needed: they are large, and a page needs one of them.
await runConfinedWork<PageWork>(async (work): Promise<ReadPage> => {
  if (work.kind === 'html') return (await import('./read-html.ts')).readHtml(work)
  if (work.kind === 'text') return (await import('./read-text.ts')).readText(work)
  if (work.kind === 'docx') return (await import('./read-docx.ts')).readDocx(work)
  return (await import('./read-pdf.ts')).readPdf(work)
})
