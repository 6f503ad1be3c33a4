/**
 * Caps of hosted tools. Common clients send constants that exceed them, so a value above its cap is lowered to the cap and reported
 * in the header `X-Clamped-Fields` (docs/decisions/text/wires.md). A value below the minimum, or not a whole number, is refused by the schemas.
 */

import { Type } from 'typebox'
import type { AppliedField } from '#core/calls'
import { persian } from '#platform/words'

/** The most uses of a hosted tool in one request (contract section 8). */
export const maxUses = 5
/** The most tokens of one fetched page (contract section 8). */
export const maxPageTokens = 32_000

const caps = { max_uses: maxUses, max_content_tokens: maxPageTokens } as const

/** The schema of a field with a cap. */
export const cappedInteger = (cap: number) =>
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `At most ${cap}; more is taken as that and named in X-Clamped-Fields.`,
    'x-description-fa': `حداکثر ${persian(cap)}؛ بیشتر از آن همین به شمار می‌آید و نامش در X-Clamped-Fields می‌آید.`,
  })

type CappedTool = { type?: string | null } & { [Field in keyof typeof caps]?: number | null }

/** The tools with their caps applied, or the same list if no value exceeded a cap. Only tools for which `isCapped` is true are changed: the caller's own tools have no caps. */
export function clampTools<Tool extends object>(
  tools: readonly Tool[],
  isCapped: (tool: Tool) => boolean,
): { tools: readonly Tool[]; clamped: AppliedField[] } {
  const clamped: AppliedField[] = []
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
