/** The most that a turn of a call may cost, with its transcription, its answer and its speech. */
import { type CallAgent, maxPassageBytes } from '#core/call-agent'
import { boundTurn, type TurnApp, worstCaseOf } from '#core/inference'
import type { Caller } from '#platform/auth'
import { planLiveSpeech, worstCaseOfUtterance } from '#voice/live-speech'
import type { SessionSettings } from '../../parts.ts'
import { maxEarlySeconds } from './early.ts'
import { hostedOf, toolsOf, worstFees } from './hosted.ts'
import type { PipelineModels } from './models.ts'
import { maxAnswerTokens, maxPromptBytes } from './prompt.ts'
import { farewellOfMaxLength } from './sentences.ts'

/** The longest turn in seconds; a caller who speaks on begins the next one. */
const maxSeconds = 60
/** A turn is transcribed once when it is over, and before that for up to `maxEarlySeconds`. */
const transcriptionsPerTurn = 1 + maxEarlySeconds / maxSeconds
/** The letters of a token in a long text. */
const lettersOfToken = 3
const answerOfMaxLength = 'ا'.repeat(maxAnswerTokens * lettersOfToken)

export interface TurnParts {
  models: PipelineModels
  agent: CallAgent | undefined
  settings: Pick<SessionSettings, 'modalities' | 'tools' | 'hosted'>
}

/** The most bytes that an agent adds to a prompt. */
const bytesOf = ({ instructions, recall }: CallAgent): number =>
  Buffer.byteLength(instructions) + (recall ? maxPassageBytes : 0)

/** The most that a turn may cost, in micro-credits; the same at every balance, so that it can be held before anything is known of the turn. */
export function worstCaseOfPipelineTurn(
  app: TurnApp,
  caller: Caller,
  { models: { text, transcription, speech }, agent, settings }: TurnParts,
): bigint {
  const live = { caller, endpoint: '', signal: neverAborted }
  const transcriptionCost =
    worstCaseOfUtterance(app, { caller, model: transcription }, maxSeconds) * BigInt(transcriptionsPerTurn)
  const promptBytes = maxPromptBytes + (agent ? bytesOf(agent) : 0)
  const turn = boundTurn(promptBytes, maxAnswerTokens, text)
  const model = worstCaseOf(app, { model: text, turn, allowed: caller.models }).microcredits
  const uses = hostedOf(agent, settings.hosted, settings.tools)
  const answerCost = model + worstFees(toolsOf(app, agent), uses)
  if (!settings.modalities.includes('audio')) return transcriptionCost + answerCost
  const speechCosts = [answerOfMaxLength, farewellOfMaxLength].map(
    (words) => planLiveSpeech(app, { ...live, model: speech, text: words }).worst,
  )
  return speechCosts.reduce((sum, worst) => sum + worst, transcriptionCost + answerCost)
}

const neverAborted = new AbortController().signal
