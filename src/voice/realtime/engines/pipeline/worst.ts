/** The most that a turn of a call may cost, with its transcription, its answer and its speech. */
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

/** The longest turn in seconds; a caller who speaks on begins the next one. */
const maxSeconds = 60
/** A turn is transcribed once when it is over, and before that for up to `maxEarlySeconds`. */
const hearings = 1 + maxEarlySeconds / maxSeconds
/** The letters of a token in a long text. */
const lettersOfToken = 3
const maxAnswerLength = 'ا'.repeat(mostOutputTokens * lettersOfToken)

export interface TurnParts {
  models: PipelineModels
  agent: CallAgent | undefined
  settings: Pick<SessionSettings, 'modalities' | 'tools' | 'hosted'>
}

/** The most bytes that an agent adds to a prompt. */
const bytesOf = ({ instructions, recall }: CallAgent): number =>
  Buffer.byteLength(instructions) + (recall ? maxPassageBytes : 0)

/** The most that a turn may cost, in micro-credits; the same at every balance, so that it can be held before anything is known of the turn. */
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
