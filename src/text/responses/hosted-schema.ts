/** The hosted tools, as this wire names them. */
import { type Static, type TObject, Type } from 'typebox'
import { cappedInteger, maxPageTokens, maxUses } from '#core/text'
import type { ToolName } from '#core/turn'
import { nullable } from '#platform/schema'

const domains = Type.Optional(nullable(Type.Array(Type.String({ maxLength: 500 }), { maxItems: 1000 })))
const filters = { allowed_domains: domains, blocked_domains: domains }
const uses = { max_uses: Type.Optional(nullable(cappedInteger(maxUses))) }

/** The standard tool: its domain filters are in an object `filters`. */
const WebSearch = Type.Object({
  filters: Type.Optional(nullable(Type.Object(filters))),
  external_web_access: Type.Optional(nullable(Type.Boolean())),
})
/** The platform's own tools have the same members as on the messages wire. */
const OurSearch = Type.Object({ ...filters, ...uses })
const OurFetch = Type.Object({
  ...filters,
  ...uses,
  max_content_tokens: Type.Optional(nullable(cappedInteger(maxPageTokens))),
})

const searches = [
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
] as const
const ours = {
  'kherad:web_search': { name: 'web_search', shape: OurSearch },
  'kherad:web_fetch': { name: 'web_fetch', shape: OurFetch },
  'kherad:datetime': { name: 'datetime', shape: Type.Object({}) },
  'kherad:bash': { name: 'bash', shape: Type.Object({}) },
} as const

export type HostedType = (typeof searches)[number] | keyof typeof ours

interface KnownHostedTool {
  name: ToolName
  shape: TObject
}
const known: ReadonlyMap<string, KnownHostedTool> = new Map<string, KnownHostedTool>([
  ...searches.map((type): [string, KnownHostedTool] => [type, { name: 'web_search', shape: WebSearch }]),
  ...Object.entries(ours),
])

/** The shapes by their types. */
export const hostedShapes: Record<string, TObject> = Object.fromEntries(
  [...known].map(([type, { shape }]) => [type, shape]),
)

/** The hosted tool of a type, or undefined for other tools. */
export const hostedToolName = (type: string): ToolName | undefined => known.get(type)?.name

export const isOurs = (type: string): boolean => type in ours

/** Whether a member of a tool of this type has an effect here. */
export const hasEffect = (type: string, member: string): boolean =>
  member === 'type' || member in (known.get(type)?.shape.properties ?? {})

type PartialFields<Shape extends TObject> = Partial<Static<Shape>>
/** A hosted tool of any type, with all members that any of them has. */
export type HostedTool = { type: string } & PartialFields<typeof WebSearch> & PartialFields<typeof OurFetch>
