/** The agent that answers in a call, as its room gives it. Nothing of it is shown to the client but what its tools do. */
import type { Model } from '#core/models'
import type { PaidCall } from '#core/paid'
import type { HostedTool } from '#core/tools'
import type { HostedToolEntry } from '#core/turn'

export interface CallAgent {
  agentId: string
  /** Its text model. */
  model: Model
  /** Stand before those of the session; those of its knowledge are part of them. */
  instructions: string
  /** What the model may call of `tools` and of the tools of the server. */
  hosted: readonly HostedToolEntry[]
  tools: readonly HostedTool[]
  /** What its knowledge has on a question, quoted for the model; undefined where that is nothing. Absent: it has no knowledge. */
  recall?: (question: string, payer: Omit<PaidCall, 'claim' | 'background'>) => Promise<string | undefined>
}

/** Bytes of quoted passages at most: eight of four thousand characters, in Persian, and their titles. */
export const maxPassageBytes = 72 * 1024
