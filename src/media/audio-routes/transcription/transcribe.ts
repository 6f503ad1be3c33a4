/** Transcribes a recording, as it is said or in English: paid, stored, and answered in the format that was asked for. */
import {
  answerStored,
  payment,
  requireMayUse,
  requireModel,
  requireUnclaimed,
  setCostHeaders,
  setFileHeaders,
  setIgnoredFields,
  setTruncatedAudio,
  settleFailed,
} from '#core/calls'
import type { TranscriptionModel } from '#core/models'
import { type PaidTranscription, startPaidTranscription, type Transcript } from '#media/transcription'
import { asFailure, fail } from '#platform/errors'
import {
  type ContentAnswer,
  type EventStream,
  eventStream,
  HttpAnswer,
  JsonText,
  type RequestContext,
} from '#platform/http'
import type { AudioRoutesApp } from '../app.ts'
import { sendTranscript } from './events.ts'
import { reasons } from './phrases.ts'
import { jsonReply, plainReply, type ReplyContext } from './reply.ts'
import type { TranslationForm } from './schema.ts'
import { openSource, readOrRefuse, recordingFieldOf, type TranscriptionContext } from './source.ts'
import { type RecordingTask, transcription, translation } from './task.ts'
import { isPlain, readTranscriptionRequest, type TranscriptionRequest } from './wish.ts'

type WrittenAnswer = JsonText | ContentAnswer | HttpAnswer | EventStream

export const transcribe = (context: TranscriptionContext): Promise<WrittenAnswer> =>
  writeDown(context, transcription)

/** A translation is a transcription of a form with fewer fields. */
export const translate = (
  context: RequestContext<AudioRoutesApp, unknown, unknown, unknown, TranslationForm>,
): Promise<WrittenAnswer> => writeDown(context as TranscriptionContext, translation)

/** Every error of the request is refused before the hold; the recording is measured first, so that the hold is exact. */
async function writeDown(context: TranscriptionContext, task: RecordingTask): Promise<WrittenAnswer> {
  const model = modelOf(context, task)
  const source = recordingFieldOf(context)
  const wish = readTranscriptionRequest(context, task, model, source.param)
  await requireUnclaimed(context)
  await using open = new AsyncDisposableStack()
  const recording = open.use(await openSource(context, source))
  const call = { ...payment(context), model, recording, spec: wish.spec, endpoint: task.endpoint }
  const paid = await readOrRefuse(source.param, () => startPaidTranscription(context.app.paid, call))
  setIgnoredFields(context, wish.ignored)
  setTruncatedAudio(context, recording.recording.measured)
  const replyContext = () => replyContextOf(context, wish, paid)
  if (wish.stream) {
    const kept = open.move()
    return eventStream(async (out) => {
      await using _recording = kept
      await sendTranscript(context, paid, replyContext, out)
    })
  }
  // The recording is read until its last piece has been sent.
  if (isPlain(wish.format)) return await answerPlain(context, paid, wish.format, wish)
  return await answerStored(context, paid, async () => {
    const transcript = await paid.transcript()
    return { body: new JsonText(await jsonReply(replyContext(), transcript)), files: [transcript.file] }
  })
}

/** The model that the request names, else the default one of its task. Throws as `requireModel` does. */
function modelOf(context: TranscriptionContext, { translates }: RecordingTask): TranscriptionModel {
  const { app, caller, body, upload } = context
  const name = upload ? upload.fields.model : body.model
  if (name != null) return requireModel(context, name, 'transcription')
  if (translates) return translatorOf(context)
  const model = app.models.defaults.transcription
  if (!model) return fail('INVALID_REQUEST', { why: reasons.noModel }, { param: 'model' })
  requireMayUse(caller, model)
  return model
}

/** The default model if it translates, else the first one that does and that the caller may use. */
function translatorOf({ app, caller }: TranscriptionContext): TranscriptionModel {
  const { defaults } = app.models
  const all = [...(defaults.transcription ? [defaults.transcription] : []), ...app.models.list()]
  const able = all.find(
    (one): one is TranscriptionModel =>
      one.kind === 'transcription' && one.transcription.translates && caller.models?.has(one.id) !== false,
  )
  return able ?? fail('INVALID_REQUEST', { why: reasons.noTranslator }, { param: 'model' })
}

const replyContextOf = (
  { app, requestId }: TranscriptionContext,
  wish: TranscriptionRequest,
  { model }: PaidTranscription,
): ReplyContext => ({ app, requestId, wish, model })

/** Answers in text, srt or vtt. Only JSON is kept for replay, so a repeated request is told the id of the stored file. */
async function answerPlain(
  context: TranscriptionContext,
  paid: PaidTranscription,
  format: 'text' | 'srt' | 'vtt',
  wish: TranscriptionRequest,
): Promise<HttpAnswer> {
  let transcript: Transcript
  let reply: Awaited<ReturnType<typeof plainReply>>
  try {
    transcript = await paid.transcript()
    reply = await plainReply(format, wish, transcript)
  } catch (error) {
    return settleFailed(paid, asFailure(error))
  }
  const { chargedMicrocredits } = await paid.finish({ statusCode: 200 })
  setCostHeaders(context, chargedMicrocredits)
  setFileHeaders(context, [transcript.file])
  return new HttpAnswer(200, reply.text, reply.mediaType)
}
