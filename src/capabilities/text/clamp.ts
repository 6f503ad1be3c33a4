/**
 * Caps of hosted tools that common clients exceed by a constant of their own: what is above one is lowered to it and told in the
 * header `X-Clamped-Fields` (decisions 0039). What is below the least, or no whole number, is refused by the schemas.
 */
import { Type } from 'typebox'
import type { Applied } from '#capabilities/calls'

/** Uses of a hosted tool in one request (contract section 8). */
export const maxUses = 5
/** Tokens of one fetched page (contract section 8). */
export const maxPageTokens = 32_000

const caps = { max_uses: maxUses, max_content_tokens: maxPageTokens } as const

/** The schema of a field with such a cap. */
export const capped = (cap: number) =>
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `At most ${cap}; more is taken as that and named in X-Clamped-Fields.`,
    'x-description-fa': `حداکثر ${cap.toLocaleString('fa-IR')}؛ بیشتر از آن همین به شمار می‌آید و نامش در X-Clamped-Fields می‌آید.`,
  })

type CappedTool = { type?: string | null } & { [Field in keyof typeof caps]?: number | null }

/** The tools with their caps applied; the same list where nothing was above one. `isCapped` leaves the callers' own tools alone. */
export function clampTools<Tool extends object>(
  tools: readonly Tool[],
  isCapped: (tool: Tool) => boolean,
): { tools: readonly Tool[]; clamped: Applied[] } {
  const clamped: Applied[] = []
  const lowered = tools.map((tool, index) => {
    const over = isCapped(tool) ? overOf(tool) : {}
    for (const [field, applied] of Object.entries(over))
      clamped.push({ param: `tools.${index}.${field}`, applied })
    return { ...tool, ...over }
  })
  return clamped.length === 0 ? { tools, clamped } : { tools: lowered, clamped }
}

const overOf = (tool: CappedTool): Record<string, number> =>
  Object.fromEntries(
    Object.entries(caps).filter(([field, cap]) => Number(tool[field as keyof typeof caps] ?? 0) > cap),
  )
