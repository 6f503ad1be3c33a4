/**
 * An assistant message in which tools ran at a service holds several steps: what was said with the calls in it, what came of them, and
 * what was said after that. Wires that know no such tools are told each step as messages of its own.
 */
import type { AssistantBlock, ServerResultBlock, ServerToolUseBlock } from './block-schema.ts'

export interface Step {
  said: { block: AssistantBlock; place: number }[]
  /** Each with its result, where it has one. */
  calls: { call: ServerToolUseBlock; found: ServerResultBlock | undefined }[]
}

export type ServiceBlock = ServerToolUseBlock | ServerResultBlock

/**
 * The steps of a message by the calls and results that are `taken` apart; a result that nobody called for is left out. Calls of the
 * caller's own tools stand in the last step, since the message after it answers them.
 */
export function stepsOf(
  blocks: readonly AssistantBlock[],
  taken: (block: AssistantBlock) => block is ServiceBlock,
): Step[] {
  const results = resultsOf(blocks.filter(taken))
  const own: Step['said'] = []
  const steps: Step[] = [{ said: [], calls: [] }]
  let ended = false
  const current = (): Step => {
    if (ended) steps.push({ said: [], calls: [] })
    ended = false
    return steps.at(-1)!
  }
  for (const [place, block] of blocks.entries()) {
    if (block.type === 'tool_use') own.push({ block, place })
    else if (!taken(block)) current().said.push({ block, place })
    else if (block.type === 'server_tool_use')
      current().calls.push({ call: block, found: results.get(block.id)?.shift() })
    else ended = steps.at(-1)!.calls.length > 0
  }
  steps.at(-1)!.said.push(...own)
  return steps
}

/** In their order, for there are upstreams that count their calls anew in every step. */
function resultsOf(blocks: readonly ServiceBlock[]): Map<string, ServerResultBlock[]> {
  const results = new Map<string, ServerResultBlock[]>()
  for (const block of blocks) {
    if (block.type === 'server_tool_use') continue
    const known = results.get(block.tool_use_id)
    if (known) known.push(block)
    else results.set(block.tool_use_id, [block])
  }
  return results
}
