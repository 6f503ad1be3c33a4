/** Markdown as a tree, never as HTML: what looks like HTML stays a text. */
import type { Parents, Root, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { isWithinBounds } from './bounds.ts'
import { formulaSyntax, formulaTree } from './formula-syntax.ts'

/**
 * Blocks of HTML are paragraphs, so that Markdown within them is read and their tags are texts. A text that is indented is no code: models write
 * fences, and people's Persian texts are indented.
 */
const plainer = { disable: { null: ['htmlFlow', 'codeIndented'] } }

/** The tree of a block, its names of links replaced by their addresses; undefined where it is beyond its bounds, and shown as a plain text. */
export function parseMarkdown(source: string, definitions = ''): Root | undefined {
  if (!isWithinBounds(source)) return undefined
  const tree = fromMarkdown(definitions === '' ? source : `${source}\n\n${definitions}`, {
    extensions: [plainer, gfm({ singleTilde: false }), formulaSyntax],
    mdastExtensions: [gfmFromMarkdown(), formulaTree],
  })
  resolveNames(tree)
  return tree
}

/** Names stand for addresses that are given elsewhere (`[text][name]`); where several give one, the first holds. */
function resolveNames(tree: Root): void {
  const urls = new Map<string, string>()
  for (const child of tree.children)
    if (child.type === 'definition' && !urls.has(child.identifier)) urls.set(child.identifier, child.url)
  if (urls.size === 0) return
  tree.children = tree.children.filter(({ type }) => type !== 'definition')
  const left: Parents[] = [tree]
  for (let parent = left.pop(); parent; parent = left.pop()) {
    parent.children = parent.children.map((child) => resolved(child, urls)) as typeof parent.children
    for (const child of parent.children) if ('children' in child) left.push(child)
  }
}

function resolved(node: RootContent, urls: ReadonlyMap<string, string>): RootContent {
  if (node.type !== 'linkReference' && node.type !== 'imageReference') return node
  const url = urls.get(node.identifier)
  if (url === undefined) return node
  return node.type === 'linkReference'
    ? { type: 'link', url, children: node.children }
    : { type: 'image', url, alt: node.alt ?? '' }
}
