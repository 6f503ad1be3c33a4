/** A call to paste into a shell, made from a route. */
import type { TSchema } from 'typebox'
import { isOfPeople, type Route } from '#platform/http'
import { sampleOf } from '#platform/schema'

interface ExampleSchema {
  examples?: unknown[]
  properties?: Record<string, ExampleSchema>
  required?: string[]
}

/**
 * A call of curl, or of wscat for a WebSocket. The key is taken from the shell's variable KHERAD_KEY, so that it stays out of pages and
 * histories. The session of a person is in KHERAD_COOKIE, and stands for a page of this server only with its origin.
 */
export function callOf(route: Route, baseUrl: string): string {
  const address = originOf(route, baseUrl) + pathOf(route) + queryOf(route)
  const lines = [
    route.socket ? `npx wscat -c ${quoted(address.replace(/^http/, 'ws'))}` : `curl ${quoted(address)}`,
  ]
  if (route.method !== 'GET') lines[0] += ` -X ${route.method}`
  if (isOfPeople(route)) lines.push('-H "Cookie: $KHERAD_COOKIE"')
  else if (route.scope !== 'public') lines.push('-H "Authorization: Bearer $KHERAD_KEY"')
  if (route.method !== 'GET' && (isOfPeople(route) || route.fromOwnPage))
    lines.push(`-H ${quoted(`Origin: ${new URL(baseUrl).origin}`)}`)
  for (const [name, schema] of Object.entries(route.headers ?? {})) {
    const example = (schema as ExampleSchema).examples?.[0]
    if (example !== undefined) lines.push(`-H '${name}: ${String(example)}'`)
  }
  if (route.body)
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d ${quoted(JSON.stringify(sampleOf(route.body), null, 2))}`,
    )
  return lines.join(' \\\n  ')
}

/** Single quotes keep everything from the shell. */
const quoted = (text: string): string =>
  /^[\w./:?=&%-]+$/.test(text) && !/[?&]/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const originOf = (route: Route, baseUrl: string): string =>
  route.host === undefined ? baseUrl : `https://${filled(route.host, route)}`

const pathOf = (route: Route): string => filled(route.path, route)

const filled = (template: string, { params }: Route): string =>
  template.replace(/\{([^{}]+)\}/g, (_match, name: string) => exampleOf(params, name) ?? name.toUpperCase())

function queryOf(route: Route): string {
  const { required = [] } = (route.query ?? {}) as ExampleSchema
  const pairs = required.map((name) => `${name}=${exampleOf(route.query, name) ?? name.toUpperCase()}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function exampleOf(schema: TSchema | undefined, name: string): string | undefined {
  const example = ((schema ?? {}) as ExampleSchema).properties?.[name]?.examples?.[0]
  return example === undefined ? undefined : String(example)
}
