import { parseAst } from 'vitest/node'

export interface FoundImport {
  line: number
  specifier: string
  /** Erased at run time: `import type`, `export type … from`, or the type `import('…')`. */
  isTypeOnly: boolean
}

interface SyntaxNode {
  type: string
  start: number
  [field: string]: unknown
}

/** Everything that a TypeScript source imports, re-exports, or starts as a file beside itself (`new URL('./x.ts', import.meta.url)`). */
export function findImports(code: string): FoundImport[] {
  const found: FoundImport[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one)
    else if (isNode(node)) {
      const specifier = specifierOf(node)
      if (specifier !== undefined)
        found.push({
          line: code.slice(0, node.start).split('\n').length,
          specifier,
          isTypeOnly: isTypeOnly(node),
        })
      for (const field of Object.values(node)) if (typeof field === 'object') visit(field)
    }
  }
  visit(parseAst(code, { lang: 'ts' }))
  return found
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function specifierOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return textOf(node['source'])
    case 'TSImportType':
      return textOf(node['source'] ?? node['argument'])
    case 'NewExpression': {
      const [first] = node['arguments'] as unknown[]
      const specifier = (node['callee'] as { name?: string }).name === 'URL' ? textOf(first) : undefined
      return specifier && /^\.{1,2}\/.*\.[cm]?[jt]s$/.test(specifier) ? specifier : undefined
    }
    default:
      return undefined
  }
}

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'TSLiteralType') return textOf(node['literal'])
  return typeof node['value'] === 'string' ? node['value'] : undefined
}

function isTypeOnly(node: SyntaxNode): boolean {
  return node.type === 'TSImportType' || node['importKind'] === 'type' || node['exportKind'] === 'type'
}
