import { readFileSync } from 'node:fs'
import path from 'node:path'
import { NodeCompiler, type NodeTypstDocument } from '@myriaddreamin/typst-ts-node-compiler'
import { fontFile } from '../fonts.ts'
import type { PlacedImage, TextDocument } from '../model.ts'
import { prepare } from '../prepare.ts'
import { fileOf, typstInput } from './printed.ts'

/** A folder that does not exist: Typst reads only the files passed in memory. */
const virtualWorkspace = '/nonexistent/documents'

type PlacedImages = Record<string, PlacedImage>

/**
 * Writes a document as PDF: tagged from Typst 0.14 on, and accessible (PDF/UA-1) if every character has a glyph. If an image turns out to be broken,
 * all images are replaced by their texts. Only for a confined process.
 */
export function writePdf(document: TextDocument, images: PlacedImages): Uint8Array {
  const compiler = NodeCompiler.create({
    workspace: virtualWorkspace,
    fontArgs: [{ fontBlobs: ['Regular', 'Medium', 'Bold'].map((weight) => fontFile(`Vazirmatn-${weight}`)) }],
  })
  const pages = typeset(compiler, document, images) ?? typeset(compiler, document, {})
  if (!pages) throw new Error('The document could not be set.')
  // The document's date is embedded and not the current time, so that the same document gives the same bytes.
  const options = { creationTimestamp: 0 }
  try {
    return compiler.pdf(pages, { ...options, pdfStandard: 'ua-1' })
  } catch {
    return compiler.pdf(pages, options)
  }
}

/** The pages as page.typ sets them; null if it cannot. */
function typeset(
  compiler: NodeCompiler,
  document: TextDocument,
  images: PlacedImages,
): NodeTypstDocument | null {
  compiler.resetShadow()
  for (const [index, image] of Object.values(images).entries())
    compiler.mapShadow(virtualWorkspace + fileOf(index, image), Buffer.from(image.bytes))
  return compiler.compile({
    mainFileContent: readFileSync(path.join(import.meta.dirname, 'page.typ'), 'utf8'),
    inputs: { document: JSON.stringify(typstInput(prepare(document, images), images)) },
  }).result
}
