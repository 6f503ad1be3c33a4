/** /openapi.json without its names: every reference stands as what it refers to, so that two documents compare by meaning. */
type Json = Record<string, unknown>

/** Members are sorted. A schema inside of itself becomes a sentence. */
export function dereferenced(document: Json): Json {
  const { components, ...rest } = document as { components: Json }
  const { schemas: _, ...others } = components
  return expand({ ...rest, components: others }, document, []) as Json
}

function expand(value: unknown, document: Json, open: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => expand(item, document, open))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...beside } = value as Json
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return expandMembers(value as Json, document, open)
  if (open.includes($ref)) return `‹itself, ${open.length - open.indexOf($ref)} up›`
  const target = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Json)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document)
  if (target === undefined) throw new Error(`${$ref} leads nowhere`)
  return expand({ ...(target as Json), ...beside }, document, [...open, $ref])
}

const expandMembers = (value: Json, document: Json, open: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '$defs')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, expand(member, document, open)]),
  )

export interface Operation {
  /** `POST /v1/agents/{id}/runs` */
  name: string
  method: string
  path: string
  hasBody: boolean
  isPublic: boolean
  /** True where no key may ask, but people who are signed in. */
  isOfPeople: boolean
  /** True where people must have given a factor of late. */
  needsStepUp: boolean
  /** True where only pages of this server may ask. */
  isOfOwnPage: boolean
  /** True where it declares an answer below 400. */
  succeeds: boolean
}

export function operationsOf(document: Json): Operation[] {
  return Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        hasBody: operation['requestBody'] !== undefined,
        isPublic: (operation['security'] as unknown[]).length === 0,
        isOfPeople: operation['x-permission'] !== undefined,
        needsStepUp: operation['x-step-up'] === true,
        isOfOwnPage:
          (operation['security'] as unknown[]).length === 0 &&
          JSON.stringify(operation['responses']).includes('CROSS_SITE_REQUEST'),
        succeeds: Object.keys(operation['responses'] as Json).some((status) => status.startsWith('2')),
      })),
  )
}

/** The operation that a request goes to: of two that fit, the one with fewer parameters. */
export function operationFor<One extends Pick<Operation, 'method' | 'path'>>(
  operations: readonly One[],
  method: string,
  target: string,
): One | undefined {
  const pathname = target.split('?')[0]!
  return operations
    .filter((one) => one.method === method && patternOf(one.path).test(pathname))
    .sort((one, other) => one.path.split('{').length - other.path.split('{').length)[0]
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
