import { parseAst } from 'vitest/node'

/** A regular expression as it stands in a source file; `flags` is absent where it is made from a string. */
export interface FoundPattern {
  line: number
  source: string
  flags?: string
}

interface SyntaxNode {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

/** Every regular expression of a TypeScript source, in its order: literals, and calls of `RegExp`. */
export function findPatterns(code: string): FoundPattern[] {
  const found: FoundPattern[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one)
    else if (isNode(node)) {
      const pattern = patternOf(node, code)
      if (pattern) found.push({ line: code.slice(0, node.start).split('\n').length, ...pattern })
      for (const field of Object.values(node)) if (typeof field === 'object') visit(field)
    }
  }
  visit(parseAst(code, { lang: 'ts' }))
  return found
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function patternOf(node: SyntaxNode, code: string): Omit<FoundPattern, 'line'> | undefined {
  if (node.type === 'Literal' && node['regex']) {
    const { pattern, flags } = node['regex'] as { pattern: string; flags: string }
    return { source: pattern, flags }
  }
  const made = node.type === 'NewExpression' || node.type === 'CallExpression'
  if (made && (node['callee'] as { name?: string }).name === 'RegExp')
    return { source: code.slice(node.start, node.end).replace(/\s{1,99}/g, ' ') }
  return undefined
}
