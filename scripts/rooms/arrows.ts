import { findImports } from './imports.ts'
import { destinationOf, outermost, productOf, type Room, rankOf, roomOf } from './rooms.ts'
import type { SourceFile } from './source.ts'

/** One import that leads from a room to another. */
export interface Arrow {
  from: Room
  to: Room
  file: string
  line: number
  specifier: string
  isTypeOnly: boolean
  /** The sentence that refuses the way past a door. */
  refusal?: string
}

/** What leads from room to room. */
export function arrowsOf(sources: readonly SourceFile[]): Arrow[] {
  return sources.flatMap(({ file, code }) => {
    const from = roomOf(file)
    if (from === undefined) return []
    return findImports(code).flatMap(({ line, specifier, isTypeOnly }) => {
      const destination = destinationOf(file, specifier)
      if (!destination) return []
      const { room: to, refusal } = destination
      return [{ from, to, file, line, specifier, isTypeOnly, ...(refusal !== undefined && { refusal }) }]
    })
  })
}

/** Why an arrow may not be; undefined where it may. */
export function refusalOf(arrow: Arrow): string | undefined {
  const { from, to } = arrow
  if (arrow.refusal !== undefined) return arrow.refusal
  if (to === 'app' && from.includes('/'))
    return `${from} takes a slice of the app, which its app.ts declares, and not the whole.`
  const [product, other] = [productOf(from), productOf(to)]
  if (product === other || rankOf(from) > rankOf(to) || rankOf(from) === outermost) {
    if (to !== 'sandbox' || composers.includes(from)) return undefined
    return `${from} may not know ${to}: only ${composers.join(' and ')} do.`
  }
  return `${from} may not know ${to}: ${product} stands ${rankOf(from) < rankOf(to) ? 'below' : 'beside'} ${other}.`
}

/** What may know the offline simulators. */
const composers: readonly string[] = ['connect', 'open-app']
