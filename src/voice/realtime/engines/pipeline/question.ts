/** Composes the question to the text model from the session, the options of the response, and the agent with its knowledge. */
import type { CallAgent } from '#core/call-agent'
import type { Turn } from '#core/turn'
import type { CallView, ConversationItem, ResponseOptions } from '../../parts.ts'
import { hostedOf } from './hosted.ts'
import type { Knowledge } from './knowledge.ts'
import type { PipelineModels } from './models.ts'
import { turnOf } from './prompt.ts'
import type { PipelineSettings } from './settings.ts'

export interface QuestionOptions {
  call: Pick<CallView, 'conversation' | 'session'>
  models: PipelineModels
  settings: PipelineSettings
  agent: CallAgent | undefined
  knowledge: Knowledge | undefined
  responseOptions: ResponseOptions
}

/** @param isSpoken whether the answer is read aloud */
export async function questionOf(options: QuestionOptions, isSpoken: boolean): Promise<Turn> {
  const { call, models, settings, responseOptions, agent, knowledge } = options
  const { session } = call
  const items = inputOf(options)
  const tools = responseOptions.tools ?? session.tools
  const told = responseOptions.instructions ?? session.instructions
  return turnOf(
    {
      items,
      passages: await knowledge?.passagesFor(items),
      instructions: [settings.instructions ?? '', agent?.instructions ?? '', told],
      isSpoken,
      tools,
      hosted: hostedOf(agent, responseOptions.tools ? (responseOptions.hosted ?? []) : session.hosted, tools),
      toolChoice: responseOptions.toolChoice ?? session.toolChoice,
      maxOutputTokens: responseOptions.maxOutputTokens ?? session.maxOutputTokens,
    },
    models.text,
  )
}

/** The conversation, or the items that the request gives in its place. */
function inputOf({ responseOptions, call }: QuestionOptions): readonly ConversationItem[] {
  if (!responseOptions.input) return call.conversation.items
  return responseOptions.input.flatMap((one) =>
    typeof one === 'string' ? (call.conversation.get(one) ?? []) : one,
  )
}
