/** Exact numbers in checked bodies: they stand where the schema says nothing about a value, so that no code takes one for a number of its own. */
import type { TSchema } from 'typebox'
import { exactly, notePlain } from '#platform/json'
import { Slice } from '#platform/slices'

type SchemaNode = Readonly<Record<string, unknown>>
type Members = Record<string | number, unknown>

/**
 * The value with exact numbers (`exactly`) in its open places, such as the members of an object without declared ones. In all others numbers stay the
 * doubles that were checked. The value was read with `exact: true` and fits the schema; what has no such number is returned as it is.
 */
export async function withExactNumbers<Value>(schema: TSchema, value: Value): Promise<Value> {
  const exact = exactly(value)
  if (exact === value) return value
  const nodes = branchesOf(schema as SchemaNode)
  return (await exactMembers(nodes, value as Members, exact as Members, new Slice())) as Value
}

/** `nodes` are all schemas that may apply to the list or object `value`, and `exact` is the same with all exact numbers. */
async function exactMembers(
  nodes: readonly SchemaNode[],
  value: Members,
  exact: Members,
  slice: Slice,
): Promise<Members> {
  if (!nodes.some(declaresMembers)) {
    notePlain(exact, value)
    return exact
  }
  const isList = Array.isArray(value)
  const ofItems = isList ? nodes.flatMap(itemNodes) : []
  let copy: Members | undefined
  for (const name of isList ? value.keys() : Object.keys(value)) {
    if (slice.isOver()) await slice.next()
    const [plain, own] = [value[name], exact[name]]
    if (plain === own) continue
    const inner = isList ? ofItems : nodes.flatMap((node) => memberNodes(node, String(name)))
    const kept =
      typeof plain === 'object' && plain !== null
        ? await exactMembers(inner, plain as Members, own as Members, slice)
        : inner.some(declaresKind)
          ? plain
          : own
    if (kept === plain) continue
    copy ??= isList ? ([...value] as unknown as Members) : { ...value }
    Object.defineProperty(copy, name, { value: kept, writable: true, enumerable: true, configurable: true })
  }
  if (copy) notePlain(copy, value)
  return copy ?? value
}

const branches = new WeakMap<SchemaNode, readonly SchemaNode[]>()

/** The schema and all that it combines, of unions and conditions every branch: one that does not apply can only leave a double. */
function branchesOf(node: unknown): readonly SchemaNode[] {
  if (typeof node !== 'object' || node === null) return []
  const schema = node as SchemaNode
  const known = branches.get(schema)
  if (known) return known
  const combined = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => (schema[keyword] as unknown[]) ?? [])
  const found = [schema, ...[...combined, schema['then'], schema['else']].flatMap(branchesOf)]
  branches.set(schema, found)
  return found
}

const declaresMembers = (node: SchemaNode): boolean =>
  ['properties', 'patternProperties', 'items'].some((keyword) => keyword in node) ||
  typeof node['additionalProperties'] === 'object'

const declaresKind = (node: SchemaNode): boolean =>
  ['type', 'const', 'enum'].some((keyword) => keyword in node)

const itemNodes = ({ items }: SchemaNode): readonly SchemaNode[] => branchesOf(items)

/** What a schema says of a member: its own entry, else those of patterns, else that of all others. */
function memberNodes(node: SchemaNode, name: string): readonly SchemaNode[] {
  const { properties, patternProperties, additionalProperties } = node as Record<string, SchemaNode>
  if (properties && Object.hasOwn(properties, name)) return branchesOf(properties[name])
  if (patternProperties) return Object.values(patternProperties).flatMap(branchesOf)
  return branchesOf(additionalProperties)
}
