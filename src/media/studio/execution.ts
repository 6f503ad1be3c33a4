/** The execution record of Studio answers. */
import { usdOf } from '#core/calls'
import type { RequestContext } from '#platform/http'
import type { StudioApp } from './app.ts'
import type { Execution } from './schema.ts'

interface ExecutionInput {
  /** The model that answered. */
  model: { id: string }
  tokens: { input: number; output: number }
  /** The charge. */
  microcredits: bigint
}

export function executionOf(
  { app, requestId }: Pick<RequestContext<Pick<StudioApp, 'config'>>, 'app' | 'requestId'>,
  { model, tokens, microcredits }: ExecutionInput,
): Execution {
  return {
    requestId,
    model: model.id,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    totalTokens: tokens.input + tokens.output,
    costUsd: usdOf(app, microcredits),
  }
}
