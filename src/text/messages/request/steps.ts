/**
 * An assistant message with tools that a service ran contains several steps: text with calls, their results, and the text after them.
 * For wires without such tools each step becomes separate messages.
 */
import type { AssistantBlock, ServerResultBlock, ServerToolUseBlock } from './block-schema.ts'

export interface MessageStep {
  blocks: { block: AssistantBlock; place: number }[]
  /** Each call with its result, if it has one. */
  calls: { call: ServerToolUseBlock; found: ServerResultBlock | undefined }[]
}

export type ServiceBlock = ServerToolUseBlock | ServerResultBlock

/**
 * Splits a message into steps at the calls and results for which `isServiceBlock` is true; a result without a call is left out. Calls
 * of the caller's own tools are put into the last step, since the message after it answers them.
 */
export function stepsOf(
  blocks: readonly AssistantBlock[],
  isServiceBlock: (block: AssistantBlock) => block is ServiceBlock,
): MessageStep[] {
  const results = resultsOf(blocks.filter(isServiceBlock))
  const callerCalls: MessageStep['blocks'] = []
  const steps: MessageStep[] = [{ blocks: [], calls: [] }]
  let ended = false
  const current = (): MessageStep => {
    if (ended) steps.push({ blocks: [], calls: [] })
    ended = false
    return steps.at(-1)!
  }
  for (const [place, block] of blocks.entries()) {
    if (block.type === 'tool_use') callerCalls.push({ block, place })
    else if (!isServiceBlock(block)) current().blocks.push({ block, place })
    else if (block.type === 'server_tool_use')
      current().calls.push({ call: block, found: results.get(block.id)?.shift() })
    else ended = steps.at(-1)!.calls.length > 0
  }
  steps.at(-1)!.blocks.push(...callerCalls)
  return steps
}

/** The results by call id, in their order: some upstreams use the same call ids again in every step. */
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
