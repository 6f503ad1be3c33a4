/** What the path of a request names. */
import { refuse } from '#cloud/tables'
import type { AppCall } from '../area.ts'
import { refusals } from './refusals.ts'

export interface RestTarget {
  /** Of a collection, a table or a function; empty for the description of all of them. */
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

/** No name has the character 0, which PostgreSQL takes in no text. */
function decoded(segment: string): string {
  try {
    const text = decodeURIComponent(segment)
    return text.includes('\0') ? refuse(refusals.path) : text
  } catch {
    return refuse(refusals.path)
  }
}

/** One schema is open to apps, which they may name. Throws RestRefused. */
export function requirePublicSchema({ method, headers }: AppCall): void {
  const isRead = method === 'GET' || method === 'HEAD'
  const schema = headers[isRead ? 'accept-profile' : 'content-profile']
  if (schema !== undefined && schema !== 'public') refuse(refusals.schema(String(schema)))
}
