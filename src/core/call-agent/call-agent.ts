/**
 * The type of an agent that answers in a voice call: `work/agents` provides it, `voice/realtime` runs it. The client is shown only what the agent's
 * tools do.
 */
import type { Model } from '#core/models'
import type { PaidCall } from '#core/paid'
import type { HostedTool } from '#core/tools'
import type { HostedToolEntry } from '#core/turn'

export interface CallAgent {
  agentId: string
  /** The agent's text model. */
  model: Model
  /** The agent's instructions, including those of its knowledge; they precede the instructions of the session. */
  instructions: string
  /** The entries of `tools` and of the server's tools that the model may call. */
  hosted: readonly HostedToolEntry[]
  tools: readonly HostedTool[]
  /**
   * Returns what the agent's knowledge has on a question, quoted for the model, or undefined if it has nothing. Absent: the agent has no knowledge.
   */
  recall?: (question: string, payer: Omit<PaidCall, 'claim' | 'background'>) => Promise<string | undefined>
}

/** The most bytes of quoted passages: eight Persian passages of four thousand characters, and their titles. */
export const maxPassageBytes = 72 * 1024
