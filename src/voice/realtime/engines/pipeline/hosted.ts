/** The hosted tools that the model of a call may use: those of its agent and those that its session names. */
import type { CallAgent } from '#core/call-agent'
import type { TurnApp } from '#core/inference'
import { type HostedTools, joinTools } from '#core/tools'
import type { HostedToolEntry, Tool } from '#core/turn'

/** The most uses of one tool in one answer, for which the caller waits. */
const maxToolUses = 3
/** The most tokens of a fetched page: more would be read at every step, and is not spoken. */
const maxPageTokens = 4_000

/** The hosted tools, renamed where a function of the client has the same name. */
export function hostedOf(
  agent: CallAgent | undefined,
  asked: readonly HostedToolEntry[],
  functions: readonly Pick<Tool, 'name'>[],
): HostedToolEntry[] {
  const names = new Set(functions.map(({ name }) => name))
  return [...(agent?.hosted ?? []), ...asked].map((entry) => {
    let { name } = entry
    while (names.has(name)) name = `kherad_${name}`
    names.add(name)
    return { ...entry, name, maxUses: maxToolUses, maxContentTokens: maxPageTokens }
  })
}

export const toolsOf = ({ tools }: Pick<TurnApp, 'tools'>, agent: CallAgent | undefined): HostedTools =>
  agent ? joinTools(tools, agent.tools) : tools

/** The fees of the most uses that one answer may have, in micro-credits. */
export const worstFees = (tools: HostedTools, hosted: readonly HostedToolEntry[]): bigint =>
  hosted.reduce((sum, { tool }) => sum + BigInt(maxToolUses) * (tools.find(tool)?.price ?? 0n), 0n)
