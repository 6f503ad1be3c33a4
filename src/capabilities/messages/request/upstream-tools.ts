/** The search and fetch of a vendor where they run at an upstream of this wire: written down with their bounds, and held for. */
import { maxPageTokens, maxUses } from '#capabilities/text'
import { foundBound, searchTokens } from '#engine/metering'
import type { Turn } from '#engine/turn'
import { serviceToolOf } from './hosted-tools.ts'
import type { Tool, TypedTool } from './tool-schema.ts'

const isUpstreams = (tool: Tool): tool is TypedTool => serviceToolOf(tool) !== undefined
const isFetch = (tool: TypedTool): boolean => serviceToolOf(tool) === 'web_fetch'

/** An upstream runs none without its bounds. */
export function boundedTools(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) =>
    isUpstreams(tool)
      ? {
          ...tool,
          max_uses: tool.max_uses ?? maxUses,
          ...(isFetch(tool) && { max_content_tokens: tool.max_content_tokens ?? maxPageTokens }),
        }
      : tool,
  )
}

/** Searches that the upstream may run. */
export const searchesOf = (tools: readonly Tool[]): number =>
  tools
    .filter(isUpstreams)
    .filter((tool) => !isFetch(tool))
    .reduce((sum, tool) => sum + (tool.max_uses ?? maxUses), 0)

/** Uses of all of them: after each the model reads the prompt anew. */
export const roundsOf = (tools: readonly Tool[]): number =>
  tools.filter(isUpstreams).reduce((sum, tool) => sum + (tool.max_uses ?? maxUses), 0)

/** Bytes that they make a model read at most: after each use, all of the prompt and all that was found until then. */
export function foundBytes(tools: readonly Tool[], turn: Turn): number {
  const finds = tools
    .filter(isUpstreams)
    .flatMap((tool) =>
      Array<number>(tool.max_uses ?? maxUses).fill(
        isFetch(tool) ? (tool.max_content_tokens ?? maxPageTokens) : searchTokens,
      ),
    )
  return foundBound(turn, finds)
}
