/** What a script may hold, so that all of it happens or nothing does. */
import { fail, type Localized } from '#platform/errors'
import { positionAt, readScript, type ScriptStatement } from './lexer.ts'
import { openSentences, refusals } from './phrases.ts'

/** The statements of a script, one at least. Throws SQL_REFUSED. */
export function statementsOf(query: string): ScriptStatement[] {
  requireText(query)
  const script = readScript(query)
  if ('open' in script) return refuse(query, script.open.at, openSentences[script.open.kind])
  if (script.statements.length === 0) return refuse(query, undefined, refusals.empty)
  for (const statement of script.statements) {
    const why = refusalReason(statement)
    if (why) refuse(query, statement.start, why)
  }
  return script.statements
}

/** Refuses U+0000 and half surrogate pairs, which no text of PostgreSQL has. Throws SQL_REFUSED. */
export function requireText(query: string): void {
  const at = query.indexOf('\0')
  if (at >= 0) refuse(query, at, refusals.nul)
  if (!query.isWellFormed()) refuse(query, undefined, refusals.halfCharacter)
}

const control = new Set('begin start commit end rollback abort savepoint release'.split(' '))

export function refusalReason({ text, words }: ScriptStatement): Localized | undefined {
  const [first = '', second] = words
  if (text.startsWith('\\')) return refusals.backslash
  if (control.has(first) || (first === 'prepare' && second === 'transaction'))
    return refusals.transaction(first.toUpperCase())
  if (first === 'set' && words.slice(1, 3).includes('transaction'))
    return refusals.transaction('SET TRANSACTION')
  if (first === 'copy' && words.some((word) => word === 'stdin' || word === 'stdout')) return refusals.copy
  return undefined
}

export const refuse = (query: string, at: number | undefined, why: Localized): never => {
  const place = at === undefined ? undefined : positionAt(query, at)
  return fail('SQL_REFUSED', { why, ...place }, { param: 'query', ...(place && { details: { ...place } }) })
}
