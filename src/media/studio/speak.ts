import {
  answerStored,
  Base64Bytes,
  payment,
  requireMayUse,
  setCostHeaders,
  setFileHeaders,
} from '#core/calls'
import type { AudioModel, TranscriptionModel } from '#core/models'
import { fitSpeech, layoutOf, type SpeechSetting, type SpeechSpec, startPaidSpeech } from '#media/speech'
import { type SpokenAnswer, startSpokenAnswer } from '#media/spoken-answer'
import { fail } from '#platform/errors'
import type { ContentAnswer, JsonText, RequestContext } from '#platform/http'
import type { StudioApp } from './app.ts'
import { executionOf } from './execution.ts'
import { reasons } from './phrases.ts'
import { modelOf } from './preset-model.ts'
import { openRecordingOf, readOrRefuse, recordingOf } from './recording-of.ts'
import type { AudioBody } from './schema.ts'

/** The most bytes whose Base64 fits into the contract's answer. */
const maxBytes = (40_000_000 / 4) * 3

/** Speaks a text, a dialogue, or an answer to a recording. Every error of the request is refused first, then room and worst case are held. */
export async function speak(
  context: RequestContext<StudioApp, AudioBody>,
): Promise<JsonText | ContentAnswer> {
  const { app } = context
  const model = modelOf(context, 'audio')
  const { audioInput, text } = context.body
  const transcriber = app.models.defaults.transcription
  const isComposed = audioInput && transcriber && !model.audio.tasks.includes('answer')
  if (isComposed) return speakComposed(context, { model, transcriber, audioInput, text })
  const spec = await specOf(context)
  const paid = await startPaidSpeech(app.paid, { ...payment(context), model, spec, endpoint })
  return answerSpoken(context, paid, spec)
}

const endpoint = '/v1/studio/audio'

interface ComposedSpeech {
  model: AudioModel
  transcriber: TranscriptionModel
  audioInput: NonNullable<AudioBody['audioInput']>
  text: string | undefined
}

/** Answers with a model that cannot listen, by two others: one transcribes the recording, one writes the answer. */
async function speakComposed(
  context: RequestContext<StudioApp, AudioBody>,
  { model, transcriber, audioInput, text }: ComposedSpeech,
): Promise<JsonText | ContentAnswer> {
  const { app, caller } = context
  const writer = app.models.defaults.text
  for (const one of [transcriber, writer]) requireMayUse(caller, one)
  const spec = unansweredSpecOf(context)
  await using recording = await openRecordingOf(context, audioInput)
  const paid = await readOrRefuse(recording.recording.measured, () =>
    startSpokenAnswer(app.turns, {
      ...{ ...payment(context), model, writer, transcriber, recording, spec, endpoint },
      instruction: text?.toWellFormed(),
      trace: context.trace,
    }),
  )
  // The recording is read until all of it has been sent.
  return await answerSpoken(context, paid, spec)
}

function answerSpoken(
  context: RequestContext<StudioApp, AudioBody>,
  paid: SpokenAnswer,
  spec: SpeechSpec,
): Promise<JsonText | ContentAnswer> {
  return answerStored(context, paid, async () => {
    const spoken = await paid.spoken()
    const { seconds, file, tokens, microcredits } = spoken
    // These headers are set for an error as well: the file is stored and charged.
    setFileHeaders(context, [file])
    setCostHeaders(context, microcredits)
    const bytes = await fitSpeech(spoken, spec.format, maxBytes)
    const output = {
      data: new Base64Bytes(bytes),
      mediaType: paid.mediaType.split(';', 1)[0],
      ...layoutOf(bytes, spec.format),
      seconds: Math.round(seconds * 1_000) / 1_000,
    }
    const execution = executionOf(context, { model: paid.model, tokens, microcredits })
    return { body: { output, execution }, files: [file] }
  })
}

/** The line of an answer whose text is not known yet. */
function unansweredSpecOf(context: RequestContext<StudioApp, AudioBody>): SpeechSpec {
  const { body } = context
  const { turns, voice, instructions, format = 'mp3' } = body
  if (turns) fail('INVALID_REQUEST', { why: reasons.turnsAlone }, { param: 'turns' })
  const own = { ...(voice !== undefined && { voice }), ...(instructions !== undefined && { instructions }) }
  return { lines: [{ text: '', ...own }], format, maxBytes, where: paramResolver(body) }
}

async function specOf(context: RequestContext<StudioApp, AudioBody>): Promise<SpeechSpec> {
  const { body } = context
  const { text, turns, audioInput, voice, instructions, format = 'mp3' } = body
  if (turns && (text !== undefined || audioInput))
    fail('INVALID_REQUEST', { why: reasons.turnsAlone }, { param: 'turns' })
  if (turns && (voice !== undefined || instructions !== undefined))
    fail(
      'INVALID_REQUEST',
      { why: reasons.turnsOwn },
      { param: voice === undefined ? 'instructions' : 'voice' },
    )
  if (!turns && !audioInput && text === undefined)
    fail('INVALID_REQUEST', { why: reasons.nothingToSpeak }, { param: 'text' })
  const own = { ...(voice !== undefined && { voice }), ...(instructions !== undefined && { instructions }) }
  const lines = turns ?? [{ text: audioInput ? '' : text!, ...own }]
  return {
    lines: lines.map((line) => ({ ...line, text: line.text.toWellFormed() })),
    ...(audioInput && {
      question: { recording: await recordingOf(context, audioInput), ...(text !== undefined && { text }) },
    }),
    format,
    maxBytes,
    where: paramResolver(body),
  }
}

/** The path of a setting: in its turn where there are turns, else at the top of the body. */
const paramResolver =
  ({ turns, audioInput, model }: AudioBody) =>
  (setting: SpeechSetting, line = 0): string => {
    if (setting === 'task') return audioInput ? 'audioInput' : model === undefined ? 'preset' : 'model'
    if (setting === 'format' || setting === 'turns' || setting === 'speed') return setting
    return turns ? `turns.${line}.${setting}` : setting
  }
