/** Offline, deterministic models for development and tests: text, embeddings, pictures, speech, transcription and video. */
import { type TextCall, type TextProvider, UpstreamError } from '#core/spec'
import type { MessageContent } from '#core/turn'
import { sandboxAudio } from './audio.ts'
import { findSandboxModel } from './catalogue.ts'
import { countInput } from './count-input.ts'
import { sandboxEmbeddings } from './embedding.ts'
import { sandboxImages } from './image/image.ts'
import { type AnswerPace, Pacer, realClock, type SandboxClock } from './pace.ts'
import { fingerprint, planAnswer } from './plan.ts'
import { readQuestion } from './question.ts'
import { SandboxRun } from './run.ts'
import { sandboxModels, sandboxOrders } from './simulators.ts'
import { roomForOutput, type StreamInput, streamPlan } from './stream.ts'
import { loadTokenizer, type Tokenizer } from './tokens.ts'
import { sandboxTranscription } from './transcribe/transcribe.ts'
import { sandboxVideos } from './video/video.ts'

export type { AnswerPace, SandboxClock }
export {
  sandboxAudio,
  sandboxEmbeddings,
  sandboxImages,
  sandboxModels,
  sandboxOrders,
  sandboxTranscription,
  sandboxVideos,
}

/**
 * An in-process upstream for development and tests: deterministic, offline and complete, but not intelligent. The rules of its answers are in
 * `plan.ts`, and the directives for tests (faults, pace, refusals) in `directives.ts`; tokens are those of o200k_base. `pace` applies to every
 * answer, in milliseconds; a test may pass its own `clock`.
 */
export function sandboxProvider(options: { pace?: AnswerPace; clock?: SandboxClock } = {}): TextProvider {
  return {
    wires: ['chat'],
    generate: (call, sink) =>
      new SandboxRun(sink, async (run, signal) => {
        const streamInput = prepare(call, await loadTokenizer())
        const pace = { ...options.pace, ...streamInput.question.directives }
        const pacer = new Pacer(pace, call.timeouts, { signal, clock: options.clock ?? realClock, run })
        await streamPlan(streamInput, pacer, run)
      }),
    warm: async () => void (await loadTokenizer()),
    ping: async (signal) => {
      if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
      return undefined
    },
  }
}

/** Checks the call, counts its input and plans its answer, without waiting. */
function prepare(call: TextCall, tokenizer: Tokenizer): StreamInput {
  const { turn } = call
  const model = findSandboxModel(call.upstreamModel)
  if (!model) {
    const detail = `The sandbox has no model "${call.upstreamModel}".`
    throw new UpstreamError('not_found', { status: 404, executed: false, param: 'model', detail })
  }
  refuseForeignMedia(call, model.inputModalities)
  try {
    const question = readQuestion(turn)
    const input = countInput(turn, tokenizer, model.contextLength)
    const maxTokens = roomForOutput(turn, input.input, model.contextLength)
    const plan = planAnswer(turn, question, model.features.includes('reasoning'))
    const upstreamId = `sandbox-${fingerprint(turn).slice(0, 24)}`
    return { call, plan, question, tokenizer, input, maxTokens, upstreamId }
  } catch (cause) {
    // A schema nested some thousand levels deep overflows the stack.
    if (!(cause instanceof RangeError)) throw cause
    const detail = 'The request is nested too deeply for the sandbox.'
    throw new UpstreamError('invalid_request', { status: 400, executed: false, detail, cause })
  }
}

function refuseForeignMedia({ turn }: TextCall, modalities: readonly string[]): void {
  const foreign = turn.messages
    .flatMap((message) => message.content.flatMap(modalitiesOf))
    .find((modality) => !modalities.includes(modality))
  if (foreign === undefined) return
  const detail = `This sandbox model does not take ${foreign} input.`
  throw new UpstreamError('invalid_request', { status: 400, executed: false, param: 'messages', detail })
}

function modalitiesOf(content: MessageContent): string[] {
  if (content.type === 'reasoning') return []
  if (content.type !== 'document') return [content.type]
  return 'parts' in content ? content.parts.flatMap(modalitiesOf) : ['file']
}
