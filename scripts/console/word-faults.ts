/** Sentences that stand outside of the files of words, where a person of the other language would read them. */
import { parseAst } from 'vite'

interface Node {
  type: string
  start: number
  [key: string]: unknown
}

/** Attributes whose value people read or hear. */
const spoken = new Set(['aria-label', 'alt', 'placeholder', 'title', 'label', 'hint', 'lead', 'note', 'unit'])
const sides = /^(?:margin|padding|border|inset)?(?:Left|Right)(?:Width|Color|Style)?$|^(?:left|right)$/
const letters = /\p{L}{2}/u
const persian = /\p{Script=Arabic}{2}/u

/** The faults of a file of the console, each with its line. The gallery has names and samples of its own; tests and words may say what they want. */
export function wordFaults(file: string, text: string): string[] {
  if (file.endsWith('.words.ts') || file.endsWith('.test.ts') || file.endsWith('.d.ts')) return []
  const isGallery = file.startsWith('console/gallery/')
  const faults: string[] = []
  const add = ({ start }: Node, why: string): void => {
    faults.push(`${file}:${text.slice(0, start).split('\n').length}: ${why}.`)
  }
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file) as unknown as Node, (node) => {
    if (!isGallery) checkWords(node, add)
    if (node.type === 'Property' && sides.test(nameOf(node['key'])))
      add(node, 'a style names a side: use its logical form')
  })
  return faults
}

function checkWords(node: Node, add: (node: Node, why: string) => void): void {
  const value = typeof node['value'] === 'string' ? node['value'] : ''
  if (node.type === 'JSXText' && letters.test(value))
    add(node, 'a text stands in the page: move it into a file of words')
  if (node.type === 'Literal' && persian.test(value))
    add(node, 'a Persian text stands here: move it into a file of words')
  if (node.type !== 'JSXAttribute' || !spoken.has(nameOf(node['name']))) return
  const given = node['value'] as Node | null
  if (given?.type === 'Literal' && letters.test(String(given['value'])))
    add(node, `${nameOf(node['name'])} has a text: move it into a file of words`)
}

const nameOf = (node: unknown): string => {
  const { name, value } = (node ?? {}) as { name?: unknown; value?: unknown }
  return typeof name === 'string' ? name : typeof value === 'string' ? value : ''
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  for (const child of Object.values(node))
    for (const one of Array.isArray(child) ? child : [child])
      if (typeof (one as Node | null)?.type === 'string') visit(one as Node, see)
}
