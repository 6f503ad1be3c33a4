/** What the path of a request names. */
import { refuse } from '#cloud/tables'
import type { AppCall } from '../area.ts'
import { refusals } from './refusals.ts'

export interface RestTarget {
  /** The name of a collection, a table or a function; empty for the description of all of them. */
  name: string
  isFunction: boolean
}

/** Throws RestRefused. */
export function targetOf(path: string): RestTarget {
  const [name = '', inner, ...more] = path.replace(/^\//, '').split('/').map(decoded)
  if (inner === undefined) return { name, isFunction: false }
  if (name === 'rpc' && more.length === 0) return { name: inner, isFunction: true }
  return refuse(refusals.path)
}

/** No name has the character U+0000, which PostgreSQL accepts in no text. */
function decoded(segment: string): string {
  try {
    const text = decodeURIComponent(segment)
    return text.includes('\0') ? refuse(refusals.path) : text
  } catch {
    return refuse(refusals.path)
  }
}

/** Apps may name only the schema that is open to them. Throws RestRefused. */
export function requirePublicSchema({ method, headers }: AppCall): void {
  const isRead = method === 'GET' || method === 'HEAD'
  const schema = headers[isRead ? 'accept-profile' : 'content-profile']
  if (schema !== undefined && schema !== 'public') refuse(refusals.schema(String(schema)))
}
