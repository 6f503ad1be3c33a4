import { randomFrom } from '../../tests/harness/random.ts'
import type { Mutation } from './mutation.ts'
import { isNode, type SyntaxNode, walk } from './syntax.ts'

/** A change of one place of a source: `[start, end)` becomes `text`. */
export interface Candidate {
  start: number
  end: number
  text: string
}

/** A drawn mutation, before anybody has looked for the test that notices it. */
export type Drawn = Pick<Mutation, 'file' | 'find' | 'replace'>

export interface DrawnSource {
  file: string
  code: string
}

/**
 * Draws `count` mutations: each time a file, then one of its candidates. By files, because a table of prices has more constants than the
 * whole ledger has conditions. The same sources and seed draw the same.
 */
export function draw(sources: readonly DrawnSource[], seed: number, count: number): Drawn[] {
  const next = randomFrom(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!
  const withCandidates = sources
    .map((source) => ({ ...source, candidates: candidatesOf(source.code) }))
    .filter(({ candidates }) => candidates.length > 0)
  const drawn: Drawn[] = []
  const seen = new Set<Candidate>()
  while (drawn.length < count && withCandidates.length > 0) {
    const { file, code, candidates } = pick(withCandidates)
    const candidate = pick(candidates)
    if (seen.has(candidate)) continue
    seen.add(candidate)
    drawn.push({ file, ...asText(code, candidate) })
  }
  return drawn
}

/** The lines of a candidate, and as many lines before and after it as it needs to stand once in the file. */
function asText(code: string, { start, end, text }: Candidate): Pick<Mutation, 'find' | 'replace'> {
  let from = code.lastIndexOf('\n', start - 1) + 1
  let to = endOfLine(code, end)
  while (code.indexOf(code.slice(from, to)) !== code.lastIndexOf(code.slice(from, to))) {
    if (from > 0) from = code.lastIndexOf('\n', from - 2) + 1
    to = endOfLine(code, Math.min(to + 1, code.length))
  }
  return { find: code.slice(from, to), replace: code.slice(from, start) + text + code.slice(end, to) }
}

function endOfLine(code: string, at: number): number {
  const found = code.indexOf('\n', at)
  return found < 0 ? code.length : found
}

/** Every place of a source that may be changed, in its order. */
export function candidatesOf(code: string): Candidate[] {
  const found: Candidate[] = []
  walk(code, (node) => {
    // Types, imports and what is only declared do nothing.
    if (/^TS(?!As|NonNull|Satisfies)/.test(node.type) || node.type.startsWith('Import')) return false
    found.push(...changesOf(node, code))
    return true
  })
  return found
}

const flipped: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
}

function changesOf(node: SyntaxNode, code: string): Candidate[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return changedOperator(node, code)
    case 'IfStatement':
    case 'ConditionalExpression':
      return negated(node['test'], code)
    case 'Literal':
      return changedConstant(node, code)
    case 'ThrowStatement':
      return [{ start: node.start, end: node.end, text: ';' }]
    case 'ExpressionStatement':
      return isNode(node['expression']) && node['expression'].type === 'AwaitExpression'
        ? [{ start: node.start, end: node.end, text: ';' }]
        : []
    default:
      return []
  }
}

function changedOperator(node: SyntaxNode, code: string): Candidate[] {
  const operator = String(node['operator'])
  const text = flipped[operator]
  const { left, right } = node
  if (text === undefined || !isNode(left) || !isNode(right)) return []
  const start = code.indexOf(operator, left.end)
  // A logical expression that becomes the other one is put into brackets, because the two bind differently.
  return node.type === 'LogicalExpression'
    ? [
        {
          start: node.start,
          end: node.end,
          text: `(${code.slice(node.start, start)}${text}${code.slice(start + operator.length, node.end)})`,
        },
      ]
    : [{ start, end: start + operator.length, text }]
}

function negated(test: unknown, code: string): Candidate[] {
  return isNode(test)
    ? [{ start: test.start, end: test.end, text: `!(${code.slice(test.start, test.end)})` }]
    : []
}

/** One more, as whole numbers and bigints; the other truth value. */
function changedConstant({ start, end, ...node }: SyntaxNode, code: string): Candidate[] {
  const raw = code.slice(start, end)
  if (typeof node['value'] === 'boolean') return [{ start, end, text: String(!node['value']) }]
  if (!/^\d[\d_]*n?$/.test(raw)) return []
  const value = BigInt(raw.replaceAll('_', '').replace('n', ''))
  const isBig = raw.endsWith('n')
  return [value + 1n, value - 1n]
    .filter((changed) => changed >= 0n)
    .map((changed) => ({ start, end, text: `${changed}${isBig ? 'n' : ''}` }))
}
