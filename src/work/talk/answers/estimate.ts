/** The most that an answer can cost, before it is asked for; free. */
import { worstCaseOf } from '#core/inference'
import { textModel } from '#core/text'
import { fail } from '#platform/errors'
import { creditsUp } from '#platform/ledger'
import { findMessage } from '../message-store.ts'
import { ownerOf } from '../owner.ts'
import type { AnswersContext } from './app.ts'
import type { EstimateBody } from './schema.ts'
import { toolBounds, turnOf } from './turn.ts'

export async function estimate(context: AnswersContext<EstimateBody>): Promise<object> {
  const { app, caller, body } = context
  const model = textModel(app, caller, body.model)
  const hosted = body.hosted ?? []
  const leaf = await leafOf(context)
  const turn = await turnOf(context, {
    ...{ model, hosted, effort: undefined, parts: body.parts },
    conversationId: leaf?.conversationId ?? '',
    parentId: leaf?.messageId ?? null,
  })
  const { defaultOutputTokens: usual = model.maxOutputTokens } = turn
  const asked = { ...turn, requestedOutputTokens: Math.min(usual, model.maxOutputTokens) }
  const step = worstCaseOf(app.turns, { model, turn: asked, allowed: caller.models })
  let microcredits = step.microcredits
  if (hosted.length > 0) {
    const full = { ...asked, passthroughBytes: toolBounds.bytes }
    const { microcredits: next } = worstCaseOf(app.turns, { model, turn: full, allowed: caller.models })
    const fees = hosted.map((name, index) =>
      app.turns.tools.requireTool(name as 'web_search', `hosted.${index}`),
    )
    const dearest = fees.reduce((most, { price }) => (price > most ? price : most), 0n)
    microcredits += BigInt(toolBounds.steps - 1) * next + BigInt(toolBounds.uses) * dearest
  }
  return {
    object: 'talk.estimate',
    credits: creditsUp(microcredits),
    microcredits: String(microcredits),
    max_output_tokens: step.maxOutputTokens,
  }
}

async function leafOf(
  context: AnswersContext<EstimateBody>,
): Promise<{ conversationId: string; messageId: string } | undefined> {
  const { leaf_id: leafId, conversation_id: conversationId } = context.body
  if (leafId === undefined) return undefined
  const leaf = await findMessage(context.app.db, ownerOf(context), leafId)
  if (!leaf || (conversationId !== undefined && leaf.conversation_id !== conversationId))
    return fail('NOT_FOUND', {}, { param: 'leaf_id' })
  return { conversationId: leaf.conversation_id, messageId: leafId }
}
