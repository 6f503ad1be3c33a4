/** A vendor's search and fetch when an upstream of this wire runs them: their bounds are added to the body, and the hold covers them. */

import { maxToolReadBytes, searchTokens } from '#core/metering'
import { maxPageTokens, maxUses } from '#core/text'
import type { Turn } from '#core/turn'
import { serviceToolOf } from './hosted-tools.ts'
import type { Tool, TypedTool } from './tool-schema.ts'

const isRunUpstream = (tool: Tool): tool is TypedTool => serviceToolOf(tool) !== undefined
const isFetch = (tool: TypedTool): boolean => serviceToolOf(tool) === 'web_fetch'

/** The tools with bounds on every search and fetch, so that the upstream never runs them unbounded. */
export function boundedTools(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) =>
    isRunUpstream(tool)
      ? {
          ...tool,
          max_uses: tool.max_uses ?? maxUses,
          ...(isFetch(tool) && { max_content_tokens: tool.max_content_tokens ?? maxPageTokens }),
        }
      : tool,
  )
}

/** The most searches that the upstream may run. */
export const searchesOf = (tools: readonly Tool[]): number =>
  tools
    .filter(isRunUpstream)
    .filter((tool) => !isFetch(tool))
    .reduce((sum, tool) => sum + (tool.max_uses ?? maxUses), 0)

/** The most uses of all tools that the upstream runs: after each use the model reads the prompt again. */
export const roundsOf = (tools: readonly Tool[]): number =>
  tools.filter(isRunUpstream).reduce((sum, tool) => sum + (tool.max_uses ?? maxUses), 0)

/** The most bytes that these tools make a model read: after each use, the whole prompt and all findings so far. */
export function resultBytes(tools: readonly Tool[], turn: Turn): number {
  const finds = tools
    .filter(isRunUpstream)
    .flatMap((tool) =>
      Array<number>(tool.max_uses ?? maxUses).fill(
        isFetch(tool) ? (tool.max_content_tokens ?? maxPageTokens) : searchTokens,
      ),
    )
  return maxToolReadBytes(turn, finds)
}
