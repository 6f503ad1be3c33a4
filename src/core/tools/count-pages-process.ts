/** Counts the pages of PDFs that strangers wrote. count-pages.ts starts this process. */
import { getDocumentProxy } from 'unpdf'
import { runConfinedWork } from '#platform/confined-process'
import type { PdfPages } from './count-pages.ts'

await runConfinedWork<Uint8Array[]>(async (files) => {
  const counted: PdfPages[] = []
  for (const bytes of files) counted.push(await pagesOf(bytes))
  return counted
})

async function pagesOf(bytes: Uint8Array): Promise<PdfPages> {
  try {
    // `getDocumentProxy` refuses Buffers, and keeps the bytes that it is given.
    const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, stopAtErrors: false })
    const { numPages: pages } = document
    await document.loadingTask.destroy()
    return pages > 0 ? { pages } : { unreadable: 'broken' }
  } catch (error) {
    return { unreadable: (error as Error).name === 'PasswordException' ? 'locked' : 'broken' }
  }
}
