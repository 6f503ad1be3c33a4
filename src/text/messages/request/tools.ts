/** The tools of a request: the caller's own are sent to any upstream, those that models know by their type only to one of this wire. */

import type { HostedToolSet, Tool as NeutralTool, ToolChoice } from '#core/turn'
import { fail } from '#platform/errors'
import { reasons } from '../phrases.ts'
import type { Dialect } from '../versions.ts'
import { nameOf, serviceToolOf } from './hosted-tools.ts'
import type { ParseContext } from './parse-context.ts'
import type { MessagesBody } from './schema.ts'
import { type CustomTool, isCustom, type TypedTool } from './tool-schema.ts'

/** All tools that are not in `hosted`. */
export function toolsOf(
  { tools = [] }: MessagesBody,
  hosted: HostedToolSet | undefined,
  dialect: Dialect,
  context: ParseContext,
): NeutralTool[] {
  return tools.flatMap((tool, index) => {
    if (isCustom(tool)) return [customTool(tool, context)]
    if (!hosted || !serviceToolOf(tool)) readTyped(tool, `tools.${index}`, dialect, context)
    return []
  })
}

function customTool(tool: CustomTool, context: ParseContext): NeutralTool {
  if (tool.input_examples) context.addPassthroughBytes(tool.input_examples)
  return {
    name: tool.name,
    parameters: tool.input_schema,
    ...(tool.description != null && { description: tool.description }),
    ...(typeof tool.strict === 'boolean' && { strict: tool.strict }),
  }
}

/** Bytes that a vendor adds to the prompt for a tool on which its models were trained. */
const knownToolBytes = 4_000

const betaOf: Readonly<Record<string, string>> = {
  computer_20250124: 'computer-use-2025-01-24',
  computer_20251124: 'computer-use-2025-11-24',
}

function readTyped(tool: TypedTool, param: string, { betas }: Dialect, context: ParseContext): void {
  const beta = betaOf[tool.type]
  if (beta !== undefined && !betas.includes(beta))
    fail('INVALID_REQUEST', { why: reasons.needsBeta(tool.type, beta) }, { param: 'anthropic-beta' })
  context.needsOwnWire(`${param}.type`, tool.type)
  context.addPassthroughBytes(tool)
  context.passthroughBytes += knownToolBytes
}

export function toolChoiceOf({ tools = [], tool_choice: choice }: MessagesBody): ToolChoice {
  if (!choice || choice.type === 'auto' || choice.type === 'none') return { type: choice?.type ?? 'auto' }
  if (tools.length === 0) fail('INVALID_REQUEST', { why: reasons.noTools }, { param: 'tool_choice' })
  if (choice.type === 'any') return { type: 'required' }
  const { name } = choice
  if (!tools.some((tool) => nameOf(tool) === name))
    fail('INVALID_REQUEST', { why: reasons.noSuchTool(name) }, { param: 'tool_choice.name' })
  return { type: 'tool', name }
}
