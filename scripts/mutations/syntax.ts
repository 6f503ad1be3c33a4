import { parseAst } from 'vitest/node'

export interface SyntaxNode {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

/** Calls `visit` with every node of a TypeScript source, parents first, until it answers false: what stands within that node is left out. */
export function walk(code: string, visit: (node: SyntaxNode) => boolean): void {
  const enter = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) enter(one)
    else if (isNode(value) && visit(value))
      for (const field of Object.values(value)) if (typeof field === 'object') enter(field)
  }
  enter(parseAst(code, { lang: 'ts' }))
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
