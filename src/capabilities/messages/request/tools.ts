/** The tools of a request: the caller's own go to any upstream, those that are known by their type only to one of this wire. */

import type { Tool as NeutralTool, ToolChoice, Turn } from '#engine/inference'
import { inputBound } from '#engine/metering'
import { fail } from '#platform/errors'
import type { Dialect } from '../versions.ts'
import { reasons } from '../words.ts'
import type { Reading } from './reading.ts'
import type { MessagesBody } from './schema.ts'
import { type CustomTool, mostPageTokens, mostUses, type Tool, type TypedTool } from './tool-schema.ts'

const isCustom = (tool: Tool): tool is CustomTool => 'input_schema' in tool

export function toolsOf({ tools = [] }: MessagesBody, dialect: Dialect, reading: Reading): NeutralTool[] {
  return tools.flatMap((tool, index) => {
    if (isCustom(tool)) return [customTool(tool, reading)]
    readTyped(tool, `tools.${index}`, dialect, reading)
    return []
  })
}

function customTool(tool: CustomTool, reading: Reading): NeutralTool {
  if (tool.input_examples) reading.unread(tool.input_examples)
  return {
    name: tool.name,
    parameters: tool.input_schema,
    ...(tool.description != null && { description: tool.description }),
    ...(typeof tool.strict === 'boolean' && { strict: tool.strict }),
  }
}

/** What a vendor writes into the prompt for a tool that its models know by heart; bytes. */
const knownToolBytes = 4_000

const betaOf: Readonly<Record<string, string>> = {
  computer_20250124: 'computer-use-2025-01-24',
  computer_20251124: 'computer-use-2025-11-24',
}

function readTyped(tool: TypedTool, param: string, { betas }: Dialect, reading: Reading): void {
  const beta = betaOf[tool.type]
  if (beta !== undefined && !betas.includes(beta))
    fail('INVALID_REQUEST', { why: reasons.needsBeta(tool.type, beta) }, { param: 'anthropic-beta' })
  // Nothing here runs them yet: an upstream of this wire runs its vendor's own.
  if (tool.type.startsWith('kherad:'))
    fail('FEATURE_NOT_SUPPORTED', { model: reading.model.id, feature: tool.type }, { param: `${param}.type` })
  reading.needsOwnWire(`${param}.type`, tool.type)
  reading.unread(tool)
  reading.unreadBytes += knownToolBytes
}

/** Tokens of what one search finds, at most. */
const searchTokens = 16_000

const isHosted = (tool: Tool): tool is TypedTool => !isCustom(tool) && /^web_(search|fetch)_/.test(tool.type)
const isFetch = ({ type }: TypedTool): boolean => type.startsWith('web_fetch_')

/** Hosted tools with their bounds written down, so that an upstream runs none without them. */
export function boundedTools(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) =>
    isHosted(tool)
      ? {
          ...tool,
          max_uses: tool.max_uses ?? mostUses,
          ...(isFetch(tool) && { max_content_tokens: tool.max_content_tokens ?? mostPageTokens }),
        }
      : tool,
  )
}

/** Bytes that hosted tools make a model read at most: after each use, all of the prompt and all that was found until then. */
export function hostedBytes(tools: readonly Tool[], turn: Turn): number {
  const finds = tools
    .filter(isHosted)
    .flatMap((tool) =>
      Array<number>(tool.max_uses ?? mostUses).fill(
        isFetch(tool) ? (tool.max_content_tokens ?? mostPageTokens) : searchTokens,
      ),
    )
  const { text, image, media } = inputBound(turn)
  const found = finds
    .toSorted((a, b) => b - a)
    .reduce((sum, tokens, use) => sum + tokens * (finds.length - use), 0)
  // A hold counts two bytes as a token.
  return 2 * (found + finds.length * (text + image + media))
}

export function toolChoiceOf({ tools = [], tool_choice: choice }: MessagesBody): ToolChoice {
  if (!choice || choice.type === 'auto' || choice.type === 'none') return { type: choice?.type ?? 'auto' }
  if (tools.length === 0) fail('INVALID_REQUEST', { why: reasons.noTools }, { param: 'tool_choice' })
  if (choice.type === 'any') return { type: 'required' }
  const { name } = choice
  if (!tools.some((tool) => tool.name === name))
    fail('INVALID_REQUEST', { why: reasons.noSuchTool(name) }, { param: 'tool_choice.name' })
  return { type: 'tool', name }
}
