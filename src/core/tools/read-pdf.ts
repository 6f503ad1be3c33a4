import { getDocumentProxy } from 'unpdf'
import { excerpt } from './excerpt.ts'
import { type PdfTextPiece, textOfPage } from './pdf-lines.ts'
import { cleanText } from './tidy.ts'
import type { PageWork, ReadPage } from './web-fetch.ts'

/** The most pieces of one page; a drawing can have any number of them. */
const maxPieces = 50_000

/** Title and text of a PDF, page after page until the bound. Only for a confined process. */
export async function readPdf({ bytes, maxBytes, maxPages }: PageWork): Promise<ReadPage> {
  const document = await opened(bytes)
  if (!document) return { title: '', text: '', cut: false }
  const { info } = await document.getMetadata()
  const pages: string[] = []
  let length = 0
  for (let number = 1; number <= Math.min(document.numPages, maxPages) && length <= maxBytes; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    pages.push(textOfPage(items.slice(0, maxPieces).flatMap(pieceOf)))
    length += Buffer.byteLength(pages.at(-1)!)
    page.cleanup()
  }
  const { text, cut } = excerpt(cleanText(pages.join('\n\n')), maxBytes)
  return {
    title: titleOf(info),
    text,
    cut: cut || pages.length < document.numPages,
  }
}

/** Opens a PDF; undefined for bytes that are no PDF, are broken, or are locked by a password. */
async function opened(bytes: Uint8Array) {
  try {
    // `getDocumentProxy` refuses Buffers, and keeps the bytes that it is given.
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, stopAtErrors: false })
  } catch {
    return undefined
  }
}

function pieceOf(item: object): PdfTextPiece[] {
  if (!('str' in item)) return []
  const { str, transform, width, height } = item as {
    str: string
    transform: number[]
    width: number
    height: number
  }
  return [{ text: str, x: transform[4]!, y: transform[5]!, width, height }]
}

const titleOf = (info: unknown): string => {
  const title = (info as { Title?: unknown } | undefined)?.Title
  return typeof title === 'string' ? cleanText(title).replace(/\s+/g, ' ').slice(0, 300) : ''
}
