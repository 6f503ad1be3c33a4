import type { ReplyHeaders } from './exchange.ts'

/** The first value of a header of an answer; undefined where it has none. */
export function headerOf(headers: ReplyHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
