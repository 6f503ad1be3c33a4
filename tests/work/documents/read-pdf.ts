import { getDocumentProxy } from 'unpdf'

/** A PDF as pdf.js reads it. */
export async function readPdf(bytes: Uint8Array) {
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
  const { info } = await document.getMetadata()
  const pages: string[] = []
  const fonts = new Set<string>()
  const links: string[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    pages.push(items.map((item) => ('str' in item ? item.str : '')).join('|'))
    await page.getOperatorList()
    for (const item of items) {
      const name = 'fontName' in item ? item.fontName : undefined
      if (name && page.commonObjs.has(name)) fonts.add((page.commonObjs.get(name) as { name: string }).name)
    }
    for (const note of await page.getAnnotations()) if (note.url) links.push(note.url)
  }
  return {
    pages,
    fonts: [...fonts].map((name) => name.replace(/^[A-Z]{6}\+/, '')),
    links,
    title: (info as { Title?: string }).Title,
    language: (info as { Language?: string }).Language,
    outline: ((await document.getOutline()) ?? []).map((entry) => entry.title),
    /** Typst tags what it writes from 0.14 on. */
    taggable: Number(/Typst 0\.(\d+)/.exec((info as { Creator?: string }).Creator ?? '')?.[1]) >= 14,
    tagged: (await document.getMarkInfo())?.Marked === true,
  }
}
