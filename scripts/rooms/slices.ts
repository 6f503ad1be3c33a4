import { isNode, type SyntaxNode, walk } from '../mutations/syntax.ts'
import type { SourceFile } from './source.ts'

/** A slice of more members is a locator again: what takes it does not say what it uses. */
export const maxMembers = 12

/** An interface in the `app.ts` of a room whose name ends in `App`: what the room uses of the app. */
interface Slice {
  file: string
  line: number
  name: string
  /** The members that stand in the interface itself, and those that a `Pick` in its `extends` names. */
  members: readonly string[]
  /** The names of the other interfaces that it extends. */
  bases: readonly string[]
}

/** Slices of the app with too many members, those of the slices that they extend included, a sentence for each. */
export function sliceOffences(sources: readonly SourceFile[]): string[] {
  const slices = sources.flatMap(slicesOf)
  const byName = Map.groupBy(slices, ({ name }) => name)
  return slices.flatMap((slice) => {
    const { file, line, name, bases } = slice
    const unknown = bases.filter((base) => !byName.has(base))
    const { size } = membersOf(slice, byName, new Set([name]))
    return [
      ...(size > maxMembers
        ? [`${file}:${line}: the slice ${name} has ${size} members; at most ${maxMembers} may be.`]
        : []),
      ...unknown.map(
        (base) =>
          `${file}:${line}: the slice ${name} extends ${base}, which is no slice in an app.ts: its members are not counted.`,
      ),
    ]
  })
}

/** The members of a slice and of all slices that it extends; `seen` are the slices whose members are counted already. */
function membersOf(
  { members, bases }: Slice,
  byName: ReadonlyMap<string, readonly Slice[]>,
  seen: Set<string>,
): Set<string> {
  const all = new Set(members)
  for (const base of bases) {
    if (seen.has(base)) continue
    seen.add(base)
    for (const slice of byName.get(base) ?? [])
      for (const member of membersOf(slice, byName, seen)) all.add(member)
  }
  return all
}

const appFile = /^src\/[^/]+\/[^/]+\/app\.ts$/

function slicesOf({ file, code }: SourceFile): Slice[] {
  const slices: Slice[] = []
  if (!appFile.test(file)) return slices
  walk(code, (node) => {
    if (node.type !== 'TSInterfaceDeclaration') return true
    const name = nameOf(node['id'])
    if (!name.endsWith('App')) return false
    const heritage = (node['extends'] as SyntaxNode[] | undefined) ?? []
    const isPick = (one: SyntaxNode): boolean => nameOf(one['expression']) === 'Pick'
    const own = (node['body'] as { body: SyntaxNode[] }).body
    slices.push({
      ...{ file, name },
      line: code.slice(0, node.start).split('\n').length,
      members: [...own.map((member) => nameOf(member['key'])), ...heritage.filter(isPick).flatMap(namesIn)],
      bases: heritage.filter((one) => !isPick(one)).map((one) => nameOf(one['expression'])),
    })
    return false
  })
  return slices
}

/** The name of an identifier, or of a member whose name is a string. */
const nameOf = (node: unknown): string => {
  const { name, value } = (node ?? {}) as { name?: unknown; value?: unknown }
  return String(name ?? value ?? '')
}

/** The strings that stand in the type arguments of a `Pick`. */
function namesIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(namesIn)
  if (!isNode(node)) return []
  if (node.type === 'Literal') return [nameOf(node)]
  return Object.values(node).flatMap((field) => (typeof field === 'object' ? namesIn(field) : []))
}
