/** The execution record of Studio answers. */
import type { RequestContext } from '#platform/http'
import type { Execution } from './schema.ts'

interface Executed {
  /** The model that answered. */
  model: { id: string }
  tokens: { input: number; output: number }
  /** The charge. */
  microcredits: bigint
}

/** `costUsd` is what the caller paid, not what the operator did, rounded to six decimals. */
export function executionOf(
  { app, requestId }: Pick<RequestContext, 'app' | 'requestId'>,
  { model, tokens, microcredits }: Executed,
): Execution {
  const usd = Number(microcredits) / 1_000_000 / app.config.defaults.creditsPerUsd
  return {
    requestId,
    model: model.id,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    totalTokens: tokens.input + tokens.output,
    costUsd: Math.round(usd * 1_000_000) / 1_000_000,
  }
}
