/** What a turn of a call may cost at most: what is said is written down, answered and spoken. */
import type { App, Caller } from '#app'
import { type CallAgent, maxPassageBytes } from '#core/call-agent'
import { boundTurn, worstCaseOf } from '#core/inference'
import { planSpeaking, worstOfHearing } from '#voice/live-speech'
import type { SessionSettings } from '../../parts.ts'
import { maxEarlySeconds } from './early.ts'
import { hostedOf, toolsOf, worstFees } from './hosted.ts'
import type { PipelineModels } from './models.ts'
import { maxPromptBytes, mostOutputTokens } from './prompt.ts'
import { maxFarewellLength } from './sentences.ts'

/** Of one turn; who speaks on begins the next. */
const maxSeconds = 60
/** It is written down when it is over, and early before. */
const hearings = 1 + maxEarlySeconds / maxSeconds
/** Letters of a token, where there are many. */
const lettersOfToken = 3
const maxAnswerLength = 'ا'.repeat(mostOutputTokens * lettersOfToken)

export interface TurnParts {
  models: PipelineModels
  agent: CallAgent | undefined
  settings: Pick<SessionSettings, 'modalities' | 'tools' | 'hosted'>
}

/** What an agent adds to a prompt at most. */
const bytesOf = ({ instructions, recall }: CallAgent): number =>
  Buffer.byteLength(instructions) + (recall ? maxPassageBytes : 0)

/** In micro-credits; at every balance the same, so that it can be held before anything is known of the turn. */
export function worstOfTurn(
  app: App,
  caller: Caller,
  { models: { text, transcription, speech }, agent, settings }: TurnParts,
): bigint {
  const live = { caller, endpoint: '', signal: neverAborted }
  const heard = worstOfHearing(app, { caller, model: transcription }, maxSeconds) * BigInt(hearings)
  const promptBytes = maxPromptBytes + (agent ? bytesOf(agent) : 0)
  const turn = boundTurn(promptBytes, mostOutputTokens, text)
  const model = worstCaseOf(app, { model: text, turn, allowed: caller.models }).microcredits
  const uses = hostedOf(agent, settings.hosted, settings.tools)
  const written = model + worstFees(toolsOf(app, agent), uses)
  if (!settings.modalities.includes('audio')) return heard + written
  const spoken = [maxAnswerLength, maxFarewellLength].map(
    (words) => planSpeaking(app, { ...live, model: speech, text: words }).worst,
  )
  return spoken.reduce((sum, worst) => sum + worst, heard + written)
}

const neverAborted = new AbortController().signal
