import { type PartSink, type TextCall, UpstreamError } from '#core/spec'
import type { AnswerPart, FinishReason, Turn, Usage } from '#core/turn'
import { raise } from './faults.ts'
import type { Pacer } from './pace.ts'
import type { AnswerPlan } from './plan.ts'
import type { Question } from './question.ts'
import type { Tokenizer, TokenPiece } from './tokens.ts'

/** Tokens spent and allowed in one answer. */
interface TokenBudget {
  left: number
  reasoning: number
  output: number
}

/** The inputs of one streamed answer. */
export interface StreamInput {
  call: TextCall
  plan: AnswerPlan
  question: Question
  tokenizer: Tokenizer
  input: Pick<Usage, 'input' | 'mediaInput'>
  maxTokens: number
  upstreamId: string
}

/** Pushes a plan in pieces, within `maxTokens` of output, with stop sequences, pace and faults. */
export async function streamPlan(
  answering: StreamInput,
  pacer: Pacer,
  sink: Pick<PartSink, 'part' | 'flush'>,
): Promise<void> {
  const { call, plan, tokenizer, input, maxTokens, upstreamId } = answering
  const { directives } = answering.question
  const isAffected = directives.on === undefined || directives.on === call.upstreamModel
  const fault = isAffected ? directives.fault : undefined
  const faultAfter = directives.after ?? (fault === 'cut' || fault === 'stall' ? 3 : 0)
  const budget: TokenBudget = { left: maxTokens, reasoning: 0, output: 0 }
  if (fault && faultAfter === 0) await raise(fault, directives, pacer)
  sink.part({ type: 'start', upstreamId, upstreamModel: call.upstreamModel })
  const answer = answerParts(plan, call.turn, tokenizer, budget)
  let step = answer.next()
  for (; !step.done; step = answer.next()) {
    if (fault && pacer.sent >= faultAfter) {
      sink.flush()
      await raise(fault, directives, pacer)
    }
    const due = pacer.next()
    if (due) {
      sink.flush()
      await due
    }
    sink.part(step.value)
  }
  sink.flush()
  // A fault that is requested past the end of the answer comes before its finish.
  if (fault) await raise(fault, directives, pacer)
  pacer.check()
  if (directives.omit !== 'finish') sink.part({ type: 'finish', ...step.value })
  if (directives.omit === 'usage') return
  const cachedInput = Math.min(directives.cached ?? 0, input.input)
  const { output, reasoning } = budget
  sink.part({ type: 'usage', usage: { ...input, cachedInput, cacheWriteInput: 0, output, reasoning } })
}

interface AnswerEnd {
  reason: FinishReason
  stopSequence?: string
}

function* answerParts(
  plan: AnswerPlan,
  turn: Turn,
  tokenizer: Tokenizer,
  budget: TokenBudget,
): Generator<AnswerPart, AnswerEnd> {
  if (plan.reasoning) {
    const thinking = tokenizer.pieces(plan.reasoning.text)
    for (const { text, tokens } of takeWithinBudget(thinking, budget, plan.reasoning.maxTokens)) {
      budget.reasoning += tokens
      yield { type: 'reasoning', text }
    }
    if (budget.left === 0) return { reason: 'length' }
  }
  if (plan.calls) return { reason: yield* callParts(plan.calls, tokenizer, budget) }
  const cut = plan.refusal === undefined ? cutAtStop(plan.text ?? '', turn.stop) : { text: plan.refusal }
  const pieces = tokenizer.pieces(cut.text)
  const ordered = limitTokens(pieces, plan.textTokens ?? Number.POSITIVE_INFINITY)
  let sent = 0
  for (const { text } of takeWithinBudget(ordered, budget)) {
    sent += 1
    yield plan.refusal === undefined ? { type: 'text', text } : { type: 'refusal', text }
  }
  if (sent < ordered.length) return { reason: 'length' }
  if (plan.refusal !== undefined) return { reason: 'content_filter' }
  const reached = cut.stopSequence !== undefined && ordered.length === pieces.length
  return { reason: 'stop', ...(reached && { stopSequence: cut.stopSequence }) }
}

function* callParts(
  calls: NonNullable<AnswerPlan['calls']>,
  tokenizer: Tokenizer,
  budget: TokenBudget,
): Generator<AnswerPart, FinishReason> {
  for (const [index, call] of calls.entries()) {
    const nameTokens = tokenizer.count(call.name)
    if (nameTokens > budget.left) return 'length'
    budget.left -= nameTokens
    budget.output += nameTokens
    yield { type: 'tool-call', index, id: call.id, name: call.name }
    const pieces = tokenizer.pieces(call.arguments)
    let sent = 0
    for (const { text } of takeWithinBudget(pieces, budget)) {
      sent += 1
      yield { type: 'tool-arguments', index, delta: text }
    }
    if (sent < pieces.length) return 'length'
  }
  return 'tool_calls'
}

/** Takes pieces as far as the budget and `limit` reach, and counts them as spent. */
function* takeWithinBudget(
  pieces: readonly TokenPiece[],
  budget: TokenBudget,
  limit = Number.POSITIVE_INFINITY,
): Generator<TokenPiece> {
  for (const piece of limitTokens(pieces, limit)) {
    if (piece.tokens > budget.left) {
      // The tokens that would begin the next character count as spent, but half a character cannot be sent.
      budget.output += budget.left
      budget.left = 0
      return
    }
    budget.left -= piece.tokens
    budget.output += piece.tokens
    yield piece
  }
}

function limitTokens(pieces: readonly TokenPiece[], limit: number): readonly TokenPiece[] {
  let total = 0
  const end = pieces.findIndex((piece) => {
    total += piece.tokens
    return total > limit
  })
  return end === -1 ? pieces : pieces.slice(0, end)
}

/** The text before the earliest stop sequence. The whole text is known, so token boundaries do not matter. */
function cutAtStop(text: string, stop: readonly string[]): { text: string; stopSequence?: string } {
  const found = stop
    .filter((each) => each !== '' && text.includes(each))
    .map((stopSequence) => ({ text: text.slice(0, text.indexOf(stopSequence)), stopSequence }))
  return found.toSorted((a, b) => a.text.length - b.text.length)[0] ?? { text }
}

/** Refuses input that leaves no room in the context window, as real servers do. Returns the tokens left for output. */
export function roomForOutput(turn: Turn, inputTokens: number, contextLength: number): number {
  const wanted = turn.requestedOutputTokens === undefined ? 1 : turn.maxOutputTokens
  if (inputTokens + wanted > contextLength) {
    const detail =
      `This model's maximum context length is ${contextLength} tokens, ` +
      `but the request needs more: ${inputTokens} or more of input and ${wanted} of output.`
    throw new UpstreamError('context_overflow', { status: 400, executed: false, param: 'messages', detail })
  }
  return Math.min(turn.maxOutputTokens, contextLength - inputTokens)
}
