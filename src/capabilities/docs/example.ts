/** A call to paste into a shell, made from a route. */
import type { TSchema } from 'typebox'
import type { Route } from '#platform/http'

interface Shape {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  default?: unknown
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  minItems?: number
  minimum?: number
  minLength?: number
  anyOf?: Shape[]
  oneOf?: Shape[]
}

/** A value that the schema takes: its example, otherwise the smallest valid value. */
export function sampleOf(schema: TSchema): unknown {
  return sample(schema as Shape)
}

function sample(shape: Shape): unknown {
  if (shape.examples?.length) return shape.examples[0]
  if (shape.const !== undefined) return shape.const
  if (shape.enum) return shape.enum[0]
  if (shape.default !== undefined) return shape.default
  const variant = shape.oneOf?.[0] ?? shape.anyOf?.[0]
  if (variant) return sample(variant)
  const type = Array.isArray(shape.type) ? shape.type[0] : shape.type
  if (type === 'array') return Array.from({ length: shape.minItems ?? 0 }, () => sample(shape.items ?? {}))
  if (type === 'object') {
    const required = shape.required ?? []
    return Object.fromEntries(required.map((name) => [name, sample(shape.properties?.[name] ?? {})]))
  }
  if (type === 'integer' || type === 'number') return shape.minimum ?? 1
  if (type === 'boolean') return true
  return type === 'null' ? null : '…'.padEnd(shape.minLength ?? 1, '…')
}

/**
 * A call of curl, or of wscat for a WebSocket. The key is taken from the shell's variable KHERAD_KEY, so that it stays out of pages and
 * histories.
 */
export function callOf(route: Route, baseUrl: string): string {
  const address = originOf(route, baseUrl) + pathOf(route) + queryOf(route)
  const lines = [
    route.socket ? `npx wscat -c ${quoted(address.replace(/^http/, 'ws'))}` : `curl ${quoted(address)}`,
  ]
  if (route.method !== 'GET') lines[0] += ` -X ${route.method}`
  if (route.scope !== 'public') lines.push('-H "Authorization: Bearer $KHERAD_KEY"')
  for (const [name, schema] of Object.entries(route.headers ?? {})) {
    const example = (schema as Shape).examples?.[0]
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
  const { required = [] } = (route.query ?? {}) as Shape
  const pairs = required.map((name) => `${name}=${exampleOf(route.query, name) ?? name.toUpperCase()}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function exampleOf(schema: TSchema | undefined, name: string): string | undefined {
  const example = ((schema ?? {}) as Shape).properties?.[name]?.examples?.[0]
  return example === undefined ? undefined : String(example)
}
