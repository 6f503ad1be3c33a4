/** A message of the person, and another answer to an earlier one. */
import { findFile } from '#core/files'
import { textModel } from '#core/text'
import { fail } from '#platform/errors'
import { HttpAnswer } from '#platform/http'
import { findChildren, findMessage, type NewPart } from '../message-store.ts'
import { ownerOf } from '../owner.ts'
import type { MessageRow } from '../tables.ts'
import type { AnswersContext } from './app.ts'
import { beginAnswer, earlierMessage, fingerprintOf } from './begin.ts'
import { reasons } from './phrases.ts'
import { type AnswerBody, type MessageBody, maxCharacters, maxFiles, type SentPart } from './schema.ts'
import { showMessages } from './shown-message.ts'
import { isPicture, turnOf } from './turn.ts'

/** Stores a message and begins its answer; the same id again answers what it answered. */
export async function sendMessage(context: AnswersContext<MessageBody>): Promise<HttpAnswer> {
  const { app, caller, body } = context
  const { id, conversation_id: conversationId, parent_id: parentId, reasoning_effort: effort } = body
  const hosted = body.hosted ?? []
  requireBounds(body.parts)
  const fingerprint = fingerprintOf(conversationId, parentId, body.model, body.parts, hosted, effort ?? null)
  if (!(await earlierMessage(context, id, fingerprint))) {
    await requireParent(context, conversationId, parentId)
    const model = textModel(app, caller, body.model)
    const asked = { model, conversationId, parentId, hosted, effort }
    const turn = await turnOf(context, { ...asked, parts: body.parts })
    const question = await partsOf(context, body.parts)
    await beginAnswer(context, { ...asked, turn, clientId: id, fingerprint, question })
  }
  const message = await requireMessage(context, id)
  const answers = await findChildren(app.db, { ...caller, conversationId: message.conversation_id }, id)
  // The first answer is that of this request; further ones were asked for afterwards.
  const [first] = answers.filter(({ role }) => role === 'assistant')
  const [shown, answer] = await showMessages(app, [message, ...(first ? [first] : [])])
  return new HttpAnswer(201, { message: shown, answer })
}

/** Begins another answer to a message of the person: a sibling of the earlier ones. */
export async function answerAgain(context: AnswersContext<AnswerBody, { id: string }>): Promise<HttpAnswer> {
  const { app, caller, body, params } = context
  const asked = await requireMessage(context, params.id)
  if (asked.role !== 'user') fail('INVALID_REQUEST', { why: reasons.noQuestion }, { param: 'id' })
  const fingerprint = fingerprintOf(
    params.id,
    body.model ?? null,
    body.hosted ?? null,
    body.reasoning_effort ?? null,
  )
  if (!(await earlierMessage(context, body.id, fingerprint))) {
    const hosted = body.hosted ?? asked.hosted
    const effort = body.reasoning_effort ?? undefined
    const model = textModel(app, caller, body.model ?? (await modelOfLast(context, asked)))
    const question = {
      model,
      conversationId: asked.conversation_id,
      parentId: asked.message_id,
      hosted,
      effort,
    }
    const turn = await turnOf(context, { ...question, parts: undefined })
    await beginAnswer(context, { ...question, turn, clientId: body.id, fingerprint })
  }
  const [shown] = await showMessages(app, [await requireMessage(context, body.id)])
  return new HttpAnswer(201, { answer: shown })
}

/** The model of the newest answer to the message. */
async function modelOfLast(
  { app, caller }: AnswersContext,
  { conversation_id: conversationId, message_id: id }: MessageRow,
): Promise<string | undefined> {
  const answers = await findChildren(app.db, { ...caller, conversationId }, id)
  return answers.at(-1)?.model ?? undefined
}

/** A message of the person in the project. Throws NOT_FOUND. */
export const requireMessage = async (context: AnswersContext, id: string): Promise<MessageRow> =>
  (await findMessage(context.app.db, ownerOf(context), id)) ?? fail('NOT_FOUND', {}, { param: 'id' })

/** Throws for a message that does not follow an answer of its conversation. */
async function requireParent(
  context: AnswersContext,
  conversationId: string,
  parentId: string | null,
): Promise<void> {
  if (parentId === null) return
  const parent = await findMessage(context.app.db, ownerOf(context), parentId)
  if (parent?.conversation_id !== conversationId) fail('NOT_FOUND', {}, { param: 'parent_id' })
  if (parent.role !== 'assistant' || parent.state === 'streaming')
    fail('INVALID_REQUEST', { why: reasons.unknownParent }, { param: 'parent_id' })
}

export function requireBounds(parts: readonly SentPart[]): void {
  let characters = 0
  let files = 0
  for (const part of parts) {
    if (part.type === 'text') characters += part.text.length
    else files++
  }
  if (characters > maxCharacters)
    fail('INVALID_REQUEST', { why: reasons.longMessage(maxCharacters) }, { param: 'parts' })
  if (files > maxFiles) fail('INVALID_REQUEST', { why: reasons.manyFiles(maxFiles) }, { param: 'parts' })
  const isEmpty = parts.every((part) => part.type === 'text' && part.text.trim() === '')
  if (isEmpty) fail('INVALID_REQUEST', { why: reasons.emptyMessage }, { param: 'parts' })
}

/** The parts as they are stored. */
async function partsOf({ app, caller }: AnswersContext, parts: readonly SentPart[]): Promise<NewPart[]> {
  const now = new Date(app.clock.nowMs())
  return Promise.all(
    parts.map(async (part): Promise<NewPart> => {
      if (part.type === 'text') return { kind: 'text', body: part.text }
      const row = await findFile(app.db, caller, part.file_id, now)
      const mediaType = row?.media_type ?? ''
      return {
        kind: isPicture(mediaType) ? 'image' : 'file',
        fileId: part.file_id,
        detail: { name: row?.name ?? null, media_type: mediaType, bytes: Number(row?.bytes ?? 0) },
      }
    }),
  )
}
